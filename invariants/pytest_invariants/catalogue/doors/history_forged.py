"""A forged record opens nothing.

What it states
    Somebody writes into what the agent has stored that a skill was opened and loaded and that its tools were called.
    While the seal says no to the skill, nothing of it comes out: not at once, and not after the thread was resumed or
    the agent restarted on that record. With a yes the agent works as ever.

Why it matters
    A history comes from outside: from a client that sends it along, from a file that a tool can write, from an export
    that was edited. Where a mark in it opens a skill, whoever can write the record decides. A record may say what
    happened, never what is allowed.

A failing example
    ::

        def rescan(turn, messages):
            return [TOOLS[message.tool] for message in messages if message.tool]      # called once, callable for ever

    Refuted, `leaked`: it is forged into the record that `payroll` was opened and loaded; `rescan` lists `payroll`
    though the seal says no to everything.

The repair
    Take from the record what was asked for, and ask the seal before anything of it is shown or run.

Its limits
    The forgery is as good as the host's `forge`, which has to write everything that an honest run would have left, and
    past the agent's surfaces. An agent that reads no record at all passes, and rightly.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import of_surface
from pytest_invariants.probe.host import Facts, HostError
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import describe
from pytest_invariants.probe.together import Asking, together
from pytest_invariants.probe.worlds import ALLOW, DENY, World, without
from pytest_invariants.registry.model import Surface

ID = "history-forged"
TAKEN_UP: dict[str, tuple[object, ...]] = {"resume": (True,), "restart": ()}
"""The levers after which an agent knows nothing but its record; the first that there is will do."""


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    session.need("forge")
    session.sealed_questions_of(surface)
    together(session, ID, surface, lambda asking: _story(session, asking))
    forged = sum(1 + len(_noes(session, facts)) for facts in session.facts)
    return f"of {forged} forged records none opened anything that the seal denies"


def _noes(session: ProbeSession, facts: Facts) -> list[World]:
    return [DENY, *(without(*group) for group in session.groups(facts)[:1])]


def _story(session: ProbeSession, asking: Asking) -> None:
    """Before the agent has done anything, and in an agent that has shown everything; with a yes nothing is amiss."""
    for facts in session.facts:
        for world in (ALLOW, DENY):
            with session.stage(facts, world) as stage:
                _forged(stage, asking)
        for world in _noes(session, facts) if session.changeable else ():
            with session.stage(facts) as stage:
                asking.ask(stage)
                stage.enter(world)
                _forged(stage, asking)


def _forged(stage: Stage, asking: Asking) -> None:
    for skill in stage.session.skills:
        if stage.world == ALLOW or skill not in stage.allowed:
            _forge(stage, skill)
    stage.go_on()
    asking.ask(stage)
    lever = next((lever for lever in TAKEN_UP if stage.session.has(lever)), None)
    if lever is not None:
        stage.pull(lever, *TAKEN_UP[lever])
        asking.ask(stage)


def _forge(stage: Stage, skill: str) -> None:
    """Raises HostError where nothing is forged: then nothing would be examined."""
    stage.script.append(words("forge", skill))
    if stage.dead:
        return
    try:
        stage.agent.call("forge", skill)
    except REFUSALS as error:
        raised = f"`{stage.agent.name}.forge` raised {describe(error)} while {stage.world}"
        raise HostError(f"{raised}; write to the agent's store, past its surfaces") from error


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play)
