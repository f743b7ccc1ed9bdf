"""Tools of the order group: one reads, one writes."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

ORDERS, REFUNDS = "orders", "refunds"
NUMBER = {"type": "string", "pattern": "^[A-Za-z0-9-]{6,32}$", "examples": ["A-100234"]}


def _find(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    rows = [row for row in context.store.rows(ORDERS) if isinstance(row, dict)]
    own = [row for row in rows if row["user"] == context.identity.user]
    wanted = [row for row in own if arguments.get("number") in (None, row["number"])]
    return done("found" if wanted else "no such order", wanted[-1] if wanted else None)


def _refund(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    context.store.add(REFUNDS, {"user": context.identity.user, "number": arguments["number"]})
    return done("refunded")


TOOLS = (
    Tool(
        "order_find",
        "Shows where the customer's order is. Read-only. Not for other people's orders.",
        {"type": "object", "properties": {"number": NUMBER}, "additionalProperties": False},
        _find,
        writes=False,
        needs_identity=True,
    ),
    Tool(
        "order_refund",
        "Sends the money for a purchase back. Writes. Not for exchanging goods.",
        {"type": "object", "properties": {"number": NUMBER}, "required": ["number"], "additionalProperties": False},
        _refund,
        needs_identity=True,
    ),
)
