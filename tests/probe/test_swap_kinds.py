"""Every kind of callable that may be a seal is swapped, or refused with a message that says what to do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pytest_invariants.probe.swap import swap
from pytest_invariants.probe.target import SwapError
from pytest_invariants.probe.worlds import DENY

from tests.probe.samples import module, seal

MORE = """
import asyncio
import functools

class Gate:
    async def __call__(self, categories, thread_category):
        return bool(categories)

    async def later(self, categories, thread_category):
        return bool(categories)

    @functools.lru_cache
    def remembered(self, categories, thread_category):
        return bool(categories)

    def both(self, strict, categories, thread_category):
        return bool(categories)

    part = functools.partialmethod(both, True)

    @functools.singledispatchmethod
    def single(self, categories, thread_category):
        return bool(categories)

    @property
    def attribute(self):
        return True

class Made:
    def __get__(self, holder, owner):
        return lambda categories, thread_category: bool(categories)

class Holder:
    made = Made()

@functools.singledispatch
def dispatched(categories, thread_category):
    return bool(categories)

@dispatched.register
def _(categories: list, thread_category):
    return False

def plain(categories, thread_category):
    return bool(categories)

gate = Gate()
bound = gate.both
partial_of_bound = functools.partial(gate.both, True)
partial_of_cached = functools.partial(functools.lru_cache(plain), thread_category=None)
shout = lambda categories, thread_category: bool(categories)
"""


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("gate", lambda made: asyncio.run(made.gate((), None))),
        ("gate.later", lambda made: asyncio.run(made.gate.later((), None))),
        ("Gate.later", lambda made: asyncio.run(made.gate.later((), None))),
        ("Gate.remembered", lambda made: made.gate.remembered((), None)),
        ("gate.remembered", lambda made: made.gate.remembered((), None)),
        ("gate.part", lambda made: made.gate.part((), None)),
        ("bound", lambda made: made.bound(True, (), None)),
        ("partial_of_bound", lambda made: made.partial_of_bound((), None)),
        ("partial_of_cached", lambda made: made.partial_of_cached(())),
        ("dispatched", lambda made: made.dispatched([], None)),
        ("shout", lambda made: made.shout((), None)),
    ],
)
def test_more_that_is_swapped(name: str, call: Any) -> None:
    with module(MORE) as made:
        assert call(made) is False
        with swap(seal(f"{made.__name__}:{name}")) as swapped:
            swapped.enter(DENY)
            assert call(made) is True
            assert [each.function for each in swapped.calls] == [f"{made.__name__}:{name}"]
        assert call(made) is False


@pytest.mark.parametrize("name", ["Gate.part", "Gate.single", "Holder.made"])
def test_what_is_made_anew_at_every_look_is_refused(name: str) -> None:
    message = "is made anew whenever it is looked up .*; name the function from which it is made"
    with module(MORE) as made, pytest.raises(SwapError, match=message), swap(seal(f"{made.__name__}:{name}")):
        pass


def test_a_property_is_refused() -> None:
    message = "is no function but property; name the function that decides"
    with module(MORE) as made, pytest.raises(SwapError, match=message), swap(seal(f"{made.__name__}:Gate.attribute")):
        pass
