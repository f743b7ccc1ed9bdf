"""The tool of the clock."""

from datetime import UTC, datetime

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done


def _now(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
    return done(datetime.now(UTC).isoformat(timespec="seconds"))


TOOLS = (
    Tool(
        "get_current_time",
        "Tells the date and time in UTC. Read-only. Not for time zones of people.",
        {"type": "object", "properties": {}},
        _now,
        writes=False,
    ),
)
