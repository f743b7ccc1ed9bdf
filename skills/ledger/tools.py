"""Tools of the ledger: one reads, one writes."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

ENTRIES = "ledger"


def _post(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    number = context.store.add(ENTRIES, {"account": arguments["account"], "cents": arguments["cents"]})
    return done("booked", {"entry": number})


def _balance(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    entries = [row for row in context.store.rows(ENTRIES) if isinstance(row, dict)]
    return done("balance", {"cents": sum(row["cents"] for row in entries if row["account"] == arguments["account"])})


ACCOUNT = {"type": "string", "minLength": 1}

TOOLS = (
    Tool(
        "ledger_post",
        "Books an amount in cents to an account. Writes. Not for paying anybody.",
        {
            "type": "object",
            "properties": {"account": ACCOUNT, "cents": {"type": "integer"}},
            "required": ["account", "cents"],
        },
        _post,
    ),
    Tool(
        "ledger_balance",
        "Tells what an account holds. Read-only. Not for forecasts.",
        {"type": "object", "properties": {"account": ACCOUNT}, "required": ["account"]},
        _balance,
        writes=False,
    ),
)
