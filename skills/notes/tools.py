"""Tools of the notes: one reads, one writes."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

NOTES = "notes"


def _add(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    return done("kept", {"note": context.store.add(NOTES, arguments["text"])})


def _find(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    wanted = str(arguments["text"]).lower()
    return done("found", [note for note in context.store.rows(NOTES) if wanted in str(note).lower()])


TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}

TOOLS = (
    Tool("note_add", "Keeps a short note. Writes. Not for whole documents.", TEXT, _add),
    Tool("note_find", "Finds notes by a word. Read-only. Not for memory in general.", TEXT, _find, writes=False),
)
