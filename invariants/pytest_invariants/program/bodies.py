"""Which function bodies an answer was read from, so that a change of another one is known not to touch it.

The body of every function that stands in no other function is a list that notes when somebody looks into it. What is
only glanced at, for what the outline of a file holds as well (`hook.outline`), is not noted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Read:
    """The functions of one program that were looked into, by file: positions among those that stand in no other one."""

    def __init__(self) -> None:
        self.whole: dict[str, set[int]] = {}
        self.named: dict[str, set[int]] = {}
        """Those of which only the names were read that their bodies mention."""
        self.stores: set[str] = set()
        """Names of which was asked what they are given anywhere, in any file (`source.stores`)."""
        self.taken: set[str] = set()
        """Names of which was asked whether a function of that name is taken as a value anywhere."""
        self.mentioned: set[str] = set()
        """What was asked for who mentions it (`flow.mentions`)."""
        self.glances = 0
        self.namespaces = False
        """Whether all that a module has was read, by whatever names."""

    @contextmanager
    def glancing(self) -> Iterator[None]:
        """While it lasts, all bodies are only glanced at; nothing may be run meanwhile."""
        self.glances += 1
        try:
            yield
        finally:
            self.glances -= 1

    def watch(self, path: str, tree: ast.Module) -> None:
        """Note from now on what is read of a file."""
        for position, function in enumerate(outermost(tree)):
            function.body = Body(function.body, self, path, position)


class Body(list[ast.stmt]):
    """The statements of a function."""

    __slots__ = ("_glances", "_path", "_position", "_read")

    def __init__(self, statements: list[ast.stmt], read: Read, path: str, position: int) -> None:
        super().__init__(statements)
        self._read, self._path, self._position = read, path, position
        self._glances = 0

    def note(self) -> None:
        """Somebody has read this body, whoever else glances at it."""
        self._read.whole.setdefault(self._path, set()).add(self._position)

    def note_names(self) -> None:
        self._read.named.setdefault(self._path, set()).add(self._position)

    @contextmanager
    def glanced_at(self) -> Iterator[None]:
        self._glances += 1
        try:
            yield
        finally:
            self._glances -= 1

    def seen(self) -> None:
        if not (self._glances or self._read.glances):
            self.note()

    def __radd__(self, other: list[ast.stmt]) -> list[ast.stmt]:
        return [*other, *self]


def _noting(name: str) -> Callable[..., Any]:
    """A method of lists that reads what is in them."""
    plain = getattr(list, name)

    def method(self: Body, *arguments: Any) -> Any:
        self.seen()
        return plain(self, *arguments)

    return method


for _name in (
    "__iter__", "__reversed__", "__len__", "__getitem__", "__contains__", "__add__", "__mul__", "__rmul__", "__eq__",
    "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__", "__reduce_ex__", "copy", "count", "index", "pop",
):  # fmt: skip
    setattr(Body, _name, _noting(_name))


def outermost(node: ast.AST) -> Iterator[Function]:
    """The functions below a node that stand in no other one, in the order of the source."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from outermost(child)


@contextmanager
def glance(node: ast.AST) -> Iterator[None]:
    """While it lasts, reading this function tells no more than its outline does."""
    body = getattr(node, "body", None)
    if isinstance(body, Body):
        with body.glanced_at():
            yield
    else:
        yield


def note(node: ast.AST) -> None:
    """This function is run: whoever glances at it meanwhile, the answer depends on all of it."""
    body = getattr(node, "body", None)
    if isinstance(body, Body):
        body.note()


def says_nothing(body: list[ast.stmt]) -> bool:
    """Whether a body only says what the function is: `...`, a text, or `raise NotImplementedError`."""
    rest = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return not rest or (len(rest) == 1 and isinstance(rest[0], ast.Raise) and "NotImplemented" in ast.unparse(rest[0]))
