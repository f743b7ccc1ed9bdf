"""Whatever path the agent was loaded by, the same tools are resident.

What it states
    A resident tool is in every request. With and without a skill loader, and on every other path that the registry
    names under `residency.paths`, the set of resident tools is equal: when the agent opens, and after each lever that
    the host has (the next step, loading, reloading, resuming, restarting, compaction, a server that connects).

Why it matters
    Paths without a loader are real: integration tests, a bridge to a child process, the rehearsal of a restart. A
    snapshot covers only the path that it was taken on, so a tool can be lost on the other one while all is green.

A failing example
    ::

        def resident(loader):
            return {tool for skill in (loader.skills if loader else ()) if skill.resident for tool in skill.tools}

    With a loader eight tools are resident, without one none is: refuted, `disagrees`.

The repair
    Let one function answer, from sources that every path has: a central list in code, to which declarations only add.

Its limits
    What is compared is what the host's `resident` reports, and what functions under `residency.paths` return that can
    be called without arguments. Whether these tools *should* be resident is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "paths-agree"

Sets = Mapping[str, frozenset[str]]


@of_run(ID)
def play(session: ProbeSession) -> str:
    by_function = paths.declared(session)
    _compare(by_function, "by the functions of the registry")
    compared = len(by_function)
    if session.has("resident"):
        for facts in paths.bases(session):
            compared += _opened(session, facts)
    if compared < 2:
        raise Lacking(
            "no two paths can be compared: the host has no `resident`, and fewer than two functions under "
            "`residency.paths` can be called without arguments"
        )
    return f"on {', '.join(paths.names(session))} the same tools are resident, in {compared} comparisons"


def _opened(session: ProbeSession, facts: Facts) -> int:
    """The same levers on every path, and the sets side by side after each."""
    seen: dict[str, dict[str, frozenset[str]]] = {}
    for path in paths.names(session):
        with session.stage(paths.on_path(facts, path), REAL) as stage:
            for state in paths.states(stage):
                seen.setdefault(state, {})[path] = frozenset(stage.agent.names("resident"))
    for state, sets in seen.items():
        _compare(sets, f"with {facts}, {state}")
    return sum(len(sets) for sets in seen.values())


def _compare(sets: Sets, where: str) -> None:
    first = next(iter(sets), None)
    for path, names in sets.items():
        if first is not None and names != sets[first]:
            more, less = names - sets[first], sets[first] - names
            script = tuple(f"{each}: {quoted(found) or 'nothing'} is resident" for each, found in sets.items())
            lost = f"{quoted(less)} is resident on `{first}` and not on `{path}`" if less else ""
            gained = f"{quoted(more)} is resident on `{path}` and not on `{first}`" if more else ""
            message = f"{' and '.join(filter(None, (lost, gained)))}, {where}"
            raise Fallen(Reason.DISAGREES, message, "let one function answer, from sources that every path has", script)
    if sets and not any(sets.values()):
        message = f"no tool at all is resident, {where}"
        raise Fallen(
            Reason.NOT_SHOWN, message, "correct the host's `resident`, or leave it out where nothing is resident"
        )


INVARIANT = Invariant(id=ID, family="residency", scope=Scope.RUN, page=__doc__ or "", play=play)
