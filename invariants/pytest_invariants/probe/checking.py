"""Whether a script that somebody wrote can be played with this agent; every mistake in it, at once."""

from __future__ import annotations

from collections.abc import Collection

from pytest_invariants.probe.compare import Questions
from pytest_invariants.probe.player import VERBS
from pytest_invariants.probe.script import ALL, Move, Script, ScriptError
from pytest_invariants.probe.session import ProbeSession

SHAPES = {"resume": 1, "load": 1, "pend": 1, "edit": 1, "forge": 1, "search": 1, "call": 3}
"""How many words a kind of move takes; the others take none, and `deny` any number."""


def require_playable(session: ProbeSession, questions: Questions, script: Script) -> None:
    """Raises ScriptError for everything in a script that is not there in this agent, all at once."""
    problems = []
    if script.facts >= len(session.facts):
        problems.append(f"`open {script.facts}`: the host has facts 0 to {len(session.facts) - 1}")
    strangers = set(script.denied) - {*session.skills, ALL}
    problems += [f"`denying {name}`: {_known('skill', session.skills)}" for name in sorted(strangers)]
    problems += [problem for move in script.moves if (problem := _problem(session, questions, move))]
    if problems:
        raise ScriptError("\n".join(problems))


def _problem(session: ProbeSession, questions: Questions, move: Move) -> str:
    if move.verb not in VERBS:
        return f"`{move}`: {_known('move', VERBS)}"
    missing = [need for need in VERBS[move.verb].needs if not session.has(need)]
    if missing:
        return f"`{move}`: the host has no `{'` and no `'.join(missing)}`"
    shape = SHAPES.get(move.verb, 0)
    if move.verb != "deny" and len(move.words) != shape:
        return f"`{move}`: `{move.verb}` takes {shape} word{'' if shape == 1 else 's'}"
    return _unknown_words(session, questions, move)


def _unknown_words(session: ProbeSession, questions: Questions, move: Move) -> str:
    if move.verb == "resume":
        return "" if move.words[0] in ("same", "fresh") else f"`{move}`: write `resume same` or `resume fresh`"
    named = [question.surface for question in questions if not question.lists]
    if move.verb == "call" and move.words[0] not in named:
        return f"`{move}`: {_known('named surface', named)}"
    skills = move.words[1:2] if move.verb == "call" else move.words
    strangers = set(skills) - {*session.skills, ALL}
    return f"`{move}`: {_known('skill', session.skills)}" if strangers else ""


def _known(kind: str, names: Collection[str]) -> str:
    return f"no such {kind}; there are {', '.join(names)}"
