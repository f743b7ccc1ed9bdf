"""What an answer of the prover may depend on of a file, where it is known which function bodies it was read from.

Of a body that was read all of it counts, but for its documentation, its comments and its form. So does all of one that
was not read, where searches over the whole program may see something in it: a name that bears on the answer (`flow.bearing`),
an attribute that is set, an import from the program. Of any other body counts no more than whether it yields and whether
it says anything. What is outside of bodies counts always.
"""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from pytest_invariants.program.bodies import Function, outermost, says_nothing
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.source.files import text_of
from pytest_invariants.source.marks import holds, marked

Sketch: TypeAlias = tuple[object, ...]
Lines: TypeAlias = dict[int, int]
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
    groups: frozenset[str]
    """The top-level packages of the program."""


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
        sketches.append((names,) if kept else (names, *_sketch(function, reading)))
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
    said = any(_counts(node, reading) for statement in function.body for node in ast.walk(statement))
    return not said and reading.names.isdisjoint(words)


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


def _sketch(function: Function, reading: Reading) -> Sketch:
    """What is seen of a body that was not read: its kind, and all of it where something in it counts."""
    _undocument(function)
    info = FunctionInfo("", "", "", function)
    kind = (info.is_generator, info.waits_inside, info.may_swallow, says_nothing(function.body))
    counts = any(_counts(node, reading) for statement in function.body for node in ast.walk(statement))
    return (*kind, *(map(ast.dump, function.body) if counts else ()))


def _counts(node: ast.AST, reading: Reading) -> bool:
    """Whether a node may bear on the answer: it mentions a name that does, sets an attribute or imports from the program."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return True
        case ast.Import(names=names):
            return any(alias.name.partition(".")[0] in reading.groups for alias in names)
        case ast.ImportFrom(module=module, level=level):
            return level > 0 or str(module).partition(".")[0] in reading.groups
    return not reading.names.isdisjoint(_own_identifiers(node))


def _own_identifiers(node: ast.AST) -> Iterator[str]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, str) and not (isinstance(node, ast.Constant) and field == "value"):
            yield from value.split(".")
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, str))
