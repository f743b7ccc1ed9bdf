"""Tools of the user group: reading for everybody who has signed in, writing where the session has opened it."""

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done

PROFILES = "profiles"


def _profile(context: ExecutionContext, _arguments: Arguments) -> ToolResult:
    rows = [row for row in context.store.rows(PROFILES) if isinstance(row, dict)]
    own = [row for row in rows if row["user"] == context.identity.user]
    return done("profile", own[-1] if own else None)


def _rename(context: ExecutionContext, arguments: Arguments) -> ToolResult:
    context.store.add(PROFILES, {"user": context.identity.user, "name": arguments["name"]})
    return done("renamed")


TOOLS = (
    Tool(
        "user_profile",
        "Shows the signed-in person's own profile. Read-only. Not for looking up anybody else.",
        {"type": "object", "properties": {}, "additionalProperties": False},
        _profile,
        writes=False,
        needs_identity=True,
    ),
    Tool(
        "user_rename",
        "Changes by which name somebody is addressed. Writes. Not for e-mail addresses.",
        {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1}},
            "required": ["name"],
            "additionalProperties": False,
        },
        _rename,
        needs_identity=True,
    ),
)
