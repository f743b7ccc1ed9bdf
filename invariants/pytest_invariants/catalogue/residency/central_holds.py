"""What stands in the central list is resident, always.

What it states
    Every name of the central list (`residency.central` in the registry) is in the set of resident tools: under all
    facts of the host, on every loading path, and after every lever that the host has.

Why it matters
    The list in code is the promise that does not depend on files. If a declaration in a file can take a name away
    again, or a path forgets to look into the list, the model loses a tool that everybody counts on.

A failing example
    ::

        def resident(skills):
            declared = {tool for skill in skills for tool in skill.tools if skill.resident}
            return declared or CENTRAL           # the first declaration replaces the list

    Refuted, `disagrees`: `flush_memory` stands in the central list and is not resident.

The repair
    Take the union: `CENTRAL | declared`. Nothing takes away from the list but a change of the code.

Its limits
    The host's `resident` and the functions under `residency.paths` are believed; whether the schema is really in the
    request is the business of the table's snapshot.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "central-holds"


@of_run(ID)
def play(session: ProbeSession) -> str:
    residency = session.registry.residency
    if residency is None or residency.central is None:
        raise Lacking("the registry names no central list under `residency`")
    central = paths.central(session)
    if not central:
        message = f"the central list `{residency.central}` is empty, so nothing can hold"
        raise Fallen(Reason.NOT_SHOWN, message, "name the list that holds the names, or leave `central` out")
    looked = 0
    for path, names in paths.declared(session).items():
        _hold(central, names, f"by the function of the path `{path}`", ())
        looked += 1
    if session.has("resident"):
        looked += _opened(session, central)
    if not looked:
        raise Lacking(
            "the host has no `resident`, and no function under `residency.paths` can be called without arguments"
        )
    return f"the {len(central)} names of the central list are resident in each of {looked} states"


def _opened(session: ProbeSession, central: frozenset[str]) -> int:
    looked = 0
    for facts in paths.everywhere(session):
        with session.stage(facts, REAL) as stage:
            for state in paths.states(stage):
                _hold(central, frozenset(stage.agent.names("resident")), f"with {facts}, {state}", tuple(stage.script))
                looked += 1
    return looked


def _hold(central: frozenset[str], names: frozenset[str], where: str, script: tuple[str, ...]) -> None:
    if central - names:
        message = f"{quoted(central - names)} stands in the central list and is not resident, {where}"
        raise Fallen(
            Reason.DISAGREES, message, "take the union of the list and what is declared; nothing takes away", script
        )


INVARIANT = Invariant(id=ID, family="residency", scope=Scope.RUN, page=__doc__ or "", play=play)
