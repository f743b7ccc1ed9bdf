"""What is read of a function's body is noted, however it is read; what is only glanced at is not."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from pytest_invariants.program.bodies import Read, glance, note
from pytest_invariants.program.code import FunctionInfo

SOURCE = """
def plain(a):
    b = a
    return b


class Box:
    def method(self):
        def inner():
            yield 1
        return inner

    if True:
        async def other(self):
            yield self.x


try:
    def last():
        return plain(1)
except OSError:
    pass
"""


def watched() -> tuple[ast.Module, Read, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    tree, read = ast.parse(SOURCE), Read()
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name != "inner"]
    read.watch("a.py", tree)
    read.whole.clear()
    return tree, read, sorted(found, key=lambda node: node.lineno)


READERS: dict[str, Callable[[list[ast.stmt]], object]] = {
    "for": lambda body: [each for each in body],
    "list": list,
    "tuple": tuple,
    "unpacked": lambda body: [*body],
    "first": lambda body: body[0],
    "slice": lambda body: body[:1],
    "length": len,
    "truth": bool,
    "in": lambda body: None in body,
    "added": lambda body: [] + body,  # noqa: RUF005 the other way of adding
    "added to": lambda body: body + [],  # noqa: RUF005
    "reversed": lambda body: next(reversed(body)),
    "compared": lambda body: body == [],
    "copied": lambda body: body.copy(),
    "extended": lambda body: [].extend(body),
    "enumerated": lambda body: next(enumerate(body)),
}


@pytest.mark.parametrize("way", READERS)
def test_every_way_of_reading_is_noted(way: str) -> None:
    _, read, functions = watched()
    READERS[way](functions[1].body)
    assert read.whole == {"a.py": {1}}


def test_walking_notes_all_that_is_walked_over() -> None:
    tree, read, functions = watched()
    list(ast.walk(functions[2]))
    assert read.whole == {"a.py": {2}}
    list(ast.walk(tree))
    assert read.whole == {"a.py": {0, 1, 2, 3}}


def test_a_signature_is_read_without_the_body() -> None:
    _, read, functions = watched()
    assert [len(function.args.args) + bool(function.returns) for function in functions] == [1, 1, 1, 0]
    assert not read.whole


def test_what_is_glanced_at_is_not_noted_unless_it_is_run() -> None:
    _, read, functions = watched()
    with glance(functions[0]):
        list(ast.walk(functions[0]))
        list(functions[3].body)
    assert read.whole == {"a.py": {3}}
    with glance(functions[0]):
        note(functions[0])
    assert read.whole == {"a.py": {0, 3}}


def test_the_kind_of_a_function_is_glanced_at_and_its_names_are_noted_apart() -> None:
    _, read, functions = watched()
    infos = [FunctionInfo("a", node.name, "a.py", node) for node in functions]
    assert [info.is_generator for info in infos] == [False, False, True, False]
    assert not any(info.may_swallow for info in infos)
    assert (read.whole, read.named) == ({}, {})
    assert infos[3].mentioned == ("plain",)
    assert (read.whole, read.named) == ({}, {"a.py": {3}})


def test_the_rest_of_what_is_known_of_a_function_counts_as_reading_it() -> None:
    _, read, functions = watched()
    assert FunctionInfo("a", "plain", "a.py", functions[0]).locals == {"a", "b"}
    assert read.whole == {"a.py": {0}}
