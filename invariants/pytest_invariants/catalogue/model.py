"""The shape of an invariant: one property, an id, a page, and a static half, a probe half, or both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_invariants.registry.model import Manner, Surface
from pytest_invariants.verdict import Finding

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.hosts.mcp.seen import Seen
    from pytest_invariants.probe.session import ProbeSession


class Scope(StrEnum):
    SURFACE = "surface"
    """One result a surface."""
    RUN = "run"
    """One result for the run."""
    BOTH = "surface and run"
    """One result a surface, and one for the run."""


Prove = Callable[["Prover", Surface | None], Finding]
Play = Callable[["ProbeSession", Surface | None], Finding]
Judge = Callable[["Seen", str], str]


@dataclass(frozen=True, slots=True)
class Serve:
    """The half that is asked of an MCP server, of each of these methods, or of the connection as a whole (`RUN`).

    `judge` reads what was seen of the server, for one method, and says in a sentence what holds; it raises Fallen for
    what does not, and Lacking where there is nothing to judge. Only with `of_empty` is it asked where a list is empty.
    """

    methods: tuple[str, ...]
    judge: Judge
    of_empty: bool = False


@dataclass(frozen=True, slots=True)
class Invariant:
    """One property. `page` is the module's docstring: its first line is the summary, the rest its documentation.

    `prove` reads source and never imports it; `play` runs the agent through its host. Both get the surface, or None
    where the scope is the run. `serve` is asked of an MCP server, which has neither source nor host. With `manner` it
    is asked only of surfaces of this manner (and of `both`). A module of the catalogue exposes its invariant as
    `INVARIANT`.
    """

    id: str
    family: str
    scope: Scope
    page: str
    prove: Prove | None = None
    play: Play | None = None
    manner: Manner | None = None
    serve: Serve | None = None

    def suits(self, surface: Surface | None) -> bool:
        """Whether it is asked of this surface, or of the run."""
        if surface is None:
            return self.scope is not Scope.SURFACE
        return self.scope is not Scope.RUN and (self.manner is None or surface.manner in (self.manner, Manner.BOTH))

    @property
    def summary(self) -> str:
        return self.page.strip().splitlines()[0]
