"""What a run over an MCP server returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_invariants.report.model import Answers, Fault
from pytest_invariants.verdict import Finding

if TYPE_CHECKING:
    from pytest_invariants.catalogue.model import Invariant
    from pytest_invariants.registry.problems import Problem


@dataclass(frozen=True, slots=True)
class ServerReport(Answers):
    """The answers of one run over a server, in the order of the protocol's methods and of the catalogue.

    `offered` counts the things of each kind that were listed, by the kind's word; `tried` counts the uses of a name;
    `methods` are the surfaces.
    """

    target: str
    name: str
    version: str
    protocol: str
    invariants: tuple[Invariant, ...]
    findings: tuple[Finding, ...]
    methods: tuple[str, ...]
    offered: Mapping[str, int]
    tried: int
    faults: tuple[Fault, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def title(self) -> str:
        return self.target

    @property
    def surfaces(self) -> tuple[str, ...]:
        return self.methods

    @property
    def root(self) -> Path:
        return Path()

    @property
    def examined(self) -> bool:
        return any(self.offered.values()) and len(self.unexamined) < len(self.findings)

    def place_of(self, finding: Finding) -> None:
        """A server has no source that could be pointed at."""
        del finding
