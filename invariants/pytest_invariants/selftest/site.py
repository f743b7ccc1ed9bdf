"""One call of the seal in its file: what surrounds it, what it is given, and how to put other code there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pytest_invariants.registry.model import Seal
from pytest_invariants.selftest.code import Code, Draft, Function, Module

Scope = Function | ast.Lambda
Node = TypeVar("Node", bound=ast.AST)


class NotApplicable(Exception):
    """An operator has nothing to do here; the text says why, in words for the table."""


@dataclass(frozen=True)
class SealCode:
    """The seal as the code has it: the declaration, the function where it is written, and the parameters of a call."""

    declared: Seal
    function: Function | None
    names: frozenset[str]

    @classmethod
    def find(cls, code: Code, declared: Seal) -> SealCode:
        references = (declared.function, *declared.aliases)
        names = frozenset(reference.qualname.rpartition(".")[2] for reference in references)
        return cls(declared, code.definition(declared.function), names)

    @property
    def is_method(self) -> bool:
        return "." in self.declared.function.qualname

    @property
    def awaited(self) -> bool:
        return isinstance(self.function, ast.AsyncFunctionDef)

    @property
    def allows_with_none(self) -> bool:
        """Whether a seal whose falsy answer allows gives None then, and not False."""
        returned = [node.value for node in ast.walk(self.function or ast.Pass()) if isinstance(node, ast.Return)]
        written = {ast.unparse(one) if one is not None else "None" for one in returned}
        return "None" in written and "False" not in written

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names by position, without the receiver of a method."""
        if self.function is None:
            return (*self.declared.subject, *self.declared.principal)
        spec = self.function.args
        names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in self.function.decorator_list)
        return tuple(names[1:] if self.is_method and not static else names)


@dataclass
class Site:
    """A call of the seal. Operators change the tree in place, and put into `prelude` what has to stand before it."""

    seal: SealCode
    code: Code
    draft: Draft
    call: ast.Call

    @property
    def module(self) -> Module:
        return self.draft.module

    @property
    def tree(self) -> ast.Module:
        return self.draft.tree

    @property
    def prelude(self) -> list[str]:
        return self.draft.prelude

    # Around the call

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """What the node stands in, innermost first."""
        above = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}
        while node in above:
            node = above[node]
            yield node

    def parent(self, node: ast.AST) -> ast.AST:
        return next(self.parents(node))

    def around(self, kind: type[Node], node: ast.AST | None = None) -> Node | None:
        """The innermost node of a kind around the call (or around `node`)."""
        return next((one for one in self.parents(node or self.call) if isinstance(one, kind)), None)

    @property
    def asked(self) -> ast.expr:
        """The expression that has the answer: the call, with its `await`."""
        parent = self.parent(self.call)
        return parent if isinstance(parent, ast.Await) else self.call

    @property
    def answered(self) -> ast.expr:
        """The same, for those who put something in its place.

        :raises NotApplicable: where the seal is a coroutine function whose call is awaited elsewhere.
        """
        if self.seal.awaited and self.asked is self.call:
            raise NotApplicable("the call is awaited in another place")
        return self.asked

    @property
    def statement(self) -> ast.stmt:
        found = self.around(ast.stmt)
        assert found is not None
        return found

    @property
    def function(self) -> Function | None:
        return next((one for one in self.parents(self.call) if isinstance(one, Function)), None)

    # Changes

    def replace(self, old: ast.AST, new: ast.AST) -> None:
        parent = self.parent(old)
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list) and any(one is old for one in value):
                value[:] = [new if one is old else one for one in value]

    def put(self, old: ast.stmt, *new: ast.stmt) -> None:
        """Statements in the place of one; where none is left, `pass`."""
        block, position = self.block(old)
        block[position : position + 1] = new
        if not block:
            block.append(ast.Pass())

    def block(self, statement: ast.stmt) -> tuple[list[ast.stmt], int]:
        """The list of statements that this one stands in, and where in it."""
        for _, value in ast.iter_fields(self.parent(statement)):
            if isinstance(value, list):
                for position, one in enumerate(value):
                    if one is statement:
                        return value, position
        raise AssertionError("a statement stands in a block")

    def fresh(self, stem: str) -> str:
        """A name that the module does not use."""
        taken = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        taken |= {node.name for node in ast.walk(self.tree) if isinstance(node, Function | ast.ClassDef)}
        return next(name for name in (stem, *(f"{stem}_{i}" for i in range(2, 99))) if name not in taken)

    # Arguments

    def argument(self, parameter: str) -> ast.expr | None:
        """What the call gives for a parameter; None where it gives nothing, or it cannot be told."""
        for keyword in self.call.keywords:
            if keyword.arg == parameter:
                return keyword.value
        names = self.seal.parameters[names_of(self.seal, self.tree).get(called_name(self.call), 0) :]
        if parameter not in names or any(isinstance(one, ast.Starred) for one in self.call.args):
            return None
        position = names.index(parameter)
        return self.call.args[position] if position < len(self.call.args) else None

    def subject(self) -> ast.expr:
        """The first argument that says what is asked for."""
        return self._given(tuple(self.seal.declared.subject), "which argument names the subject cannot be told")

    def principal(self) -> ast.expr:
        """The first argument that says who asks."""
        names = tuple(self.seal.declared.principal)
        if not names:
            raise NotApplicable("the seal is not told who asks")
        return self._given(names, "which argument names the principal cannot be told")

    def _given(self, names: tuple[str, ...], why: str) -> ast.expr:
        given = next((value for value in map(self.argument, names) if value is not None), None)
        if given is None:
            raise NotApplicable(why)
        return given


def calls_of(seal: SealCode, tree: ast.Module) -> list[ast.Call]:
    """The calls of the seal in a file, by the names that it has there."""
    names = names_of(seal, tree)
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called_name(node) in names]


def names_of(seal: SealCode, tree: ast.Module) -> dict[str, int]:
    """The seal's names in a file: its own, those of imports and of variables; how many arguments each has bound already."""
    found = dict.fromkeys(seal.names, 0)
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names):
                found |= {one.asname: 0 for one in names if one.asname and one.name in seal.names}
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made, args=[function, *bound])):
                if ast.unparse(made).rpartition(".")[2] == "partial" and _name(function) in seal.names:
                    found[name] = len(bound)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _name(value) in seal.names:
                found[name] = 0
    return found


def called_name(call: ast.Call) -> str:
    return _name(call.func)


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
