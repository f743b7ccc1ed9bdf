"""The registry that is being proposed, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A capability: what it is, how it gets out, and what speaks for it; unsure ones are left for people to judge."""

    ref: str
    grant: str
    evidence: str
    sure: bool = True
    decorated: bool = False


@dataclass(frozen=True)
class Draft:
    """What has to be known before the doors can be looked for."""

    code: tuple[str, ...]
    seal: str
    verdict: str
    subject: tuple[str, ...]
    principal: dict[str, str | None]
    state: tuple[str, ...]
    capabilities: tuple[Source, ...]
    evidence: tuple[str, ...] = ()
    """What speaks for the seal."""
