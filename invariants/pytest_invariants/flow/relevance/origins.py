"""How the variables of a scope come by their values, told from its text alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pytest_invariants.flow.relevance.syntax import named_parameters, parameters
from pytest_invariants.program.code import bound_names

Origin = tuple[str, ast.expr]
"""A value `is` an expression, is an element `of` one, or is `declared` by an annotation."""
Binding = tuple[str, str, ast.expr]
Located = TypeVar("Located", bound=ast.expr)
BINDING = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension, ast.ExceptHandler)


def origins(node: ast.AST, inner: list[ast.AST]) -> dict[str, list[Origin]]:
    """The origins of a scope's variables; those that are bound in another way too are left out."""
    found: dict[str, list[Origin]] = {}
    for name, kind, expression in _bindings(inner):
        found.setdefault(name, []).append((kind, expression))
    for argument in named_parameters(node):
        if argument.annotation is not None:
            found.setdefault(argument.arg, []).append(("declared", argument.annotation))
    bound = Counter([name for one in inner for name in bound_names(one)] + [a.arg for a in named_parameters(node)])
    spread = parameters(node) - {a.arg for a in named_parameters(node)}
    return {name: known for name, known in found.items() if bound[name] == len(known) and name not in spread}


def _bindings(inner: list[ast.AST]) -> Iterable[Binding]:
    for node in inner:
        if not isinstance(node, BINDING):
            continue
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from (one for target in targets for one in _assigned(target, value))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield name, "declared", annotation
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                yield name, "is", value
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                yield from _drawn(node.target, node.iter)
            case ast.ExceptHandler(name=str(name), type=ast.expr() as kind):
                yield name, "declared", _any_of(kind)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[Binding]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, "is", value
        case ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Tuple(elts=values) | ast.List(elts=values):
            if len(targets) == len(values) and not any(isinstance(one, ast.Starred) for one in (*targets, *values)):
                yield from (one for pair in zip(targets, values, strict=True) for one in _assigned(*pair))


def _drawn(target: ast.expr, source: ast.expr) -> Iterator[Binding]:
    """What a loop binds: an element, or the parts of what `enumerate`, `zip` and `items` give."""
    match target, source:
        case ast.Name(id=name), _:
            yield name, "of", source
        case ast.Tuple(elts=[ast.Name(id=number), inner]), ast.Call(func=ast.Name(id="enumerate"), args=[listed, *_]):
            yield number, "is", ast.Constant(0)
            yield from _drawn(inner, listed)
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=lists) if len(targets) == len(lists):
            yield from (one for pair in zip(targets, lists, strict=True) for one in _drawn(*pair))
        case ast.Tuple(elts=[key, value]), ast.Call(func=ast.Attribute(value=held, attr="items"), args=[]):
            yield from _drawn(key, _method(held, "keys"))
            yield from _drawn(value, _method(held, "values"))


def _method(held: ast.expr, name: str) -> ast.Call:
    """`held.name()`, which does not stand in the source."""
    return _at(ast.Call(_at(ast.Attribute(held, name, ast.Load()), held), [], []), held)


def _any_of(kind: ast.expr) -> ast.expr:
    """The classes of a handler as one annotation."""
    if not isinstance(kind, ast.Tuple) or not kind.elts:
        return kind
    first, *others = kind.elts
    for other in others:
        first = _at(ast.BinOp(first, ast.BitOr(), other), kind)
    return first


def _at(node: Located, place: ast.expr) -> Located:
    return ast.copy_location(node, place)
