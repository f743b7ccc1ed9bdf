"""What a function's own text says of how it decides: by yes or no, a reason, an exception, a part of many, or entry."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

from pytest_invariants.scaffold.annotations import Kind
from pytest_invariants.scaffold.kinds import Types
from pytest_invariants.scaffold.survey import Function
from pytest_invariants.scaffold.things import Things
from pytest_invariants.scaffold.words import word_set, words

MOST_STATEMENTS = 15
"""A function that says yes or no, and does nothing else, is not longer."""
MOST_FILTERING = 45
"""One that gathers what may be had, or looks it up and refuses, is not longer."""
ARGUMENT_ERRORS = frozenset({"TypeError", "ValueError", "AssertionError", "NotImplementedError", "RuntimeError"})
_REASONS = word_set("error denial denied refusal refused reason problem rejection violation")


class Nature(Enum):
    """How it answers."""

    YES_OR_NO = "says yes or no"
    REASON = "gives the reason why not, or nothing"
    RAISES = "raises where it refuses"
    FILTERS = "gives back what may be had"
    ENTERS = "is entered"


def nature_of(function: Function, types: Types, things: Things) -> Nature | None:
    """None where it decides nothing, or does too much to be the function that decides."""
    statements = sum(isinstance(node, ast.stmt) for node in function.nodes)
    if not (function.parameters or function.owner) or statements > MOST_FILTERING:
        return None
    if _is_context(function):
        return Nature.ENTERS if statements <= MOST_STATEMENTS else None
    given = given_back(function, types)
    if given is not None and given.many and things.points(given.cls) >= 2 and _gathers(function):
        return Nature.FILTERS
    if _looks_up(function, types, things):
        return Nature.RAISES
    return _small(function) if statements <= MOST_STATEMENTS else None


def _small(function: Function) -> Nature | None:
    if answers_yes_or_no(function):
        return Nature.YES_OR_NO
    if _gives_reason(function):
        return Nature.REASON
    if only_raises(function):
        return Nature.RAISES
    return Nature.FILTERS if filters_argument(function) else None


def given_back(function: Function, types: Types) -> Kind | None:
    return types.of_annotation(function.module, function.node.returns)


def parts_given_back(function: Function, types: Types) -> list[Kind | None]:
    """What it gives back, part by part where that is a tuple."""
    match function.node.returns:
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=parts)):
            return [types.of_annotation(function.module, part) for part in parts]
        case annotation:
            return [types.of_annotation(function.module, annotation)]


def _is_context(function: Function) -> bool:
    return any("contextmanager" in ast.unparse(each) for each in function.node.decorator_list)


def answers_yes_or_no(function: Function) -> bool:
    returns = _returned(function)
    if isinstance(function.node.returns, ast.Name) and function.node.returns.id == "bool":
        return True
    return bool(returns) and all(value is not None and _is_boolean(value) for value in returns)


def _returned(function: Function) -> list[ast.expr | None]:
    return [node.value for node in function.nodes if isinstance(node, ast.Return)]


def _is_boolean(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return any(_is_boolean(each) for each in values)
        case ast.Call(func=ast.Name(id=name)):
            return name in ("bool", "any", "all", "isinstance")
    return False


def _gives_reason(function: Function) -> bool:
    """Text, or an error, or nothing."""
    match function.node.returns:
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _is_reason(left)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return _is_reason(inner)
        case None:
            returns = [each for each in _returned(function) if each is not None]
            spoken = [each for each in returns if not (isinstance(each, ast.Constant) and each.value is None)]
            return len(spoken) < len(_returned(function)) and bool(spoken) and all(map(_is_text, spoken))
    return False


def _is_reason(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return name == "str" or bool(words(name) & _REASONS) or name.endswith("Exception")
    return False


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def only_raises(function: Function) -> bool:
    returned = any(value is not None for value in _returned(function))
    return not returned and any(isinstance(node, ast.Raise) for node in function.nodes)


def finds_fault(function: Function) -> bool:
    """Every way out by an exception says that an argument is not what it should be."""
    names = list(_raised(function))
    return bool(names) and all(name in ARGUMENT_ERRORS for name in names)


def _raised(function: Function) -> Iterator[str]:
    for node in function.nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)


def _looks_up(function: Function, types: Types, things: Things) -> bool:
    """It gives back one of the things, alone or in a tuple, and refuses by an exception of its own."""
    kinds = parts_given_back(function, types)
    gives = any(kind is not None and not kind.many and things.points(kind.cls) >= 2 for kind in kinds)
    return gives and any(name not in ARGUMENT_ERRORS for name in _raised(function))


def _gathers(function: Function) -> bool:
    """It leaves something out, or asks on whose behalf it gathers."""
    return bool(function.parameters) or any(_drops(node) for node in function.nodes)


def drops_some(function: Function) -> bool:
    return any(_drops(node) for node in function.nodes)


def _drops(node: ast.AST) -> bool:
    match node:
        case ast.comprehension(ifs=[_, *_]):
            return True
        case ast.For(body=body) | ast.AsyncFor(body=body):
            tests = [each for each in body if isinstance(each, ast.If)]
            return any(isinstance(each.body[-1], ast.Continue) or _keeps(each) for each in tests)
    return False


def _keeps(test: ast.If) -> bool:
    """Whether an element is kept only where the test says so."""
    for node in ast.walk(test):
        match node:
            case ast.Call(func=ast.Attribute(attr="append" | "add")) | ast.Yield() | ast.Subscript(ctx=ast.Store()):
                return not test.orelse
    return False


def filters_argument(function: Function) -> bool:
    """It returns a part of one of its parameters."""
    return any(
        isinstance(value, ast.ListComp | ast.GeneratorExp | ast.SetComp)
        and bool(value.generators[0].ifs)
        and isinstance(value.generators[0].iter, ast.Name)
        and value.generators[0].iter.id in function.parameters
        for value in _returned(function)
    )
