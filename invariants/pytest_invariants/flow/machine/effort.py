"""Where the steps of an activation went, and which values of unknown type made the prover follow the callee that took most."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.verdict import Place, Step

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis
    from pytest_invariants.flow.machine.machine import Machine
    from pytest_invariants.flow.relevance.reach import Reach

MOST = 0.5
"""The share of the steps from which on one callee is named alone."""
SHOWN = 6
"""Callees and sites that are named."""


@dataclass
class Effort:
    """Steps by caller and callee, what the callee calls included."""

    steps: dict[tuple[FunctionInfo | None, FunctionInfo], int] = field(default_factory=dict)
    _open: set[tuple[FunctionInfo | None, FunctionInfo]] = field(default_factory=set)

    @contextmanager
    def following(self, m: Machine) -> Iterator[None]:
        """Count what the callee on top of the stack takes; one that comes back to itself is counted once."""
        caller, callee = ([None, *m.stack])[-2:]
        assert callee is not None
        edge, before = (caller, callee), m.steps
        again = edge in self._open
        self._open.add(edge)
        try:
            yield
        finally:
            if not again:
                self._open.discard(edge)
                self.steps[edge] = self.steps.get(edge, 0) + m.steps - before

    def heaviest(self) -> list[tuple[FunctionInfo, float]]:
        """The way down to the callee that took most: each with its share of all steps, as long as that is more than half of
        what its caller took."""
        way: list[tuple[FunctionInfo, float]] = []
        caller, taken, whole = None, 0, 0
        while True:
            below = {callee: n for (above, callee), n in self.steps.items() if above is caller}
            caller, steps = max(below.items(), key=lambda pair: (pair[1], pair[0].reference), default=(None, 0))
            if caller is None or steps <= taken * MOST or any(caller is one for one, _ in way):
                return way
            taken, whole = steps, whole or steps
            way.append((caller, min(1.0, steps / whole)))


def trace(way: list[tuple[FunctionInfo, float]]) -> tuple[Step, ...]:
    """One step for each callee on the way."""
    return tuple(Step(info.place, f"{share:.0%} of the steps: `{info.qualname}`") for info, share in way[-SHOWN:])


def sites(m: Analysis, info: FunctionInfo) -> tuple[Step, ...]:
    """The attributes of values of unknown type for which a callee had to be followed: each with a method that it may be."""
    assert m.reach is not None
    holder = _first_with(m.reach, info)
    if holder is None:
        return ()
    names = {text.rpartition(".")[2] for text in _unknown(m.reach, holder)}
    found = {node.attr: node for node in reversed(m.reach.mentions.of_anything(holder)) if node.attr in names}
    steps = [Step(Place(holder.path, node.lineno), _said(m.reach, node)) for node in found.values()]
    return tuple(sorted(steps, key=lambda step: (step.at or holder.place).line)[:SHOWN])


def _said(reach: Reach, node: ast.Attribute) -> str:
    methods = sorted(i.qualname for i in reach.m.functions.values() if i.name == node.attr and reach.matters(i))
    meant = f"may be `{methods[0]}`" if methods else "may lead to the seal or to a capability"
    return f"`{ast.unparse(node)[:60]}` {meant}: its type is not known"


def _unknown(reach: Reach, info: FunctionInfo) -> list[str]:
    """Methods that a function may mean which it reads of values of unknown type."""
    return [text for text in reach.mentions.of(info) & reach.relevant if "." in text and ":" not in text]


def _first_with(reach: Reach, info: FunctionInfo) -> FunctionInfo | None:
    """The function itself, or the nearest one that it calls, which reads attributes of values of unknown type."""
    known = {one.reference: one for one in reach.m.functions.values()}
    seen, queue = {info}, [info]
    for one in queue:
        if _unknown(reach, one):
            return one
        callees = sorted(reach.mentions.of(one) & reach.relevant & set(known))
        new = [known[text] for text in callees if known[text] not in seen]
        seen.update(new)
        queue += new
    return None


__all__ = ["Effort", "sites", "trace"]
