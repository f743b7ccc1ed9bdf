"""The seal is swapped where it is defined, every captured reference sees it, and it always comes back."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from pytest_invariants.probe.host import Where
from pytest_invariants.probe.swap import swap
from pytest_invariants.probe.target import SwapError
from pytest_invariants.probe.worlds import ALLOW, DENY, REAL, without
from pytest_invariants.registry.model import Reference, VerdictKind

from tests.probe.samples import module, seal

PLAIN = """
def sealed(categories, thread_category=None):
    return bool(categories) and thread_category not in categories
"""
ARGUMENTS = {"notes": {"categories": ("home",)}, "payroll": {"categories": ["office", "bank"]}}


def test_every_world_is_heard_through_a_captured_reference() -> None:
    with module(PLAIN) as made:
        captured = made.sealed
        with swap(seal(f"{made.__name__}:sealed")) as swapped:
            swapped.arguments = ARGUMENTS
            assert captured(["home"], "office") is False
            swapped.enter(DENY)
            assert captured([], None) is True
            swapped.enter(without("payroll"))
            assert [captured(("office", "bank"), "x"), captured(["home"], "x")] == [True, False]
            swapped.enter(REAL)
            assert captured(["home"], "office") is True
        assert captured(["home"], "home") is False


def test_the_spy_binds_arguments_to_the_seals_parameters() -> None:
    with module(PLAIN) as made, swap(seal(f"{made.__name__}:sealed")) as swapped:
        swapped.arguments = ARGUMENTS
        made.sealed(thread_category="bank", categories=("home",))
        made.sealed(["office", "bank"])
        first, second = swapped.calls
    assert (first.skills, first.principal) == ({"notes"}, {"thread_category": "bank"})
    assert (second.skills, second.principal) == ({"payroll"}, {"thread_category": None})
    assert second.subject == {"categories": ["office", "bank"]}
    assert first.function == f"{made.__name__}:sealed"


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("categories, thread_category", lambda made: made.sealed(["home"], "x")),
        ("categories, thread_category=None", lambda made: made.sealed(["home"])),
        ("categories, /, thread_category", lambda made: made.sealed(["home"], thread_category="x")),
        ("*, categories=('home',), thread_category=None", lambda made: made.sealed()),
        ("categories, *more, thread_category=None", lambda made: made.sealed(["home"], 1, 2)),
        ("categories, thread_category=None, **more", lambda made: made.sealed(["home"], other=1)),
    ],
)
def test_arguments_are_bound_however_they_are_given(head: str, call: Any) -> None:
    with module(f"def sealed({head}):\n    return False\n") as made, swap(seal(f"{made.__name__}:sealed")) as swapped:
        swapped.arguments = {"notes": {"categories": ["home"]}, "both": {"categories": ("home",)}}
        swapped.enter(DENY)
        assert call(made) is True
        (heard,) = swapped.calls
        assert heard.skills == {"notes", "both"}
        assert heard.principal["thread_category"] in (None, "x")


def test_the_code_comes_back_after_an_exception() -> None:
    with module(PLAIN) as made:
        before = made.sealed.__code__
        with pytest.raises(KeyError), swap(seal(f"{made.__name__}:sealed")):
            raise KeyError
        assert made.sealed.__code__ is before


def test_nesting_is_refused_and_harms_nothing() -> None:
    with module(PLAIN) as made:
        row = seal(f"{made.__name__}:sealed")
        with swap(row) as outer:
            with pytest.raises(SwapError, match="swapped already"), swap(row):
                pass
            outer.enter(DENY)
            assert made.sealed([], None) is True
        assert made.sealed([], None) is False


CAPTURES = """
import functools

def audited(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

class Table:
    gates = {}

def sealed(categories, thread_category):
    return bool(categories) and thread_category not in categories

Table.gates["seal"] = sealed
partial = functools.partial(sealed, thread_category="home")
decorated = audited(sealed)
def default(categories, ask=sealed):
    return ask(categories, None)
"""


def test_partials_decorators_tables_and_defaults_see_the_swap() -> None:
    with module(CAPTURES) as made, swap(seal(f"{made.__name__}:sealed")) as swapped:
        swapped.enter(DENY)
        assert made.partial(categories=[]) is True
        assert made.decorated([], None) is True
        assert made.Table.gates["seal"]([], None) is True
        assert made.default([]) is True
        assert len(swapped.calls) == 4


CLOSURE = """
def make(table, other):
    def sealed(categories, thread_category):
        return categories not in table and other is not None
    return sealed

sealed = make({()}, 1)
"""
METHODS = """
class Gate:
    def __init__(self, strict):
        self.strict = strict

    def sealed(self, categories, thread_category):
        return self.strict

    @classmethod
    def of_class(cls, categories, thread_category):
        return cls is not Gate

    @staticmethod
    def free(categories, thread_category):
        return True

    def __call__(self, categories, thread_category):
        return self.strict

ONE, TWO = Gate(False), Gate(False)
"""
CACHED = """
import functools

@functools.lru_cache
def sealed(categories, thread_category):
    return False

@functools.cache
@functools.lru_cache(maxsize=3)
def twice(categories, thread_category):
    return False
"""


def test_a_closure_is_swapped() -> None:
    with module(CLOSURE) as made:
        with swap(seal(f"{made.__name__}:sealed")) as swapped:
            assert made.sealed("x", None) is False
            swapped.enter(REAL)
            assert made.sealed("x", None) is True
        assert made.sealed((), None) is False


@pytest.mark.parametrize("name", ["Gate.sealed", "ONE.sealed"])
def test_a_method_is_swapped(name: str) -> None:
    with module(METHODS) as made:
        with swap(seal(f"{made.__name__}:{name}")) as swapped:
            swapped.enter(DENY)
            assert made.ONE.sealed([], None) is True
            assert made.TWO.sealed([], None) is (name == "Gate.sealed")
        assert made.ONE.sealed([], None) is False


@pytest.mark.parametrize(("name", "deny"), [("Gate.of_class", True), ("Gate.free", True)])
def test_class_and_static_methods_are_swapped(name: str, deny: bool) -> None:
    with module(METHODS) as made, swap(seal(f"{made.__name__}:{name}")) as swapped:
        function = getattr(made.Gate, name.partition(".")[2])
        assert function([], None) is False
        swapped.enter(DENY)
        assert function([], None) is deny


def test_a_callable_object_is_swapped_and_its_siblings_are_not() -> None:
    with module(METHODS) as made:
        with swap(seal(f"{made.__name__}:ONE")) as swapped:
            swapped.enter(DENY)
            assert (made.ONE([], None), made.TWO([], None)) == (True, False)
        assert made.ONE([], None) is False


@pytest.mark.parametrize("name", ["sealed", "twice"])
def test_a_cached_seal_forgets_when_the_world_changes(name: str) -> None:
    with module(CACHED) as made:
        function = getattr(made, name)
        assert function((), None) is False
        with swap(seal(f"{made.__name__}:{name}")) as swapped:
            swapped.enter(DENY)
            assert function((), None) is True
            swapped.enter(ALLOW)
            assert function((), None) is False
            swapped.enter(DENY)
            assert function((), None) is True
        assert function((), None) is False


def test_a_partial_as_seal_is_swapped_below() -> None:
    source = PLAIN + "import functools\ngate = functools.partial(sealed, thread_category='home')\n"
    with module(source) as made, swap(seal(f"{made.__name__}:gate")) as swapped:
        swapped.enter(DENY)
        assert made.gate([]) is True
        assert swapped.calls[0].principal == {"thread_category": "home"}


ASYNC = """
import functools

async def sealed(categories, thread_category):
    return bool(categories)

def handed_on(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

wrapped = handed_on(sealed)
"""


@pytest.mark.parametrize("name", ["sealed", "wrapped"])
def test_an_async_seal_stays_awaited(name: str) -> None:
    with module(ASYNC) as made, swap(seal(f"{made.__name__}:{name}")) as swapped:
        function = getattr(made, name)
        swapped.enter(DENY)
        assert asyncio.run(function([], None)) is True
        swapped.enter(REAL)
        assert asyncio.run(function(["x"], None)) is True
        assert asyncio.run(function([], None)) is False
        assert inspect.iscoroutinefunction(function) is (name == "sealed")
        assert swapped.awaited


GENERATORS = """
def visible(names, turn):
    for name in names:
        if turn:
            yield name

async def later(names, turn):
    for name in names:
        if turn:
            yield name
"""
ELEMENTS = {"notes": {"names": "notes"}, "payroll": {"names": "payroll"}}


async def _items(generator: Any) -> list[object]:
    return [item async for item in generator]


def test_generators_that_filter_are_swapped() -> None:
    with module(GENERATORS) as made:
        row = seal(f"{made.__name__}:visible", VerdictKind.FILTERS, ("names",), ("turn",))
        with swap(row) as swapped:
            swapped.arguments = ELEMENTS
            swapped.enter(without("notes"))
            assert list(made.visible(iter(["notes", "payroll"]), None)) == ["payroll"]
            swapped.enter(REAL)
            assert list(made.visible(["notes"], None)) == []
        with swap(seal(f"{made.__name__}:later", VerdictKind.FILTERS, ("names",), ("turn",))) as swapped:
            swapped.arguments = ELEMENTS
            swapped.enter(without("notes"))
            assert asyncio.run(_items(made.later(["notes", "payroll"], None))) == ["payroll"]
            swapped.enter(REAL)
            assert asyncio.run(_items(made.later(["notes"], True))) == ["notes"]


def test_aliases_are_swapped_too() -> None:
    source = PLAIN + "def also(categories, thread_category):\n    return False\n"
    with module(source) as made:
        row = seal(f"{made.__name__}:sealed", aliases=(Reference(made.__name__, "also"),))
        with swap(row) as swapped:
            swapped.enter(DENY)
            assert made.also([], None) is True
        assert made.also([], None) is False


def test_a_call_with_the_wrong_parameters_fails_as_it_would() -> None:
    with module(PLAIN) as made, swap(seal(f"{made.__name__}:sealed")), pytest.raises(TypeError, match="sealed"):
        made.sealed()


def test_where_compares_by_its_predicate() -> None:
    with module(PLAIN) as made, swap(seal(f"{made.__name__}:sealed")) as swapped:
        swapped.arguments = {"notes": {"categories": Where(lambda given: given.name == "notes")}}
        swapped.enter(without("notes"))
        assert made.sealed(type("Skill", (), {"name": "notes"})(), None) is True
        assert made.sealed("no such attribute", None) is False
        assert made.sealed("", None) is False


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("sealed = len", "sealed", "no Python code to swap; wrap it in a `def`"),
        ("class sealed:\n    def __init__(self, categories): pass", "sealed", "is a class"),
        ("sealed = 3", "sealed", "is no function but int"),
        ("def sealed(names, thread_category): pass", "sealed", "has no parameter `categories`; correct"),
        ("def d(f):\n    def w(*a): return f(*a)\n    return w\n@d\ndef sealed(categories, thread_category): 0",
         "sealed", "put functools.wraps"),
        ("", "sealed", "is not there: `sample_.*` has no `sealed`"),
        ("class Gate: pass", "Gate.sealed", "class `Gate` has no `sealed`"),
        ("def make(): pass", "make.<locals>.sealed", "local to a function"),
    ],
)  # fmt: skip
def test_what_cannot_be_swapped_is_refused_with_a_remedy(source: str, name: str, message: str) -> None:
    with module(source) as made, pytest.raises(SwapError, match=message), swap(seal(f"{made.__name__}:{name}")):
        pass


def test_a_module_that_is_not_there_is_named() -> None:
    message = "`no_such_module_here` cannot be imported: ModuleNotFoundError"
    with pytest.raises(SwapError, match=message), swap(seal("no_such_module_here:sealed")):
        pass
