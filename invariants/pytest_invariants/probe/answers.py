"""From what a probe saw to a finding: the play of an invariant returns a sentence, or raises what contradicts it."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.target import SwapError
from pytest_invariants.registry.model import Surface
from pytest_invariants.verdict import RUN, Finding, Reason, Step, Verdict

if TYPE_CHECKING:
    from pytest_invariants.probe.session import ProbeSession


class Lacking(Exception):
    """There is nothing to examine: the host lacks a method, or the registry declares nothing of the kind."""


class Fallen(Exception):
    """A counterexample. `script` are the steps that lead to it; `replay` is the text by which they are played again."""

    def __init__(
        self, reason: Reason, message: str, remedy: str, script: tuple[str, ...] = (), replay: str = ""
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.remedy = remedy
        self.script = script
        self.replay = replay


Story = Callable[["ProbeSession", Surface], str]
RunStory = Callable[["ProbeSession"], str]
BothStory = Callable[["ProbeSession", Surface | None], str]
Play = Callable[["ProbeSession", Surface | None], Finding]


def of_surface(invariant: str) -> Callable[[Story], Play]:
    """Make a play of a function that examines one surface and returns, in a sentence, what held."""

    def decorate(story: Story) -> Play:
        @functools.wraps(story)
        def play(session: ProbeSession, surface: Surface | None) -> Finding:
            if surface is None:
                raise ValueError(f"{invariant} is asked of a surface")
            return _told(invariant, surface.id, session, lambda: story(session, surface))

        return play

    return decorate


def of_run(invariant: str) -> Callable[[RunStory], Play]:
    """Make a play of a function that examines the run and returns, in a sentence, what held."""

    def decorate(story: RunStory) -> Play:
        @functools.wraps(story)
        def play(session: ProbeSession, surface: Surface | None = None) -> Finding:
            del surface
            return _told(invariant, RUN, session, lambda: story(session))

        return play

    return decorate


def of_surface_and_run(invariant: str) -> Callable[[BothStory], Play]:
    """Make a play of a function that examines a surface, or the run where it is given none."""

    def decorate(story: BothStory) -> Play:
        @functools.wraps(story)
        def play(session: ProbeSession, surface: Surface | None) -> Finding:
            return _told(invariant, surface.id if surface else RUN, session, lambda: story(session, surface))

        return play

    return decorate


def _told(invariant: str, surface: str, session: ProbeSession, story: Callable[[], str]) -> Finding:
    if session.registry.host is None:
        message = "the registry names no host, so nothing was run"
        remedy = "write a subclass of pytest_invariants.Host and name it under `host:`"
        return Finding(surface, invariant, Verdict.UNEXAMINED, message=message, remedy=remedy)
    try:
        return Finding(surface, invariant, Verdict.HELD, message=story())
    except Lacking as lack:
        return Finding(surface, invariant, Verdict.UNEXAMINED, message=str(lack))
    except Fallen as fallen:
        return _refuted(invariant, surface, fallen)
    except (HostError, SwapError) as error:
        message, _, remedy = str(error).rpartition("; ")
        return _refuted(invariant, surface, Fallen(Reason.HARNESS, message or remedy, remedy))


def _refuted(invariant: str, surface: str, fallen: Fallen) -> Finding:
    return Finding(
        surface,
        invariant,
        Verdict.REFUTED,
        reason=fallen.reason,
        trace=tuple(Step(None, note) for note in (*fallen.script, *_again(fallen))),
        message=fallen.message,
        remedy=fallen.remedy,
    )


def _again(fallen: Fallen) -> tuple[str, ...]:
    return (f"to play it again: invariants play {shlex.quote(fallen.replay)}",) if fallen.replay else ()
