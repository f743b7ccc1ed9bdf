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
}
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
    "refusal_facts",
)
RESERVED = frozenset({*LEVERS, *REPORTS, "open", "close", "skills", "facts", "seal_arguments"})
"""Names that never mean a surface; a surface with such an id has a method `surface_<name>`."""


def words(lever: str, *arguments: object) -> str:
    """What a lever does, for a script that people read."""
    if lever == "resume" and arguments == (True,):
        return "the thread is resumed from what was stored"
    return LEVERS[lever].format(*arguments)


def method_names(surface: str) -> tuple[str, ...]:
    """The names under which a host may keep the method of a surface, in the order in which they are tried."""
    name = re.sub(r"\W", "_", surface)
    always = f"surface_{name}"
    if name in RESERVED:
        return (always,)
    return (always, f"{name}_" if keyword.iskeyword(name) or name[:1].isdigit() else name)
