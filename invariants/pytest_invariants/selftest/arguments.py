"""Operators on what the seal is asked: about something else, for somebody else, or about the first of many only."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from pytest_invariants.registry.model import VerdictKind
from pytest_invariants.selftest.code import Function
from pytest_invariants.selftest.site import NotApplicable, Site

LOOP = (ast.For, ast.AsyncFor)


def swap_subject(site: Site) -> None:
    """The question is about another thing of the same kind that is in sight."""
    subject = site.subject()
    root = root_name(subject)
    function = site.function
    if root is None or function is None:
        raise NotApplicable("the subject is no variable's")
    other = next((name for name in _alike(function, root.id, site.call.lineno) if name != root.id), None)
    if other is None:
        raise NotApplicable("nothing else of its kind is in sight")
    for node in list(ast.walk(site.call)):
        if isinstance(node, ast.Name) and node.id == root.id and node in [*_inside(subject)]:
            node.id = other


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    yield from ast.walk(node)


def root_name(node: ast.AST) -> ast.Name | None:
    """The variable that an expression starts from: `skill` in `skill.facts["categories"]`."""
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Await(value=inner):
                node = inner
            case ast.Call(args=[inner, *_]):
                node = inner
            case ast.Call(func=inner):
                node = inner
            case _:
                return None
    return node


def _alike(function: Function, name: str, line: int) -> list[str]:
    """Names of the function, bound before a line, that were declared or looked up in the same way as this one."""
    kinds = dict(_kinds(function, line))
    return [other for other, kind in kinds.items() if kind == kinds.get(name)] if name in kinds else []


def _kinds(function: Function, line: int) -> Iterator[tuple[str, str]]:
    spec = function.args
    for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        if one.annotation is not None:
            yield one.arg, ast.unparse(one.annotation)
    for node in ast.walk(function):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if node.lineno < line:
                yield name, ast.unparse(annotation)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=callee)) if node.lineno < line:
                yield name, f"made by {ast.unparse(callee)}"


def constant_subject(site: Site) -> None:
    """The question is always about the same thing, whatever was asked for."""
    if site.seal.declared.kind is VerdictKind.FILTERS:
        raise NotApplicable("a filter of nothing lets nothing out")
    site.replace(site.subject(), ast.Tuple([], ast.Load()))


def constant_principal(site: Site) -> None:
    """The question is asked for somebody who is written in the code."""
    site.replace(site.principal(), ast.Constant("somebody"))


def ask_once(site: Site) -> None:
    """In a loop, the question is about the first element every time, as if it stood before the loop."""
    subject = site.subject()
    before = ast.dump(subject)
    for loop in _loops(site):
        subject = _Firsts(_firsts(loop)).visit(_resolved(subject, loop))
    if ast.dump(subject) == before or not any(True for _ in _loops(site)):
        raise NotApplicable("the question is in no loop over what it is about")
    site.replace(site.subject(), subject)


Loop = ast.comprehension | ast.For


def _loops(site: Site) -> Iterator[Loop]:
    """The loops around the call, innermost first; those of a comprehension bind in the order in which they stand."""
    for node in site.parents(site.call):
        match node:
            case ast.For():
                yield node
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from (loop for loop in reversed(node.generators) if not loop.is_async)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                return


def _resolved(subject: ast.expr, loop: Loop) -> ast.expr:
    """The subject with a variable that the loop's body has looked up replaced by the look-up."""
    if isinstance(loop, ast.For):
        made = {
            node.targets[0].id: node.value
            for node in loop.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        subject = _Firsts(made).visit(copy.deepcopy(subject))
    return copy.deepcopy(subject)


def _firsts(loop: Loop) -> dict[str, ast.expr]:
    first = ast.Call(ast.Name("next"), [ast.Call(ast.Name("iter"), [copy.deepcopy(loop.iter)], [])], [])
    return dict(_bound(loop.target, first))


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        for position, one in enumerate(target.elts):
            yield from _bound(one, ast.Subscript(value, ast.Constant(position)))


class _Firsts(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.values.get(node.id, node))
