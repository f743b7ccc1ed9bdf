"""Asking for things by name: the skills of a surface, or the parts of skills, by any spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.host import HostError, Outcome
from pytest_invariants.probe.spelling import spellings
from pytest_invariants.probe.stage import Stage
from pytest_invariants.verdict import Reason

MOST = 5
"""Names of one skill that are spelled in every way: a namespace may have hundreds of tools."""
REMEDY = "make one name of every spelling before anything is looked up, and ask the seal about what was found"


@dataclass(frozen=True, slots=True)
class Spelled:
    """Another spelling of a name that belongs to a skill."""

    skill: str
    name: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Naming:
    """One way to ask by name. `what` are the things in words, `names` says which a skill has."""

    what: str
    where: str
    names: Callable[[Stage, str], Iterable[str]]
    more: Callable[[Stage, str], Iterable[str]]
    ask: Callable[[Stage, str], Outcome]

    def spelled(self, stage: Stage) -> list[Spelled]:
        """Every other spelling, but for those that are plain names themselves.

        Raises Fallen where a plain name does not come out though the seal allows everything.
        """
        names = {skill: tuple(self.names(stage, skill)) for skill in stage.session.skills}
        plain = {name for several in names.values() for name in several}
        some = [(skill, name) for skill, several in names.items() for name in several[:MOST]]
        for skill, name in some:
            outcome = self.ask(stage, name)
            if not outcome.ran:
                raise self._not_shown(stage, skill, name, outcome)
        self._check_sentinel(stage)
        return [
            Spelled(skill, name, spelling.kind, spelling.text)
            for skill, name in some
            for spelling in spellings(name, self.more(stage, skill))
            if spelling.text not in plain
        ]

    def _check_sentinel(self, stage: Stage) -> None:
        """Raises HostError where something is said to come out for what nothing has."""
        if self.ask(stage, stage.unknown).ran:
            said = f"something comes out{self.where} for `{stage.unknown}`, a name that nothing has"
            raise HostError(f"{said}; let the host say by a sentinel whether anything came out")

    def comes_out(self, stage: Stage, text: str) -> bool:
        return not stage.dead and self.ask(stage, text).ran

    def closed(self, stage: Stage, accepted: Iterable[Spelled]) -> None:
        """Raises Fallen for the first spelling by which a denied skill comes out."""
        for spelled in accepted:
            before = len(stage.swapped.calls)
            with strangers_to_the_own_seal(stage):
                came_out = spelled.skill not in stage.allowed and self.comes_out(stage, spelled.text)
            if came_out:
                raise self._leak(stage, spelled, before)

    def _leak(self, stage: Stage, spelled: Spelled, before: int) -> Fallen:
        calls = stage.swapped.calls[before:]
        astray = bool(calls) and not any(spelled.skill in call.skills for call in calls)
        asked = "; the seal was not asked about it" if astray else "" if calls else "; the seal was not asked once"
        which = f"{spelled.text!r} (`{spelled.name}` {spelled.kind})"
        message = f"{which} comes out{self.where} though {stage.world}{asked}"
        script = (*stage.script, f"{spelled.text!r} is asked for{self.where}: it comes out")
        return Fallen(Reason.WRONG_SUBJECT if astray else Reason.LEAKED, message, REMEDY, script)

    def _not_shown(self, stage: Stage, skill: str, name: str, outcome: Outcome) -> Fallen:
        of = "" if name == skill else f" of `{skill}`"
        said = f": {outcome.text:.200}" if outcome.text else ""
        message = f"`{name}`{of} does not come out{self.where} though {stage.world}{said}"
        return Fallen(Reason.NOT_SHOWN, message, "repair what seal-decides shows first", tuple(stage.script))


@contextmanager
def strangers_to_the_own_seal(stage: Stage) -> Iterator[None]:
    """Leave to the agent's own seal what is no skill: a spelling that is asked about as such is its affair."""
    before = stage.swapped.world
    stage.swapped.world = replace(before, real_to_strangers=before.denied is not None)
    try:
        yield
    finally:
        stage.swapped.world = before


def skills_of(surface: str) -> Naming:
    """The skills, asked for at one surface."""
    return Naming(
        what="the skills",
        where=f" of `{surface}`",
        names=lambda _stage, skill: (skill,),
        more=_more,
        ask=lambda stage, text: stage.agent.ask(surface, text),
    )


def parts() -> Naming:
    """The parts of the skills, reached in the way that the agent has for each."""
    return Naming(
        what="the parts of the skills",
        where="",
        names=lambda stage, skill: stage.agent.names("parts", skill),
        more=lambda _stage, _skill: (),
        ask=lambda stage, text: stage.agent.outcome("reach", text),
    )


def _more(stage: Stage, skill: str) -> Iterable[str]:
    return stage.agent.names("spellings", skill) if stage.session.has("spellings") else ()
