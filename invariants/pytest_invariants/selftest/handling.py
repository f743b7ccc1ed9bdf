"""Operators on how the seal is used: its answer is kept, or its rule is written out once more."""

from __future__ import annotations

import ast
import copy

from pytest_invariants.registry.model import VerdictKind
from pytest_invariants.selftest.code import Function
from pytest_invariants.selftest.site import NotApplicable, Site


def cache_verdict(site: Site) -> None:
    """The first answer about a thing is kept for good, whoever asks next."""
    asked, key = site.answered, ast.Call(ast.Name("str"), [copy.deepcopy(site.subject())], [])
    kind = site.seal.declared.kind
    if kind is VerdictKind.ENTERS:
        raise NotApplicable("a context has no answer to keep")
    kept = site.fresh("_ANSWERS")
    if kind is VerdictKind.RAISES:
        _ask_once_each(site, kept, key)
        return
    site.prelude.append(f"{kept} = {{}}")
    known = ast.Compare(key, [ast.In()], [ast.Name(kept)])
    old = ast.Subscript(ast.Name(kept), key)
    new = ast.Call(ast.Attribute(ast.Name(kept), "setdefault"), [key, copy.deepcopy(asked)], [])
    site.replace(asked, ast.IfExp(known, old, new))


def _ask_once_each(site: Site, kept: str, key: ast.expr) -> None:
    """For a seal that raises: who has passed once is not asked again."""
    statement = site.statement
    if not isinstance(statement, ast.Expr):
        raise NotApplicable("the question is part of another statement")
    site.prelude.append(f"{kept} = set()")
    unknown = ast.Compare(key, [ast.NotIn()], [ast.Name(kept)])
    remember = ast.Expr(ast.Call(ast.Attribute(ast.Name(kept), "add"), [key], []))
    site.put(statement, ast.If(unknown, [statement, remember], []))


def look_alike(site: Site) -> None:
    """The seal's rule is written out again beside the question: right today, and deaf to the seal of tomorrow."""
    function = site.seal.function
    if function is None or site.seal.is_method or function.decorator_list:
        raise NotApplicable("the seal is no plain function that could be copied")
    name = site.fresh("_sealed_here")
    twin = _copied(function, name)
    site.prelude.extend((*_imports(site, twin), ast.unparse(twin)))
    site.call.func = ast.Name(name)


def _copied(function: Function, name: str) -> Function:
    """The rule without its documentation and annotations."""
    twin = copy.deepcopy(function)
    twin.name, twin.returns = name, None
    twin.body = twin.body[1:] if ast.get_docstring(twin) and len(twin.body) > 1 else twin.body
    for one in ast.walk(twin.args):
        if isinstance(one, ast.arg):
            one.annotation = None
    return twin


def _imports(site: Site, twin: Function) -> list[str]:
    """What the rule uses of the seal's module."""
    reference = site.seal.declared.function
    module = site.code.module(reference.module)
    if module is None or module.name == site.module.name:
        return []
    used = {node.id for node in ast.walk(twin) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return [f"from {reference.module} import {name}" for name in sorted(used & _globals(module.tree()))]


def _globals(tree: ast.Module) -> set[str]:
    """Names that a module binds at its top level."""
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(one.asname or one.name).partition(".")[0] for one in names}
            case ast.Assign(targets=targets):
                found |= {one.id for one in targets if isinstance(one, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found
