"""Arguments as a model takes them: by position where it says so, out of `*args` that are known, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Dict, Seq, Tuple, Value
from pytest_invariants.flow.machine.machine import Arguments
from pytest_invariants.flow.objects.descriptors import BY_HAND, TYPES

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

ITERABLE, TARGET, FUNCTION = ("iterable",), ("obj",), ("func",)
NEEDED: dict[str, tuple[str, ...]] = {
    "builtins.enumerate": ITERABLE, "builtins.any": ITERABLE, "builtins.all": ITERABLE, "builtins.max": ITERABLE,
    "builtins.min": ITERABLE, "builtins.sum": ITERABLE,
    "builtins.next": ("iterator",), "builtins.anext": ("iterator",), "builtins.sorted": ITERABLE,
    "builtins.map": FUNCTION, "builtins.filter": ("function", "iterable"),
    "itertools.groupby": ITERABLE, "functools.reduce": ("function", "iterable"),
    "builtins.dict.fromkeys": ITERABLE, "collections.OrderedDict.fromkeys": ITERABLE,
    "itertools.starmap": ("function", "iterable"), "itertools.pairwise": ITERABLE, "itertools.combinations": ITERABLE,
    "itertools.permutations": ITERABLE, "itertools.combinations_with_replacement": ITERABLE, "itertools.tee": ITERABLE,
    "itertools.chain.from_iterable": ITERABLE, "itertools.filterfalse": ("predicate", "iterable"),
    "itertools.takewhile": ("predicate", "iterable"), "itertools.dropwhile": ("predicate", "iterable"),
    "itertools.compress": ("data", "selectors"), "itertools.islice": ITERABLE, "builtins.iter": TARGET, "builtins.aiter": TARGET,
    "builtins.reversed": ("sequence",), "builtins.isinstance": ("obj", "classinfo"), "builtins.len": TARGET,
    "builtins.getattr": ("obj", "name"), "builtins.setattr": ("obj", "name", "value"), "builtins.type": ("object",),
    "object.__setattr__": ("obj", "name", "value"), "builtins.object.__setattr__": ("obj", "name", "value"),
    "type.__setattr__": ("obj", "name", "value"), "builtins.type.__setattr__": ("obj", "name", "value"),
    "builtins.delattr": ("obj", "name"), "object.__delattr__": ("obj", "name"), "builtins.object.__delattr__": ("obj", "name"),
    **{
        f"{kind}.{name}": ("descriptor", "obj")
        for kind in ("flow.descriptor", *TYPES)
        for name in BY_HAND
    },
    "inspect.getattr_static": ("obj", "attr"), "operator.setitem": ("a", "b", "c"), "operator.delitem": ("a", "b"),
    "builtins.object.__getattribute__": ("obj", "name"), "builtins.staticmethod": FUNCTION, "builtins.classmethod": FUNCTION,
    "builtins.property": ("fget",), "functools.cached_property": FUNCTION, "functools.partial": FUNCTION,
    "functools.partialmethod": FUNCTION, "functools.wraps": ("wrapped",), "functools.update_wrapper": ("wrapper", "wrapped"),
    "dataclasses.replace": TARGET, "copy.replace": TARGET, "dataclasses.asdict": TARGET, "dataclasses.astuple": TARGET,
    "copy.copy": ("x",), "copy.deepcopy": ("x",), "typing.cast": ("typ", "val"), "operator.not_": ("a",),
    "operator.truth": ("a",), "operator.call": FUNCTION,
    "operator.contains": ("a", "b"), "operator.getitem": ("a", "b"), "operator.methodcaller": ("name",), "flow.method": ("name", "obj"),
    "weakref.ref": TARGET, "weakref.proxy": TARGET, "contextlib.aclosing": ("thing",),
    **{
        f"operator.{name}": ("a", "b")
        for name in (
            "is_", "is_not", "eq", "ne", "lt", "le", "gt", "ge", "or_", "and_", "xor", "add", "concat", "ior", "iadd", "iconcat",
        )
    },
    "asyncio.run": ("main",), "asyncio.as_completed": ("fs",), "concurrent.futures.as_completed": ("fs",),
    "asyncio.wait": ("fs",), "concurrent.futures.wait": ("fs",),
    "asyncio.create_task": ("coro",), "asyncio.ensure_future": ("coro_or_future",),
    "asyncio.wait_for": ("fut",), "asyncio.shield": ("arg",), "asyncio.to_thread": FUNCTION, "anyio.run": FUNCTION,
    "anyio.to_thread.run_sync": FUNCTION, "anyio.from_thread.run": FUNCTION, "contextlib.closing": ("thing",),
    "contextvars.ContextVar": ("name",), "importlib.import_module": ("name",),
    "builtins.__import__": ("name",), "builtins.exec": ("source",), "builtins.eval": ("source",), "importlib.reload": ("module",),
    "flow.wrap": ("wrapped", "wrapper"), "flow.register": ("dispatcher",),
    "flow.attribute": ("name", "obj"), "flow.item": ("key", "obj"), "flow.each": TARGET,
    "flow.initialise": ("self",), "flow.setter": ("descriptor", "function"), "flow.getter": ("descriptor", "function"),
    "flow.deleter": ("descriptor",), "flow.inherited": ("self", "name"), "flow.object.__call__": ("cls",),
    "flow.model_copy": ("self",), "flow.object.__new__": ("cls",), "builtins.object.__new__": ("cls",),
}  # fmt: skip
"""The parameters that a model cannot do without, in order."""
OPEN = frozenset({
    "functools.partial", "functools.partialmethod", "asyncio.to_thread", "anyio.to_thread.run_sync", "asyncio.gather", "asyncio.run",
    "anyio.run",
})  # fmt: skip
"""Models that take arguments of unknown length themselves, once they have what they need."""
TAKING_OPTIONS = OPEN | {"builtins.dict", "collections.OrderedDict"}
"""The same of keywords."""
EACH = frozenset({"builtins.print", "itertools.chain", "builtins.max", "builtins.min"})
"""Functions of any number of arguments, which do the same with each of them."""
CHANGING = frozenset(
    {"dataclasses.replace", "copy.replace", "flow.initialise", "flow.object.__call__", "builtins.exec", "builtins.eval"}
)
"""Functions whose keywords say what comes of them."""
READING = frozenset({
    "builtins.getattr", "builtins.object.__getattribute__", "builtins.eval", "builtins.exec", "builtins.__import__",
    "importlib.import_module", "flow.attribute", "flow.each", "operator.attrgetter", "builtins.vars",
})  # fmt: skip
"""Functions that may find what they were not given."""


def fitted(m: Analysis, path: str, arguments: Arguments, state: State) -> Arguments | None:
    """The arguments with those by position that the model needs; None where it cannot be told which they are."""
    needed = NEEDED.get(path, ())
    keywords = dict(arguments.keywords)
    positional = list(arguments.positional)
    for name in needed[len(positional) :]:
        if name not in keywords or arguments.more is not None:
            break
        positional.append(keywords.pop(name))
    short = len(positional) < len(needed)
    given = replace(arguments, positional=tuple(positional), keywords=tuple(keywords.items()))
    if arguments.more is not None and path in EACH:
        return _each(m, path, given, state)
    if short or (arguments.more is not None and path not in OPEN):
        return None
    return None if arguments.options is not None and path in CHANGING else given


def _each(m: Analysis, path: str, arguments: Arguments, state: State) -> Arguments | None:
    """The elements of `*args` as arguments: `max(*rows)` is `max(rows)`, unless the only row were a collection."""
    assert arguments.more is not None
    elements = tuple(t.value for t in containers.elements_of(m, arguments.more, state))
    if path in ("builtins.max", "builtins.min"):
        if any(isinstance(value, Seq | Dict | Tuple) for value in elements):
            return None
        some = containers.gathered(m, [arguments.more], state, arguments.positional)
        return replace(arguments, positional=(some,) if some is not None else (), more=None)
    return replace(arguments, positional=arguments.positional + elements, more=None)


NEEDED_BY_METHODS = {
    "__setitem__": 2,
    "__contains__": 1, "__getitem__": 1, "setdefault": 1, "push": 1, "push_async_exit": 1, "enter_context": 1,
    "enter_async_context": 1, "callback": 1, "push_async_callback": 1, "create_task": 1, "start_soon": 1, "add_done_callback": 1,
}  # fmt: skip
"""Arguments that the model of a method cannot do without."""
ELEMENTWISE = frozenset({
    "append", "add", "appendleft", "insert", "put_nowait", "extend", "update", "extendleft", "__iadd__", "union", "difference",
    "intersection",
})  # fmt: skip
"""Methods that do the same with each of their arguments."""


def fitted_to_method(m: Analysis, receiver: Value, name: str, arguments: Arguments, state: State) -> Arguments | None:
    """The same of a method of a builtin type."""
    if arguments.more is not None and name in ELEMENTWISE:
        elements = tuple(t.value for t in containers.elements_of(m, arguments.more, state))
        arguments = replace(arguments, positional=arguments.positional + elements, more=None)
    if arguments.options is not None and name == "update":
        arguments = replace(arguments, positional=(*arguments.positional, arguments.options), options=None)
    needed = 1 if name == "pop" and isinstance(receiver, Dict) else NEEDED_BY_METHODS.get(name, 0)
    return None if arguments.more is not None or len(arguments.positional) < needed else arguments
