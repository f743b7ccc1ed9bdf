"""A search with a limit fills its places with allowed tools, also when sealed ones would rank higher.

What it states
    For queries that find tools of several skills, and for each group of skills that the seal denies: with the limit 1,
    2, 3 and 5 the search finds as many tools as there are allowed ones among all that match, up to the limit, and none
    of a denied skill.

Why it matters
    A cut of the best hits before the filter lets denied tools eat the places: the model hears "nothing found" about a
    task for which there is a tool. The list is silent about what is sealed, so nobody sees why.

A failing example
    ::

        hits = sorted(tools, key=score, reverse=True)[:limit]
        return [tool for tool in hits if not sealed(tool)]

    Refuted, `starved`: with limit 1 nothing is found, and one allowed tool matches. With the filter first it holds.

The repair
    Filter first, then score, then cut.

Its limits
    The queries are the names of the deferred tools, alone and together; which skill a tool belongs to is what the
    host's `parts` (or `own_tools`) says. The order of the hits is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import lighten, said
from pytest_invariants.probe.worlds import without
from pytest_invariants.verdict import Reason

ID = "search-fills-slots"
ALL = 1000
LIMITS = (1, 2, 3, 5)
QUERIES = 8
REMEDY = "leave out what is sealed before the best hits are cut off"

Hits = Mapping[str, tuple[str, ...]]


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("search", "searchable")
    if not (session.has("parts") or session.has("own_tools")):
        raise Lacking("the host has no `parts` and no `own_tools`, so it cannot be told whose tools are found")
    answers = sum(_under(session, facts) for facts in session.facts)
    if not answers:
        raise Lacking("for no query a tool of a skill that the seal can deny ranks among the first")
    return f"{answers} answers with a limit were filled although sealed tools would have ranked among the first"


def _under(session: ProbeSession, facts: Facts) -> int:
    groups = session.groups(facts)
    with session.stage(facts) as stage:
        lighten(stage)
        hits = {query: stage.agent.names("search", query, ALL) for query in _queries(stage)}
        tools = {skill: _tools(stage, skill) for skill in session.skills}
    answers = 0
    for group in groups:
        denied = frozenset(tool for skill in group for tool in tools[skill])
        if any(denied & set(found[: max(LIMITS)]) for found in hits.values()):
            with session.stage(facts, without(*group)) as stage:
                lighten(stage)
                answers += _ask(stage, hits, denied)
    return answers


def _queries(stage: Stage) -> tuple[str, ...]:
    names = [re.sub(r"\W|_", " ", name) for name in sorted(said(stage, "searchable"))]
    spread = names[:: max(1, len(names) // QUERIES)]
    return (" ".join(names), *spread) if names else ()


def _tools(stage: Stage, skill: str) -> frozenset[str]:
    methods = [method for method in ("parts", "own_tools") if stage.session.has(method)]
    return frozenset(name for method in methods for name in stage.agent.names(method, skill))


def _ask(stage: Stage, hits: Hits, denied: frozenset[str]) -> int:
    """How many answers would have been cut short by a filter that comes too late."""
    telling = 0
    for query, every in hits.items():
        allowed = [name for name in every if name not in denied]
        for limit in LIMITS:
            found = stage.agent.names("search", query, limit)
            stage.script.append(f"a search for {query[:40]!r} with limit {limit} finds {quoted(found) or 'nothing'}")
            if set(found) & denied:
                _fall(
                    stage, Reason.LEAKED, f"a search finds {quoted(set(found) & denied)} though {stage.swapped.world}"
                )
            if len(found) > limit:
                _fall(stage, Reason.STARVED, f"a search with limit {limit} finds {_tools_of(len(found))}")
            if len(found) < min(limit, len(allowed)):
                found_now = f"a search with limit {limit} finds {_tools_of(len(found))}"
                message = f"{found_now}, and {len(allowed)} allowed ones match"
                _fall(stage, Reason.STARVED, f"{message}, while {stage.swapped.world}")
            telling += bool(denied & set(every[:limit]) and allowed)
            stage.script.pop()
    return telling


def _tools_of(count: int) -> str:
    return f"{count} tool{'' if count == 1 else 's'}"


def _fall(stage: Stage, reason: Reason, message: str) -> None:
    raise Fallen(reason, f"{message}, with {stage.facts}", REMEDY, tuple(stage.script))


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
