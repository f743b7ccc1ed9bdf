"""Worlds: what the swapped seal says. A world is data; `voice.py` says it in the way that the agent's seal speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_invariants.probe.matching import same
from pytest_invariants.registry.model import VerdictKind


class Fault(StrEnum):
    """Ways in which a seal fails to answer. Whatever it is, nothing may come out."""

    RAISES = "raises an error"
    TIMES_OUT = "times out"
    HANGS = "hangs"
    CANCELLED = "is cancelled"
    NONE = "returns None"
    TRUE = "returns True where another value is meant"
    TRUTHY = "returns a non-empty string"
    EMPTY = "returns an empty string"
    BARE = "returns an object that has not the attribute"


_ALWAYS = (Fault.RAISES, Fault.TIMES_OUT, Fault.HANGS)

FAULTS: dict[VerdictKind, tuple[Fault, ...]] = {
    VerdictKind.SEALED: (*_ALWAYS, Fault.TRUTHY),
    VerdictKind.ALLOWED: (*_ALWAYS, Fault.NONE, Fault.EMPTY),
    VerdictKind.RAISES: _ALWAYS,
    VerdictKind.FILTERS: (*_ALWAYS, Fault.NONE),
    VerdictKind.ENTERS: (*_ALWAYS, Fault.NONE),
    VerdictKind.IS: (*_ALWAYS, Fault.NONE, Fault.TRUE, Fault.TRUTHY),
    VerdictKind.ATTRIBUTE: (*_ALWAYS, Fault.NONE, Fault.BARE),
}
"""The faults that are none of the kind's ways to say yes (None *is* a yes where falsy means allowed)."""


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose behalf the seal is asked: the values of its principal's parameters."""

    values: tuple[tuple[str, object], ...]

    def is_who(self, principal: Mapping[str, object]) -> bool:
        """Whether a call of the seal was on his behalf."""
        return all(same(value, principal[name]) for name, value in self.values)

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r:.60}" for name, value in self.values)


@dataclass(frozen=True, slots=True)
class World:
    """What the seal answers: for `denied` skills no, for all others yes.

    `denied` is None where it says no to everything, whatever it is asked. With a `fault` it does not answer at all.
    `real` leaves the answer to the agent's own seal, `real_to_strangers` only where it is asked about what is no skill.
    With `to` it is said to this asker alone; others hear a yes.
    """

    denied: frozenset[str] | None = frozenset()
    fault: Fault | None = None
    real: bool = False
    real_to_strangers: bool = False
    to: Asker | None = None

    def heard_by(self, asker: Asker | None) -> World:
        """What one asker hears of it."""
        return self if self.to is None or self.to == asker else ALLOW

    def binds(self, principal: Mapping[str, object]) -> bool:
        """Whether a call on behalf of this principal hears it."""
        return self.to is None or self.to.is_who(principal)

    def allows(self, skill: str) -> bool:
        return self.fault is None and self.denied is not None and skill not in self.denied

    def refuses(self, skills: frozenset[str]) -> bool:
        """Whether the answer is no when the seal is asked about these skills (none, where nothing known matches)."""
        return self.denied is None or bool(self.denied & skills)

    def __str__(self) -> str:
        if self.real:
            return "the seal is the agent's own"
        if self.fault is not None:
            return f"the seal {self.fault}"
        if self.denied is None:
            return f"the seal says no to everything{self._to}"
        if not self.denied:
            return "the seal says yes to everything"
        return f"the seal says no to {', '.join(sorted(self.denied))}{self._to} and yes to the rest"

    @property
    def _to(self) -> str:
        return f" asked with {self.to}" if self.to else ""


ALLOW = World()
DENY = World(denied=None)
REAL = World(real=True)


def without(*skills: str) -> World:
    """The seal says no to these skills, and yes to the rest."""
    return World(denied=frozenset(skills))


def only(world: World, asker: Asker) -> World:
    """The same, said to one asker alone."""
    return replace(world, to=asker)


def faults(kind: VerdictKind, awaited: bool) -> tuple[World, ...]:
    """A world for every fault of a seal of this kind; only a seal that is awaited can be cancelled."""
    every = (*FAULTS[kind], Fault.CANCELLED) if awaited else FAULTS[kind]
    return tuple(World(fault=fault) for fault in every)
