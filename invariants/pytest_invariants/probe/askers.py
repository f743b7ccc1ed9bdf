"""Two who ask: in turn, and one in the middle of the other's turn, with a seal that tells them apart."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.company import asker_of, beside, same_subjects, told_apart
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import expect, judged
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Shown, Stage
from pytest_invariants.probe.worlds import ALLOW, World, only, without
from pytest_invariants.verdict import Reason

LIMIT = 2.0
"""Seconds that one turn may take while another waits for it."""

Pair = tuple[Stage, Stage]


class Apart(Exception):
    """Two askers could not be examined; the message says why."""


@contextmanager
def pair(session: ProbeSession) -> Iterator[Pair]:
    """Two agents, or two threads of one, on whose behalf the seal is asked with different values. Raises Apart."""
    if not session.changeable:
        raise Apart("the host has no lever `step` or `turn`, so an open agent hears no change")
    facts = _others(session)
    with session.stage() as first, beside(first, facts) as second:
        first.asker, second.asker = asker_of(first), asker_of(second)
        if not same_subjects(session, first, second):
            raise Apart("`seal_arguments` names other subjects for the second asker")
        yield first, second


def _others(session: ProbeSession) -> Facts:
    """The first of the host's facts with which the seal is asked on somebody else's behalf."""
    with session.stage() as stage:
        mine = asker_of(stage)
    if mine is None:
        raise Apart("`seal_arguments` does not name the principal")
    for facts in session.facts[1:]:
        with session.stage(facts) as stage:
            if told_apart(mine, asker_of(stage)):
                return facts
    raise Apart("under all of the host's facts the same one asks")


def worlds(session: ProbeSession, two: Pair) -> list[World]:
    """A no to the first asker alone, and to the second alone, about the first skills or about the last ones."""
    groups = session.groups(two[0].facts)
    ends = dict.fromkeys((groups[0], groups[-1])) if groups else [frozenset(session.skills)]
    return [only(without(*group), stage.asker) for group in ends for stage in two if stage.asker is not None]


def in_turn(session: ProbeSession, question: Question) -> None:
    """Each is asked twice, one after the other. Raises Fallen where one gets the other's answer."""
    with pair(session) as two:
        for world in [ALLOW, *worlds(session, two)]:
            _enter(two, world)
            for stage in (*two, *two):
                expect(stage, question)


def at_once(session: ProbeSession, question: Question) -> None:
    """The second asks while the first waits for the seal, and the other way round.

    Raises Fallen where one gets the other's answer, and Apart where they cannot be asked so even while all is allowed.
    """
    if not session.has("beside"):
        raise Apart("the host has no `beside`")
    with pair(session) as two:
        for outer, inner in (two, two[::-1]):
            _control(outer, inner, question)
        for world in worlds(session, two):
            _enter(two, world)
            for outer, inner in (two, two[::-1]):
                _overlap(outer, inner, question)


def _enter(two: Pair, world: World) -> None:
    first, second = two
    if world != first.swapped.world:
        first.enter(world)
        second.go_on()
    second.script = [*first.script]


def _control(outer: Stage, inner: Stage, question: Question) -> None:
    """Somebody else may keep them apart: a lock, a connection that belongs to one thread."""
    try:
        _overlap(outer, inner, question)
    except Fallen as fallen:
        if fallen.reason not in (Reason.NOT_SHOWN, Reason.STALE_VERDICT):
            raise
        raise Apart(f"two turns at once do not work even while all is allowed: {fallen.message}") from fallen


def _overlap(outer: Stage, inner: Stage, question: Question) -> None:
    """Judge what each shows when the inner turn takes place while the outer one is under way."""
    method = outer.agent.method_of(question.surface)
    awaits = inspect.iscoroutinefunction(getattr(outer.agent.host, str(method)))
    ways = [_side_by_side] if awaits else [_nested]
    if awaits and outer.swapped.awaited:
        ways.append(_in_the_midst)
    for way in ways:
        for stage in (outer, inner):
            stage.script.append(f"in the middle of one turn another is made, of {inner.facts}")
        for stage, shown in zip((outer, inner), way(outer, inner, question), strict=True):
            judged(stage, shown)


def _nested(outer: Stage, inner: Stage, question: Question) -> tuple[Shown, Shown]:
    """While the outer turn waits for the seal the whole inner one takes place, in a thread of its own.

    Where it waits for the outer one, it is waited for afterwards.
    """
    ends: list[Shown] = []
    thread = threading.Thread(target=lambda: ends.append(inner.ask(question)), daemon=True)

    def meanwhile() -> None:
        thread.start()
        thread.join(LIMIT)

    with _at_the_seal(outer, meanwhile):
        mine = outer.ask(question)
    if not thread.ident:
        raise Apart(f"the seal is not asked on the way to `{question.surface}`")
    thread.join(LIMIT)
    if not ends:
        raise Apart(f"`{question.surface}` does not come back when two turns are made at once")
    return mine, ends[0]


def _side_by_side(outer: Stage, inner: Stage, question: Question) -> tuple[Shown, Shown]:
    """Two tasks on one loop: each goes on where the other waits."""

    async def both() -> tuple[Shown, Shown]:
        return await asyncio.gather(outer.ask_later(question), inner.ask_later(question))

    shown: tuple[Shown, Shown] = outer.agent.run(both())
    return shown


def _in_the_midst(outer: Stage, inner: Stage, question: Question) -> tuple[Shown, Shown]:
    """While the outer task waits for the seal the whole inner one takes place."""

    async def both() -> tuple[Shown, Shown]:
        tasks: list[asyncio.Task[Shown]] = []

        def meanwhile() -> Any:
            tasks.append(asyncio.ensure_future(inner.ask_later(question)))
            return asyncio.wait(tasks, timeout=LIMIT)

        with _at_the_seal(outer, meanwhile):
            mine = await outer.ask_later(question)
        if not tasks:
            raise Apart(f"the seal is not asked on the way to `{question.surface}`")
        return mine, await tasks[0]

    shown: tuple[Shown, Shown] = outer.agent.run(both())
    return shown


@contextmanager
def _at_the_seal(stage: Stage, meanwhile: Callable[[], Any]) -> Iterator[None]:
    stage.swapped.meanwhile = meanwhile
    try:
        yield
    finally:
        stage.swapped.meanwhile = None
