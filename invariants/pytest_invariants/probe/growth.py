"""What counts as loaded, after scripts of levers, against the declared policies `loaded` and `compaction`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import settle
from pytest_invariants.verdict import Reason

EXAMPLES, STEPS = 12, 8


class Effect(Enum):
    """What a move does to the set of loaded skills."""

    ADDS = auto()
    KEEPS = auto()
    EMPTIES = auto()
    FREE = auto()
    """Honest agents differ, and nothing is declared of it."""


@dataclass(frozen=True, slots=True)
class Move:
    """A lever, its argument if it has one, and what it may do."""

    lever: str
    argument: str | bool | None
    effect: Effect

    @property
    def arguments(self) -> tuple[object, ...]:
        return () if self.argument is None else (self.argument,)

    def __str__(self) -> str:
        return words(self.lever, *self.arguments)


Script = tuple[Move, ...]
LEVERS: tuple[tuple[str, bool | None], ...] = (
    *(("step", None), ("turn", None), ("compact", None), ("reload", None), ("drop", None), ("connect", None)),
    *(("resume", False), ("resume", True), ("restart", None)),
)


def require(session: ProbeSession, policy: str) -> None:
    """Raises Lacking where the registry does not declare this policy, or the host cannot show it."""
    declared = session.policy("loaded", "")
    if declared != policy:
        raise Lacking(
            f"the registry declares `loaded: {declared}`" if declared else "the registry declares no `loaded`"
        )
    session.need("loaded", "load")


def follow(session: ProbeSession, effects: Mapping[str, Effect]) -> int:
    """Play a script for each lever, then drawn ones; how many levers there are. Raises Fallen for the shortest."""
    from hypothesis import strategies as st

    from pytest_invariants.probe import draw

    levers = [Move(lever, argument, effects[lever]) for lever, argument in LEVERS if session.has(lever)]
    loads = tuple(Move("load", skill, Effect.ADDS) for skill in session.skills)
    grew = False
    for script in _scripts(loads, levers):
        grew |= play(session, script)
    if not grew:
        raise Lacking("every skill counts as loaded from the start; let the host's `open` leave some out")
    moves = st.lists(st.sampled_from((*loads, *levers)), min_size=1, max_size=STEPS)
    draw.played(moves, lambda drawn: _play_drawn(session, drawn), EXAMPLES)
    return len(levers)


def _scripts(loads: Script, levers: list[Move]) -> Iterator[Script]:
    yield (*loads, *loads)
    for move in levers:
        yield (*loads, move, *reversed(loads), move)


def _play_drawn(session: ProbeSession, drawn: list[Move]) -> None:
    play(session, tuple(drawn))


def play(session: ProbeSession, script: Script) -> bool:
    """Play one script, with a look at what is loaded after each move; whether anything came to be loaded."""
    grew = False
    with session.stage() as stage:
        before = _loaded(stage)
        for move in script:
            stage.pull(move.lever, *move.arguments)
            if move.lever not in ("step", "turn"):
                settle(stage)
            after = _loaded(stage)
            _judge(stage, move, before, after)
            grew |= move.effect is Effect.ADDS and len(after) > len(before)
            before = after
    return grew


def _loaded(stage: Stage) -> tuple[str, ...]:
    names = stage.agent.names("loaded")
    stage.script.append(f"loaded: {', '.join(names) or 'nothing'}")
    return names


def _judge(stage: Stage, move: Move, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    if len(set(after)) < len(after):
        _fall(stage, f"a skill counts as loaded twice: {', '.join(after)}", "merge, and keep each name once")
    if move.effect is Effect.EMPTIES and after:
        message = f"{_loaded_still(after, 'still')} after {move}, and `compaction: resets` is declared"
        _fall(stage, message, "read what is loaded off the messages that are left, or declare `compaction: keeps`")
    if move.effect in (Effect.KEEPS, Effect.ADDS):
        _keep(stage, move, before, after)


def _keep(stage: Stage, move: Move, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    lost = [name for name in before if name not in after]
    if lost:
        message = f"{_loaded_still(lost, 'no longer')} after {move}"
        _fall(stage, message, "let nothing take away from what is loaded, or declare another policy")
    wanted = before
    if move.effect is Effect.ADDS and move.argument not in before:
        if move.argument not in after:
            message = f"`{move.argument}` does not count as loaded though {move}"
            raise Fallen(Reason.NOT_SHOWN, message, "correct `load` or `loaded` of the host", tuple(stage.script))
        wanted = (*before, str(move.argument))
    if after != wanted:
        message = f"after {move} the loaded skills are {', '.join(after)}, in this order, and not {', '.join(wanted)}"
        _fall(stage, message, "keep the order of first appearance, and add only what was loaded")


def _loaded_still(names: Sequence[str], how: str) -> str:
    return f"{quoted(names)} {how} {'counts' if len(names) == 1 else 'count'} as loaded"


def _fall(stage: Stage, message: str, remedy: str) -> None:
    raise Fallen(Reason.AGAINST_POLICY, message, remedy, tuple(stage.script))
