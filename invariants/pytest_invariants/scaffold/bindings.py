"""What names stand for where they are bound: types, objects of a module, and what an object keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping


def aliases(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names for types that are bound at the top of a module."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() | ast.BinOp(op=ast.BitOr()) as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Subscript() | ast.BinOp(op=ast.BitOr()) as value)
            ):
                yield f"{module}:{name}", value


def instances(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Objects that are bound there: the annotation, or the class that is called."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name() | ast.Attribute() as made)):
                yield f"{module}:{name}", made
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield f"{module}:{name}", annotation


def own_attributes(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """What a method keeps on its object, with an annotation where one is written, or that of the parameter kept."""
    spec = node.args
    given = {each.arg: each.annotation for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    for each in ast.walk(node):
        match each:
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=attr), annotation=annotation):
                yield attr, annotation
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)], value=value):
                yield attr, _annotation_of(value, given)
            case ast.Attribute(value=ast.Name(id="self"), attr=attr, ctx=ast.Store()):
                yield attr, None


def _annotation_of(value: ast.expr, given: Mapping[str, ast.expr | None]) -> ast.expr | None:
    match value:
        case ast.Name(id=name):
            return given.get(name)
        case ast.Call(func=ast.Name(id=name) as made) if name[:1].isupper():
            return made
        case ast.BoolOp(values=[ast.Name(id=name), *_]) | ast.IfExp(body=ast.Name(id=name)):
            return given.get(name)
    return None
