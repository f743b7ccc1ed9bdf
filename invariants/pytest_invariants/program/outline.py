"""What an answer of the prover may depend on of a file, where it is known which function bodies it was read from.

Of a body that was read all of it counts, but for its documentation, its comments and its form. Of one that was not read the
values of numbers and texts do not count either: the searches over the whole program go by names, and by the types of what
stands there. What is outside of bodies counts always.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from pytest_invariants.program.bodies import Function, outermost
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.source.files import text_of
from pytest_invariants.source.marks import holds, marked

Sketch: TypeAlias = tuple[object, ...]
Lines: TypeAlias = dict[int, int]
BY_TEXT = frozenset({
    "getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "cast", "eval", "exec", "compile", "globals", "locals",
    "vars", "__import__", "import_module", "reload", "TypeVar", "NewType", "__dict__", "modules",
})  # fmt: skip
"""What takes the text that it is given for a name."""
PLAIN = (
    ast.Return, ast.Expr, ast.Assign, ast.If, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Name, ast.Constant,
    ast.Call, ast.JoinedStr, ast.FormattedValue, ast.Pass, ast.Raise, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop,
)  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a file an answer was read from. Functions are told by their positions among those that stand in no other."""

    whole: frozenset[int]
    """Those that were read."""
    named: frozenset[int]
    """Those of which the names were read that they mention."""
    names: frozenset[str]
    """The names that bear on the answer."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where each line of the outline is now, and each function. With `renamed`, a function that is called after its line
    is called otherwise. `added` are functions that came, by name: they mention nothing that bears on the answer."""

    lines: Lines
    positions: tuple[int, ...]
    renamed: bool = False
    added: tuple[str, ...] = ()


def moved(old: bytes, new: bytes, reading: Reading) -> Moved | None:
    """Where everything is in the new version of a file; None where its outline is another, or a version does not parse."""
    try:
        before, after = _parsed(old), _parsed(new)
        added = [each for each in after.body if isinstance(each, _FUNCTIONS) and _is_news(each, old, reading)]
        positions = tuple(at for at, function in enumerate(outermost(after)) if function not in added)
        after.body = [each for each in after.body if each not in added]
        if _reduced(before, reading) != _reduced(after, reading) or ast.dump(before) != ast.dump(after):
            return None
        found = _moved(before, after, marked(text_of(old)), marked(text_of(new)))
        return replace(found, positions=positions, added=tuple(each.name for each in added)) if found else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parsed(content: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(content)


def _reduced(tree: ast.Module, reading: Reading) -> list[Sketch]:
    """Leave the outline in the tree, and give sketches of what was taken out."""
    sketches: list[Sketch] = []
    for position, function in enumerate(outermost(tree)):
        names = FunctionInfo("", "", "", function).mentioned if position in reading.named else ()
        kept = position in reading.whole
        sketches.append((names,) if kept else (names, *_sketch(function)))
        if not kept:
            function.body = []
    _undocument(tree)
    return sketches


def _is_news(function: Function, old: bytes, reading: Reading) -> bool:
    """Whether a function has a name that the old version of its file knows nothing of, and nothing that bears on the answer."""
    spec = function.args
    defaults = [*spec.defaults, *(each for each in spec.kw_defaults if each is not None)]
    if (
        function.name.startswith("__")  # what the language asks for nobody has to spell
        or function.name.encode() in old
        or function.decorator_list
        or not all(isinstance(d, ast.Constant) for d in defaults)
    ):
        return False
    parts = [spec, *([function.returns] if function.returns is not None else [])]
    words = {word for part in parts for node in ast.walk(part) for word in _words(node)}
    words |= {word for statement in function.body for node in ast.walk(statement) for word in _words(node)}
    return _is_plain(function) and reading.names.isdisjoint(words)


def _words(node: ast.AST) -> list[str]:
    """The names of a node, and the words of a text that may stand for an annotation."""
    if isinstance(node, ast.Constant):
        return re.findall(r"\w+", node.value) if isinstance(node.value, str) else []
    return sorted(_own_identifiers(node))


def _undocument(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and node.body:
            match node.body[0]:
                case ast.Expr(value=ast.Constant(value=str()) as text):
                    text.value, text.kind = "", None


def _moved(before: ast.Module, after: ast.Module, marks: list[int], marks_now: list[int]) -> Moved | None:
    """Compare two trees of one structure: what stood on one line stands on one line, in the same order, and the same
    statements have marks."""
    lines: Lines = {}
    renamed = False
    for node, other in zip(ast.walk(before), ast.walk(after), strict=True):
        line, now = getattr(node, "lineno", 0), getattr(other, "lineno", 0)
        if lines.setdefault(line, now) != now:
            return None
        if isinstance(node, ast.stmt) and isinstance(other, ast.stmt) and holds(node, marks) != holds(other, marks_now):
            return None
        if isinstance(node, ast.Lambda) and line != now:
            renamed = True
            if len(str(line)) != len(str(now)):  # names of lambdas are sorted as texts
                return None
    places = [lines[line] for line in sorted(lines)]
    return Moved(lines, (), renamed) if all(one < other for one, other in itertools.pairwise(places)) else None


def _sketch(function: Function) -> Sketch:
    """What is seen of a body that was not read: all of it, but for the values of numbers and texts."""
    _undocument(function)
    spoken = {name for node in ast.walk(function) for name in _own_identifiers(node)}
    return tuple(ast.dump(each if spoken & BY_TEXT else _Valueless().visit(each)) for each in function.body)


class _Valueless(ast.NodeTransformer):
    """Takes the values of numbers and texts away, and leaves their types; texts may stand for annotations."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        plain = isinstance(node.value, str | bytes | int | float | complex) and not isinstance(node.value, bool)
        return ast.Constant(type(node.value).__name__) if plain else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]


def _is_plain(function: Function) -> bool:
    """Whether it only computes with its parameters, constants and builtins."""
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    spec = function.args
    known = {one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)} | set(dir(builtins))
    known |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    spoken = {node.id for node in nodes if isinstance(node, ast.Name)}
    return all(isinstance(node, PLAIN) for node in nodes) and spoken <= known - BY_TEXT


def _own_identifiers(node: ast.AST) -> Iterator[str]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, str) and not (isinstance(node, ast.Constant) and field == "value"):
            yield from value.split(".")
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, str))
