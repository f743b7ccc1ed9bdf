"""Tools of the clinic: one reads, one writes."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

VISITS = "visits"


def _record(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    context.store.add(VISITS, {"text": arguments["text"]})
    return done("recorded")


def _visits(context: ExecutionContext, _arguments: Arguments) -> ToolResult:
    return done("visits", context.store.rows(VISITS))


TOOLS = (
    Tool(
        "clinic_record",
        "Records a patient's visit. Writes. Not for prescriptions.",
        {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]},
        _record,
    ),
    Tool(
        "clinic_visits",
        "Lists past visits. Read-only. Not for dates to come.",
        {"type": "object", "properties": {}},
        _visits,
        writes=False,
    ),
)
