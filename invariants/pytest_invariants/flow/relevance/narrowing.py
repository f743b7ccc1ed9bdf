"""What `isinstance` tells about variables where it was asked in a condition, by the text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_invariants.program.nodes import children

Told = tuple[str, ast.expr]
"""A variable, and the class (or the tuple of classes) that it is an instance of."""


def where_true(test: ast.expr) -> Iterator[Told]:
    """What holds where the condition is true."""
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kind], keywords=[]):
            yield name, kind
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from where_true(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from where_false(operand)


def where_false(test: ast.expr) -> Iterator[Told]:
    """What holds where the condition is false."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            for value in values:
                yield from where_false(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from where_true(operand)


TELLING = (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def regions(node: ast.AST) -> list[tuple[list[Told], list[ast.AST]]]:
    """The parts of a node in the order in which they are read, each with what is told of variables in it."""
    if not isinstance(node, TELLING):
        return [([], children(node))]
    match node:
        case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
            return [([], [test]), ([*where_true(test)], [*body]), ([*where_false(test)], [*orelse])]
        case ast.IfExp(test=test, body=one, orelse=other):
            return [([], [test]), ([*where_true(test)], [one]), ([*where_false(test)], [other])]
        case ast.BoolOp(op=operator, values=values):
            tell = where_true if isinstance(operator, ast.And) else where_false
            before = [[told for value in values[:at] for told in tell(value)] for at in range(len(values))]
            return [(told, [value]) for told, value in zip(before, values, strict=True)]
        case ast.ListComp(generators=sources) | ast.SetComp(generators=sources) | ast.GeneratorExp(generators=sources):
            return [([], [*sources]), (_conditions(sources), [node.elt])]
        case ast.DictComp(generators=sources):
            return [([], [*sources]), (_conditions(sources), [node.key, node.value])]
        case _:
            return [([], children(node))]


def _conditions(sources: list[ast.comprehension]) -> list[Told]:
    return [told for source in sources for test in source.ifs for told in where_true(test)]


def afterwards(node: ast.AST) -> list[Told]:
    """What holds in the statements that follow: an `if` whose body leaves them has been false."""
    if (
        isinstance(node, ast.If)
        and not node.orelse
        and isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue)
    ):
        return [*where_false(node.test)]
    return []


def unbound(told: list[Told], nodes: list[ast.AST]) -> list[Told]:
    """What is told of variables that these parts do not bind anew."""
    stored = {
        n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return [(name, kind) for name, kind in told if name not in stored]
