"""The tools of this process that belong to no skill. Those of the session are declared here; `dispatch` answers."""

from __future__ import annotations

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import Code, ToolResult, done, failed

MEMORY = "memory"
_NAMES = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string"}}},
    "required": ["names"],
}
_NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
_NOTHING: dict[str, object] = {"type": "object", "properties": {}}


def _search_knowledge(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    wanted = str(arguments["text"]).lower()
    found = [note for note in context.store.rows(MEMORY) if wanted in str(note).lower()]
    return done(f"{len(found)} found", found)


def _flush_memory(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    context.store.add(MEMORY, str(arguments["text"]))
    return done("kept")


def _of_the_session(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
    return failed(Code.UNKNOWN, "This tool belongs to a session; here there is only the process behind one.")


BASE = (
    Tool(
        "search_knowledge",
        "Searches what has been kept in memory. Read-only. Not for the web.",
        _TEXT,
        _search_knowledge,
        writes=False,
    ),
    Tool(
        "load_skill",
        "Loads skills by name: their manuals come back and their tools appear. Some tools appear only then, so "
        "judge by the list of skills whether a task can be done. Read-only. Not for reading a manual alone.",
        _NAMES,
        _of_the_session,
        writes=False,
    ),
    Tool("flush_memory", "Keeps a text for later turns. Writes. Not for secrets.", _TEXT, _flush_memory),
)
"""The three without which no session works."""

BROWSING = (
    Tool(
        "introspect",
        "Lists what there is, with the names of its tools. Read-only. Not for loading.",
        _NOTHING,
        _of_the_session,
        writes=False,
    ),
    Tool(
        "read_manual",
        "Returns the manual of one skill. Read-only. Not for unlocking anything.",
        _NAME,
        _of_the_session,
        writes=False,
    ),
    Tool("tool_search", "Finds tools by what they do. Read-only. Not for facts.", _TEXT, _of_the_session, writes=False),
)
"""What lets a model look around."""

OF_THE_SESSION = frozenset({"load_skill", *(tool.name for tool in BROWSING)})
"""Names that `dispatch` answers itself."""
