"""Which names bear on an answer: where a function that was not followed mentions none of them, it may say what it likes.

A function that is not followed is seen by what its text mentions (`flow.reach`), whom it calls by a plain name
(`flow.doors`) and what it takes as a value (`flow.handed`). All that is searched from the seal, the capabilities and the
doors outwards, or asked of one function. So it is enough to know the names by which a search came to anything: they are
those of what it reached or was asked for, and of all that stands for it in a module or a class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.values import Module, Value
from pytest_invariants.flow.domain.wrapped import plain_function
from pytest_invariants.flow.relevance.mentions import REFLECTION

if TYPE_CHECKING:
    from pytest_invariants.flow.judging.doors import Inventory
    from pytest_invariants.flow.machine.analysis import Analysis

_LAST = re.compile(r"\w+$")


def names_that_bear(m: Analysis, inventory: Inventory) -> frozenset[str]:
    """The names, once all surfaces and doors were judged. Names of the program's modules are among them: what they have
    may be given by a function of theirs."""
    reaches = [reach for reach in (m.reach, inventory.reach) if reach is not None]
    texts = m.program.read.mentioned.union(*(reach.relevant | reach.reflective for reach in reaches))
    above = _above(inventory.callers, set(inventory.activations))
    last = {found.group() for text in (*texts, *above) if (found := _LAST.search(text))}
    return frozenset({*REFLECTION, *last, *_standing_for(m, texts, above), *m.program.read.taken})


def _above(callers: Mapping[str, set[str]], doors: set[str]) -> set[str]:
    """The doors, and all that calls them over any number of steps."""
    found, stack = set(doors), list(doors)
    while stack:
        new = callers.get(stack.pop(), set()) - found
        found |= new
        stack += new
    return found


def _standing_for(m: Analysis, texts: set[str], above: set[str]) -> Iterator[str]:
    assert m.reach is not None
    held = m.reach.mentions.held
    for name, value in _bound(m):
        function = plain_function(value)
        called = function is not None and function.info.reference in above
        if called or isinstance(value, Module) or not texts.isdisjoint(held.mentions(value)):
            yield name


def _bound(m: Analysis) -> Iterator[tuple[str, Value]]:
    """What names of modules and members of classes stand for."""
    for frame, names in list(m.world.frames.items()):
        if frame.startswith("module "):
            yield from ((name, m.resolve_import(value, m.world)) for name, value in list(names.items()))
    for cls in m.classes.values():
        yield from ((name, value) for name, value in cls.namespace.items() if isinstance(value, Value))
