"""Parts of the syntax tree that the search for mentions looks at."""

from __future__ import annotations

import ast
import re

CHANGING = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "insert", "intersection_update", "pop",
    "popitem", "popleft", "remove", "reverse", "rotate", "set", "setdefault", "sort", "symmetric_difference_update", "update",
})  # fmt: skip
"""Methods that change a collection or a context variable."""


OPERATING = (
    ast.Call, ast.Subscript, ast.Await, ast.Starred, ast.FormattedValue, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem,
    ast.BinOp, ast.Compare, ast.UnaryOp, ast.If, ast.While, ast.AugAssign,
)  # fmt: skip


def operands(node: ast.AST) -> list[ast.expr]:
    """The parts of a node on which the language itself may call methods."""
    if not isinstance(node, OPERATING):
        return []
    match node:
        case ast.Call(func=ast.Name(), args=arguments):
            return [node.func, *arguments]
        case ast.Call(func=function):
            return [function]
        case ast.Subscript(value=one) | ast.Await(value=one) | ast.Starred(value=one) | ast.FormattedValue(value=one):
            return [one]
        case ast.For(iter=one) | ast.AsyncFor(iter=one) | ast.comprehension(iter=one) | ast.withitem(context_expr=one):
            return [one]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.UnaryOp(operand=one) | ast.If(test=one) | ast.While(test=one) | ast.AugAssign(value=one):
            return [one]
        case _:
            return []


def parameters(node: ast.AST) -> set[str]:
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return set()
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {a.arg for a in every if a is not None}


def named_parameters(node: ast.AST) -> list[ast.arg]:
    """The parameters that take one argument each."""
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def called_name(node: ast.Call) -> str:
    """The last name of what is called; an empty text where it has none."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def defaults(node: ast.AST) -> list[ast.expr]:
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


def names_in(node: ast.AST) -> set[str]:
    """Every name and attribute below a node, also in texts that stand for annotations."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    found |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return found | {word for text in texts for word in re.findall(r"\w+", text)}
