"""Whether the code plainly has what a registry names, so that it is known without the prover that the registry has no mistake.

Only what nobody can read otherwise counts: one definition, at the place where it is named, bound once. Of everything else
nothing is said, whether it is a mistake or not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeAlias

from pytest_invariants.program.program import Program
from pytest_invariants.registry.model import Reference, Registry
from pytest_invariants.source.files import text_of
from pytest_invariants.source.relevance import group_of

Statements: TypeAlias = list[ast.stmt]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (ast.ClassDef, *FUNCTIONS)
BUILTINS = frozenset({"classmethod", "property", "staticmethod"})
HARMLESS = {
    "abc": {"abstractmethod"},
    "dataclasses": {"dataclass"},
    "typing": {"override"},
    "typing_extensions": {"override"},
}
"""Decorators that leave a function or a class what it is, by the module that they come from."""
REFLECTION = re.compile(
    r"\b(?:exec|globals|locals|vars|setattr|delattr)\(|__dict__|\bsys\.modules\b|\bimportlib\.reload\b|\bimport\b[^\n]*\breload\b"
)
"""What may give a name of any module another meaning."""


def is_plain(program: Program, registry: Registry) -> bool:
    """Whether the prover finds all that it has to find."""
    seal = registry.seal
    if _may_be_given_anew(program, {each.qualname.partition(".")[0] for each in _looked_up(registry)}):
        return False
    functions = [_definition(program, each) for each in (seal.function, *seal.aliases)]
    return (
        all(isinstance(each, FUNCTIONS) for each in functions)
        and (seal.allowed_value is None or isinstance(_definition(program, seal.allowed_value), ast.Assign))
        and all(each.of is None or _is_capability(program, each.of) for each in registry.capabilities)
        and all(_has_parameter(_definition(program, each.of), each.key) for each in registry.relations)
    )


def _looked_up(registry: Registry) -> Iterator[Reference]:
    seal = registry.seal
    every = (seal.function, *seal.aliases, seal.allowed_value, *(each.of for each in registry.capabilities))
    yield from (each for each in every if each is not None)
    yield from (each.of for each in registry.relations)


def _may_be_given_anew(program: Program, names: set[str]) -> bool:
    """Whether a module's name may get its meaning from elsewhere: as an attribute of the module, or by reflection."""
    one = "|".join(map(re.escape, sorted(names)))
    spoken, given = re.compile(rf"\b(?:{one})\b"), re.compile(rf"\.(?:{one})\b[ \t]*=(?!=)|\bdel\b.*\.(?:{one})\b")
    texts = [text_of(content) for content in program.contents.values()]
    return any(given.search(text) or (spoken.search(text) and REFLECTION.search(text)) for text in texts)


def _is_capability(program: Program, reference: Reference) -> bool:
    if not program.has(reference.module):
        return group_of(reference.module) not in {group_of(module) for module in program.sources}
    module_level = "." not in reference.qualname
    match _definition(program, reference):
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value) if module_level:
            return isinstance(target, ast.Name) and isinstance(value, ast.Dict | ast.List | ast.Tuple)
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
    if tree is None:
        return None
    found: ast.stmt | None = None
    body: Statements = list(tree.body)
    for name in reference.qualname.split("."):
        binding = [each for each in body if name in _bound_by(each) or "*" in _bound_by(each)]
        if len(binding) != 1 or not _is_simple(binding[0], tree):
            return None
        found = binding[0]
        body = found.body if isinstance(found, ast.ClassDef) else []
    return found


def _is_simple(node: ast.stmt, tree: ast.Module) -> bool:
    if not isinstance(node, DEFINITIONS):
        return isinstance(node, ast.Assign | ast.AnnAssign)
    called = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return all(_is_harmless(ast.unparse(each), tree) for each in called)


def _is_harmless(decorator: str, tree: ast.Module) -> bool:
    """Whether a decorator is what it is called: a builtin whose name is bound nowhere, or what one import brings."""
    first, _, rest = decorator.partition(".")
    bound = [node for node in ast.walk(tree) if not {first, "*"}.isdisjoint(_binds(node))]
    if not bound:
        return decorator in BUILTINS
    for statement in tree.body if len(bound) == 1 else ():
        match statement:
            case ast.Import(names=[alias]) if alias is bound[0]:
                return rest in HARMLESS.get(alias.name, ())
            case ast.ImportFrom(module=str(module), level=0, names=names) if bound[0] in names:
                return not rest and _imported(bound[0]) in HARMLESS.get(module, ())
    return False


def _imported(node: ast.AST) -> str:
    return node.name if isinstance(node, ast.alias) else ""


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
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.arg(arg=name):
            yield name
