"""No text tells the model of a tool that is not there.

What it states
    Each tool that the system prompt or a description in the table names can be come by in that step: it stands in the
    table, or a search finds it, or, with `hidden: callable`, it runs when it is called. So it is under each of the
    host's facts, with little loaded and with all, when a server has dropped out, and where the seal says no.

Why it matters
    A prompt is written once and the table is made anew each step. A name that is no longer there sends the model into
    a call that fails, and names what is sealed.

A failing example
    ::

        PROMPT = "Find tools with `tool_search`, and pay with `bank_pay`."

    Refuted, `phantom`: the prompt names `bank_pay`, which is not there. Advice that is given only with the tool that it
    is about holds.

The repair
    Make the text from the table of the same step.

Its limits
    Names are those of the tools that the host can name, under any of its facts. A name that is a common word (letters
    only, in lower case) counts where it stands in quotes, in backticks, or before a parenthesis. Manuals and messages
    are not looked at: a manual may mention a tool without unlocking it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import known_tools, lighten, reachable, said, settle, shown
from pytest_invariants.probe.worlds import DENY, REAL
from pytest_invariants.verdict import Reason

ID = "prompt-names-exist"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "prompt")
    known = known_tools(session)
    named: set[str] = set()
    for facts in session.facts:
        for world in (REAL, DENY):
            with session.stage(facts, world) as stage:
                for _ in () if stage.dead else _states(stage):
                    named |= _look(stage, known)
    if not named:
        raise Lacking("no text names a tool, in any of the states that the host can be brought into")
    return f"{len(named)} tools are named by the prompt or a description, and only where they are there"


def _states(stage: Stage) -> Iterator[None]:
    yield
    lighten(stage)
    yield
    for lever in ("load", "drop"):
        if stage.session.has(lever):
            for skill in stage.session.skills if lever == "load" else [None]:
                stage.pull(lever, *([] if skill is None else [skill]))
            settle(stage)
            yield


def _look(stage: Stage, known: frozenset[str]) -> frozenset[str]:
    there = reachable(stage)
    if stage.session.policy("hidden", "") == "callable":
        there |= said(stage, "executable")
    named: set[str] = set()
    for where, text in _texts(stage):
        found = frozenset(name for name in known if _names(text, name))
        if found - there:
            name = sorted(found - there)[0]
            message = f"{where} names `{name}`, which is not there, with {stage.facts}"
            remedy = "make the text from the table of the same step"
            raise Fallen(Reason.PHANTOM, message, remedy, (*stage.script, f"{where}: {_around(text, name)}"))
        named |= found
    return frozenset(named)


def _texts(stage: Stage) -> Iterator[tuple[str, str]]:
    prompt = stage.agent.call("prompt")
    if not isinstance(prompt, str):
        raise HostError(f"`{stage.agent.name}.prompt` returned {prompt!r:.60}; return the text as a string")
    yield "the prompt", prompt
    table = shown(stage)
    for name, entry in zip(table.names, table.entries, strict=True):
        yield f"the schema of `{name}`", "\n".join(_descriptions(json.loads(entry)))


def _descriptions(value: object) -> Iterator[str]:
    """The texts under `description`, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from (inner,) if key == "description" and isinstance(inner, str) else _descriptions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _descriptions(inner)


def _names(text: str, name: str) -> bool:
    if name not in text:
        return False
    escaped = re.escape(name)
    if re.fullmatch(r"[a-z]+", name):
        return re.search(rf"`{escaped}[`(]|(['\"]){escaped}\1|(?<!\w){escaped}\(", text) is not None
    return re.search(rf"(?<![\w-]){escaped}(?![\w-])", text) is not None


def _around(text: str, name: str) -> str:
    at = text.index(name)
    return " ".join(text[max(0, at - 40) : at + len(name) + 40].split())


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
