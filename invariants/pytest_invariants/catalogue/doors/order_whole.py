"""An order for several skills opens all of them or none.

What it states
    Where one name of an order is sealed, or unknown, nothing of the order comes out, whichever place the name has.

Why it matters
    A model that ordered three skills and got two goes on as if it had three; and whoever reads the log sees an order
    that was refused and half carried out. A whole order can simply be given again without the name that was refused.

A failing example
    ::

        for name in names:
            if sealed(SKILLS[name], turn):
                return Refusal(name)
            turn.open(name)                   # the names before it are open by now

    Refuted, `leaked`: of the order `notes`, `payroll` a part comes out though `payroll` is sealed.

The repair
    Check all names first, then open them.

Its limits
    It is asked of surfaces whose host method takes several names (`def activate(self, *names)`).
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen, Lacking, of_surface
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import without
from pytest_invariants.registry.model import Manner, Surface
from pytest_invariants.verdict import Reason

ID = "order-whole"


@of_surface(ID)
def play(session: ProbeSession, surface: Surface) -> str:
    question = session.named_question(surface)
    groups = session.groups(session.facts[0])
    if len(groups) < 2:
        raise Lacking("the host's `seal_arguments` do not tell at least two skills apart")
    orders = sum(_played(session, facts, question, groups) for facts in session.facts)
    return f"of {orders} orders with a sealed or an unknown name nothing came out"


def _played(session: ProbeSession, facts: Facts, question: Question, groups: tuple[frozenset[str], ...]) -> int:
    with session.stage(facts) as stage:
        if not stage.agent.takes_many(question.surface):
            raise Lacking("the surface takes one name at a time")
        _control(stage, question)
        _none(stage, question, (stage.unknown, session.skills[0]), "unknown")
        _none(stage, question, (session.skills[0], stage.unknown), "unknown")
    session.through(facts, [without(*group) for group in groups], lambda stage: _one_sealed(stage, question))
    return 2 + 2 * len(groups)


def _one_sealed(stage: Stage, question: Question) -> None:
    denied = stage.swapped.world.denied or frozenset()
    sealed, allowed = min(denied), next(skill for skill in stage.session.skills if skill not in denied)
    _none(stage, question, (sealed, allowed), "sealed")
    _none(stage, question, (allowed, sealed), "sealed")


def _control(stage: Stage, question: Question) -> None:
    outcome = stage.agent.ask(question.surface, *stage.session.skills)
    if not outcome.ran:
        message = (
            f"`{question.surface}` refuses an order for all skills though {stage.swapped.world}: {outcome.text:.200}"
        )
        raise Fallen(Reason.NOT_SHOWN, message, "repair what seal-decides shows first", tuple(stage.script))


def _none(stage: Stage, question: Question, names: tuple[str, str], why: str) -> None:
    """Nothing of this order may come out."""
    if not stage.dead and stage.agent.ask(question.surface, *names).ran:
        message = f"of an order for {names[0]} and {names[1]} a part comes out of `{question.surface}`, with one {why}"
        script = (*stage.script, f"{question.surface} is asked for {quoted(names)} at once: something comes out")
        raise Fallen(Reason.LEAKED, message, "check all names before the first is opened", script)


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.SURFACE, page=__doc__ or "", play=play, manner=Manner.NAMED)
