"""The levers and the facts that a host may have, and the words for them in a script."""

from __future__ import annotations

import keyword
import re

LEVERS = {
    "step": "the next sampling begins",
    "turn": "the next turn begins",
    "load": "the manual of {0} is loaded",
    "compact": "the history is compacted",
    "resume": "the thread is resumed",
    "reload": "the skill files are read again",
    "restart": "the agent is restarted",
    "connect": "the tool server connects",
    "drop": "the tool server drops out",
    "spawn_child": "a child agent is spawned",
    "pend": "a tool of {0} is called and waits for approval",
    "approve": "what waits is approved",
    "approve_edited": "what waits is changed into a call of {0} and approved",
    "forge": "it is forged into the record that {0} was opened and loaded",
    "beside": "a second thread of the same agent opens with {0}",
}
CALLS = {
    "begin": "a new session begins",
    "open_writing": "the session opens the writing side of {0}",
    "sign_in": "the session belongs to {0!r}",
    "fail": "{0} fails with {1!r}",
    "hang": "{0} hangs",
    "release": "every tool works again",
    "disable": "{0!r} is put on the disable list",
}
"""Levers of the calls of tools and of skill files, and their words."""
TABLES = {
    "remove_tool": "the tool {0} is taken off",
    "add_tool": "the tool {0} is registered",
    "serve": "a tool server {0} connects with {1}",
    "break_sources": "every other source of tools breaks",
}
"""Levers of the table, and their words."""
REPORTS = (
    "table",
    "resident",
    "resident_skills",
    "own_tools",
    "parts",
    "reach",
    "declare_resident",
    "denial",
    "permission",
    "unknown",
    "spellings",
    "refusal_facts",
    "tools",
    "invoke",
    "effects",
    "sample",
    "writers",
    "open_from_start",
    "patience",
    "read_skills",
    "call",
    "call_together",
    "executable",
    "searchable",
    "search",
    "search_tool",
    "loaded",
    "owners",
    "core",
    "prompt",
    "fingerprint",
    "arranged",
    "identities",
    "table_for",
)
REFUSING = frozenset(
    {
        "reach",
        "declare_resident",
        "invoke",
        "call",
        "call_together",
        "search",
        "arranged",
        "table_for",
        "read_skills",
        "disable",
    }
)
"""Those reports with which something is asked for, so that an exception may be a refusal."""
RESERVED = frozenset({*LEVERS, *CALLS, *TABLES, *REPORTS, "open", "close", "skills", "facts", "seal_arguments"})
"""Names that never mean a surface; a surface with such an id has a method `surface_<name>`."""


def words(lever: str, *arguments: object) -> str:
    """What a lever does, for a script that people read."""
    if lever == "resume" and arguments == (True,):
        return "the thread is resumed from what was stored"
    if lever == "serve":
        arguments = (arguments[0], ", ".join(map(str, arguments[1:])))
    return (LEVERS | CALLS | TABLES)[lever].format(*arguments)


def method_names(surface: str) -> tuple[str, ...]:
    """The names under which a host may keep the method of a surface, in the order in which they are tried."""
    name = re.sub(r"\W", "_", surface)
    always = f"surface_{name}"
    if name in RESERVED:
        return (always,)
    return (always, f"{name}_" if keyword.iskeyword(name) or name[:1].isdigit() else name)
