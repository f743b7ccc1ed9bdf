"""Tools of the contacts' group: one reads, one writes."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

TALKS = "talks"
CONTACT = {"type": "string", "minLength": 1}


def _contact(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    rows = [row for row in context.store.rows(TALKS) if isinstance(row, dict)]
    return done("talks", [row for row in rows if row["contact"] == arguments["contact"]])


def _log(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    context.store.add(TALKS, {"contact": arguments["contact"], "text": arguments["text"], "by": context.identity.user})
    return done("logged")


TOOLS = (
    Tool(
        "crm_contact",
        "Tells what the sales desk knows of a firm. Read-only. Not for finding new leads.",
        {"type": "object", "properties": {"contact": CONTACT}, "required": ["contact"]},
        _contact,
        writes=False,
    ),
    Tool(
        "crm_log",
        "Writes down a conversation with a client. Writes. Not for reminders.",
        {"type": "object", "properties": {"contact": CONTACT, "text": CONTACT}, "required": ["contact", "text"]},
        _log,
        needs_identity=True,
    ),
)
