"""The tool of the payroll."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

RUNS = "payroll"


def _run(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    context.store.add(RUNS, {"month": arguments["month"]})
    return done("paid", {"month": arguments["month"]})


TOOLS = (
    Tool(
        "payroll_run",
        "Pays all staff for a month such as 2026-11. Writes. Not for a single person.",
        {
            "type": "object",
            "properties": {"month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$", "examples": ["2026-11"]}},
            "required": ["month"],
        },
        _run,
    ),
)
