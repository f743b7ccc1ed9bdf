"""The registry as data: frozen, typed, with the line at which each row stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path

from pytest_invariants.verdict import Place


@dataclass(frozen=True, slots=True)
class Reference:
    """`module:qualname`, as the registry writes it. `qualname` is empty for a module as a whole."""

    module: str
    qualname: str

    @classmethod
    def parse(cls, text: str) -> Reference:
        module, _, qualname = text.partition(":")
        return cls(module, qualname)

    def __str__(self) -> str:
        return f"{self.module}:{self.qualname}" if self.qualname else self.module


class VerdictKind(StrEnum):
    """How the seal says yes."""

    SEALED = "sealed"
    """Falsy means allowed."""
    ALLOWED = "allowed"
    """Truthy means allowed."""
    RAISES = "raises"
    """A normal return means allowed."""
    FILTERS = "filters"
    """The allowed elements of the subject are returned."""
    ENTERS = "enters"
    """Entering the context manager means allowed."""
    IS = "is"
    """One value, and no other, means allowed; `Seal.allowed_value` names it."""
    ATTRIBUTE = "attribute"
    """A truthy attribute means allowed; `Seal.attribute` names it."""


class Grant(StrEnum):
    VALUE = "value"
    """Let out where the value leaves the surface."""
    CALL = "call"
    """Let out where the call happens, or is scheduled to happen."""


class Manner(StrEnum):
    BROWSE = "browse"
    NAMED = "named"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Seal:
    """The one function that decides. `principal` maps a parameter to where its value rightly comes from, or to None."""

    function: Reference
    kind: VerdictKind
    subject: tuple[str, ...]
    principal: Mapping[str, Reference | None]
    state: tuple[Reference, ...]
    at: Place
    allowed_value: Reference | None = None
    attribute: str | None = None
    aliases: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Capability:
    """Where a capability comes from: exactly one of `of` and `decorated` is set."""

    of: Reference | None
    decorated: Reference | None
    grant: Grant
    at: Place


@dataclass(frozen=True, slots=True)
class Surface:
    id: str
    function: Reference
    manner: Manner
    at: Place
    hidden_but_callable: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """The argument `key` of `of` names the object that comes out."""

    of: Reference
    key: str
    at: Place


@dataclass(frozen=True, slots=True)
class Exemption:
    function: Reference
    reason: str
    expires: date | None
    at: Place


@dataclass(frozen=True, slots=True)
class Cache:
    """A declared cache: right as long as its key holds all of `key` (`subject`, `principal`)."""

    of: Reference
    key: tuple[str, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class Residency:
    central: Reference | None
    paths: Mapping[str, Reference]
    at: Place


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry that has been read. `path` is the file, `root` the repository's root (an absolute folder)."""

    path: Path
    root: Path
    code: tuple[str, ...]
    seal: Seal
    capabilities: tuple[Capability, ...]
    surfaces: tuple[Surface, ...]
    relations: tuple[Relation, ...] = ()
    exempt: tuple[Exemption, ...] = ()
    caches: tuple[Cache, ...] = ()
    host: Reference | None = None
    residency: Residency | None = None
    snapshots: Mapping[str, Reference] = field(default_factory=dict)
    policies: Mapping[str, str] = field(default_factory=dict)
    open_classes: tuple[Reference, ...] = ()
    """Classes and protocols that other packages may implement (`open: [...]`)."""
    skills: tuple[str, ...] = ()
    """The folders in which skills lie, relative to the root; no other folder is looked at."""
