"""The search tool is in the table if and only if there is something to find, and it finds just that.

What it states
    Under each of the host's facts, and after each lever: the search tool is in the table exactly when some tool is
    deferred. No deferred tool is in the table; each is found by its own name; nothing else is found.

Why it matters
    Without a search tool what is deferred is lost. A search tool with nothing to find costs a step, and tells the model
    of tools that are not there. One that finds what is shown, or sealed, is a second list with rules of its own.

A failing example
    ::

        tools = [*direct, *([search] if model.supports_search else [])]     # also where nothing is deferred

    Refuted, `disagrees`: `tool_search` is in the table and no tool is deferred. With `if deferred` it holds.

The repair
    Split the tools once into shown and deferred, and let the search tool and the search itself read the second part.

Its limits
    "Its own name" is searched for with spaces between the words as well. What a good ranking is, is not judged.
"""

from __future__ import annotations

import re

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import said, settle, shown
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "search-iff-deferred"
ALL = 1000
REMEDY = "split the tools once a step into shown and deferred, and let the search read the second part"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "searchable", "search_tool")
    states: list[bool] = []
    for facts in session.facts:
        with session.stage(facts, REAL) as stage:
            for _ in () if stage.dead else paths.states(stage):
                settle(stage)
                states.append(_look(stage))
    if not any(states):
        raise Lacking("no tool is deferred in any of the states that the host can be brought into")
    return f"the search tool is there in {sum(states)} states with something to find, and not in {states.count(False)}"


def _look(stage: Stage) -> bool:
    table, deferred = shown(stage), said(stage, "searchable")
    tool = str(stage.agent.call("search_tool"))
    if (tool in table.names) is not bool(deferred):
        there = f"`{tool}` is in the table and no tool is deferred"
        lost = f"`{tool}` is not in the table, and nobody finds {quoted(sorted(deferred)[:5])}, which it would find"
        _fall(stage, lost if deferred else there)
    if deferred & set(table.names):
        _fall(stage, f"{quoted(deferred & set(table.names))} is deferred and stands in the table")
    if stage.session.has("search"):
        _search(stage, deferred)
    return bool(deferred)


def _search(stage: Stage, deferred: frozenset[str]) -> None:
    for name in sorted(deferred):
        found = {hit for query in (name, _spaced(name)) for hit in stage.agent.names("search", query, ALL)}
        if name not in found:
            _fall(stage, f"`{name}` is deferred, and a search for its name does not find it")
        if found - deferred:
            _fall(stage, f"a search for `{name}` finds {quoted(found - deferred)}, which is not deferred")


def _spaced(name: str) -> str:
    return re.sub(r"\W|_", " ", name)


def _fall(stage: Stage, message: str) -> None:
    raise Fallen(Reason.DISAGREES, f"{message}, with {stage.facts}", REMEDY, tuple(stage.script))


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
