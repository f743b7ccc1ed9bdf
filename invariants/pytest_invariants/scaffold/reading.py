"""All that one pass over a code base tells: its functions, kinds, calls, things, and what its frameworks are handed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_invariants.scaffold.graph import Graph
from pytest_invariants.scaffold.kinds import Types, kinds_of
from pytest_invariants.scaffold.registrars import GATE, Handed, handed
from pytest_invariants.scaffold.survey import Function, Survey
from pytest_invariants.scaffold.things import Things
from pytest_invariants.scaffold.weighing import Scales


@dataclass(frozen=True)
class Reading:
    """What is read once, and asked again and again."""

    survey: Survey
    types: dict[str, Types]
    graph: Graph
    things: Things
    over: tuple[Handed, ...]

    @cached_property
    def handlers(self) -> frozenset[str]:
        """The functions that a framework calls."""
        return frozenset(one.ref for one in self.over if one.role != GATE)

    @cached_property
    def called(self) -> frozenset[str]:
        """Those, and the public functions that nobody calls in the code."""
        alone = (each.ref for each in self.survey.functions.values() if self._is_loose(each))
        return self.handlers | frozenset(alone)

    def _is_loose(self, function: Function) -> bool:
        return function.public and "<locals>" not in function.ref and not self.graph.callers.get(function.ref)

    @property
    def scales(self) -> Scales:
        gates = frozenset(one.ref for one in self.over if one.role == GATE)
        return Scales(self.graph, self.things, self.called, self.handlers, gates)


def read_code(root: Path, code: tuple[str, ...]) -> Reading:
    """Parse everything below the code roots, once."""
    with _nothing_collected():
        survey = Survey(root, code)
        types = kinds_of(survey)
        return Reading(survey, types, Graph.of(survey, types), Things(survey), tuple(handed(survey)))


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Trees are made and kept: to look for garbage among them again and again takes two fifths of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
