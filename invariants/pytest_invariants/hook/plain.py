"""Whether the code plainly has what a registry names, so that it is known without the prover that the registry has no mistake.

Only what nobody can read otherwise counts: one definition, at the place where it is named, bound once. Of everything else
nothing is said, whether it is a mistake or not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from pytest_invariants.program.program import Program
from pytest_invariants.registry.model import Reference, Registry
from pytest_invariants.source.relevance import group_of

Statements: TypeAlias = list[ast.stmt]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (ast.ClassDef, *FUNCTIONS)
HARMLESS = frozenset({"abstractmethod", "classmethod", "dataclass", "override", "property", "staticmethod"})
"""Decorators that leave a function or a class what it is."""


def is_plain(program: Program, registry: Registry) -> bool:
    """Whether the prover finds all that it has to find."""
    seal = registry.seal
    functions = [_definition(program, each) for each in (seal.function, *seal.aliases)]
    return (
        all(isinstance(each, FUNCTIONS) for each in functions)
        and (seal.allowed_value is None or isinstance(_definition(program, seal.allowed_value), ast.Assign))
        and all(each.of is None or _is_capability(program, each.of) for each in registry.capabilities)
        and all(_has_parameter(_definition(program, each.of), each.key) for each in registry.relations)
    )


def _is_capability(program: Program, reference: Reference) -> bool:
    if not program.has(reference.module):
        return group_of(reference.module) not in {group_of(module) for module in program.sources}
    match _definition(program, reference):
        case ast.Assign(value=value) | ast.AnnAssign(value=value) if "." not in reference.qualname:
            return isinstance(value, ast.Dict | ast.List | ast.Tuple)
        case None:
            return _is_set_on_self(program, reference)
    return True


def _is_set_on_self(program: Program, reference: Reference) -> bool:
    """Whether a method of the class gives its instance a field of this name."""
    owner, _, name = reference.qualname.rpartition(".")
    cls = _definition(program, Reference(reference.module, owner)) if owner else None
    found = (node for node in ast.walk(cls) if isinstance(node, ast.Attribute)) if cls is not None else ()
    return isinstance(cls, ast.ClassDef) and any(
        (node.attr, type(node.ctx), ast.unparse(node.value)) == (name, ast.Store, "self") for node in found
    )


def _has_parameter(node: ast.stmt | None, key: str) -> bool:
    if not isinstance(node, FUNCTIONS):
        return False
    return key in {each.arg for each in (*node.args.posonlyargs, *node.args.args)}


def _definition(program: Program, reference: Reference) -> ast.stmt | None:
    """The one statement that gives a name its meaning; None where it is not plain which one, or that it keeps it."""
    tree = program.tree(reference.module)
    found: ast.stmt | None = None
    body: Statements = list(tree.body) if tree is not None else []
    for name in reference.qualname.split("."):
        binding = [each for each in body if name in _bound_by(each) or "*" in _bound_by(each)]
        if len(binding) != 1 or not _is_simple(binding[0]):
            return None
        found = binding[0]
        body = found.body if isinstance(found, ast.ClassDef) else []
    return found


def _is_simple(node: ast.stmt) -> bool:
    if not isinstance(node, DEFINITIONS):
        return isinstance(node, ast.Assign | ast.AnnAssign)
    called = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return all(ast.unparse(each).rpartition(".")[2] in HARMLESS for each in called)


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning to, or takes it from, in the body where it stands or further out."""
    if isinstance(statement, DEFINITIONS):
        outer = {name for node in ast.walk(statement) if isinstance(node, ast.Global) for name in node.names}
        return {statement.name, *outer}
    return {name for node in ast.walk(statement) for name in _binds(node)}


def _binds(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ClassDef(name=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.partition(".")[0]
        case ast.Global(names=names):
            yield from names
