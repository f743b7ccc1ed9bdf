"""The seal rebound, shadowed, or copied."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.values import Class, Foreign, Module
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.verdict import Place

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

Found = list[tuple[Place, str]]


def rebindings(prover: Prover) -> Found:
    """Assignments that give the seal's name to something else, in any module of the code."""
    m = prover.m
    seals = {info.reference for info in m.seal.functions}
    found = [(at, f"`{ref}` is replaced") for at, ref in m.rebindings if ref in seals]
    for module in sorted(prover.program.sources):
        tree = prover.program.tree(module)
        if tree is not None:
            found += _in_module(prover, module, tree)
    return sorted(set(found))


def _in_module(prover: Prover, module: str, tree: ast.Module) -> Found:
    path = prover.program.sources[module].path
    found: Found = []
    for node in ast.walk(tree):
        for info in prover.m.seal.functions:
            if _rebinds(prover, module, node, info):
                found.append((Place(path, getattr(node, "lineno", 1)), f"`{info.reference}` is replaced"))
    return found


def _rebinds(prover: Prover, module: str, node: ast.AST, info: FunctionInfo) -> bool:
    owner, _, name = info.qualname.rpartition(".")
    match node:
        case ast.Assign(targets=targets):
            return any(_is_seal(prover, module, target, info, name) for target in targets)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            return _is_seal(prover, module, target, info, name)
        case ast.Call(func=ast.Name(id="setattr"), args=[base, ast.Constant(value=text), *_]):
            return text == name and _is_home(prover, module, base, info, owner)
        case ast.Call(args=[ast.Constant(value=str(text)), *_]):
            return _names_seal(prover, text, info)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _global_statement(prover, module, node, info, name)
        case ast.Call(func=ast.Attribute(attr="setattr" | "object"), args=[base, ast.Constant(value=text), *_]):
            return text == name and _is_home(prover, module, base, info, owner)
        case _:
            return False


def _is_seal(prover: Prover, module: str, target: ast.expr, info: FunctionInfo, name: str) -> bool:
    owner = info.qualname.rpartition(".")[0]
    match target:
        case ast.Attribute(value=base, attr=attr):
            if attr == "__code__" and isinstance(base, ast.Name | ast.Attribute):
                return _last(base) == name
            return attr == name and _is_home(prover, module, base, info, owner)
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "vars")), slice=ast.Constant(value=text)):
            return text == name and (module == info.module or _imports(prover, module, name, info))
        case ast.Subscript(value=ast.Attribute(value=base, attr="__dict__"), slice=ast.Constant(value=text)):
            return text == name and _is_home(prover, module, base, info, owner)
        case _:
            return False


def _names_seal(prover: Prover, text: str, info: FunctionInfo) -> bool:
    """A dotted text that names the seal, or a module's import of it: what `patch` takes."""
    module, _, name = text.rpartition(".")
    return text == f"{info.module}.{info.qualname}" or (
        prover.program.has(module) and _imports(prover, module, name, info)
    )


def _global_statement(
    prover: Prover, module: str, node: ast.FunctionDef | ast.AsyncFunctionDef, info: FunctionInfo, name: str
) -> bool:
    """`global sealed`, and then an assignment, in the seal's module or one that has imported it."""
    handed = {n for inner in ast.walk(node) if isinstance(inner, ast.Global) for n in inner.names}
    if name not in handed or not (module == info.module or _imports(prover, module, name, info)):
        return False
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(node))


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _imports(prover: Prover, module: str, name: str, info: FunctionInfo) -> bool:
    from pytest_invariants.flow.domain.wrapped import plain_function

    value = prover.m.world.frame(module_frame(module)).get(name)
    inner = plain_function(value) if value is not None else None
    return inner is not None and inner.info is info


def _is_home(prover: Prover, module: str, base: ast.expr, info: FunctionInfo, owner: str) -> bool:
    """Whether the expression is the seal's module, its class, or another module that has imported it."""
    scope = prover.m.scope_of_module(module)
    for value, _ in prover.m.evaluate_quietly(base, prover.m.world, scope):
        if isinstance(value, Module) and not owner:
            return value.name == info.module or _imports(prover, value.name, info.name, info)
        if isinstance(value, Class) and owner:
            return value.info.qualname == owner and value.info.module == info.module
        if isinstance(value, Foreign):
            return False
    text = ast.unparse(base)
    return "modules" in text and f"'{info.module}'" in text


def look_alikes(prover: Prover) -> Found:
    """Functions that take what the seal takes, answer like it, and do not ask it."""
    m = prover.m
    found: Found = []
    for info in m.functions.values():
        if info in m.seal.functions or isinstance(info.node, ast.Lambda):
            continue
        for seal in m.seal.functions:
            if _alike(prover, info, seal):
                found.append((info.place, f"`{info.reference}` repeats `{seal.reference}`"))
    return sorted(set(found))


def _alike(prover: Prover, info: FunctionInfo, seal: FunctionInfo) -> bool:
    from pytest_invariants.flow.seal.sealing import returns_booleans

    if any(
        isinstance(n, ast.Name | ast.Attribute) and _last(n) in {s.name for s in prover.m.seal.functions}
        for n in ast.walk(info.node)
        if n is not info.node
    ):
        return False
    roles = {*prover.registry.seal.subject, *prover.registry.seal.principal}
    names = {a.arg for a in [*info.node.args.posonlyargs, *info.node.args.args, *info.node.args.kwonlyargs]}
    if not roles or not roles <= names:
        return False
    same_body = _body(info) == _body(seal)
    return same_body or (len(roles) > 1 and (info.name == seal.name or returns_booleans(info)))


def _body(info: FunctionInfo) -> list[str]:
    body = info.node.body if isinstance(info.node.body, list) else [info.node.body]
    texts = [ast.dump(s) for s in body]
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return texts[1:] if documented else texts
