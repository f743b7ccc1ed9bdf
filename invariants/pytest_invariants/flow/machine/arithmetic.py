"""Numbers and texts made of truths: `int(verdict) == 0`, `verdict ^ True`, `1 - verdict`, `str(verdict)`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_invariants.flow.containers.lookups import TRUTHS
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Term
from pytest_invariants.flow.domain.values import Cond, Const, Seq, Value, Verdict, term_of
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

NUMBER = "number"
"""The form of a number that is 1 where its operand is true, and 0 where it is not."""
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
MIRRORED = {"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
COMPUTED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.BitXor: operator.xor, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
TURNED: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip


def is_truth(m: Analysis, value: Value) -> bool:
    """Whether the value is `True` or `False`, or a number that is one of them."""
    return isinstance(value, Cond) or (isinstance(value, Verdict) and m.seal.boolean and m.seal.kind in TRUTHS)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def compared(
    m: Analysis, sign: str, left: Value, right: Value, truth: bool, state: State, scope: Scope
) -> list[State] | None:
    """A truth compared with a number; None for anything else."""
    if is_truth(m, right) and _is_number(left):
        left, right, sign = right, left, MIRRORED.get(sign, sign)
    if not is_truth(m, left) or not isinstance(right, Const) or not _is_number(right):
        return None
    if sign == "is" and (isinstance(left, Cond) and left.operator == NUMBER) is isinstance(right.value, bool):
        return [] if truth else [state]  # `1` is not `True`
    meets = SIGNS.get("==" if sign == "is" else sign)
    if meets is None:
        return None
    no, yes = meets(0, right.value), meets(1, right.value)
    if no is yes:
        return [state] if no is truth else []
    return m.assume(left, yes is truth, state, scope)


def differ(m: Analysis, left: Value, right: Value, truth: bool, state: State, scope: Scope) -> list[State]:
    """`a ^ b`"""
    return [
        end
        for one in (True, False)
        for middle in m.assume(left, one, state.fork(), scope)
        for end in m.assume(right, one is not truth, middle, scope)
    ]


def joined(form: str, left: Value, right: Value) -> Cond:
    """`a & b`, `a | b`, `a ^ b` of truths; of numbers a number."""
    made = Cond(operator=form, operands=(left, right))
    number = any(isinstance(one, Cond) and one.operator == NUMBER for one in (left, right))
    return Cond(operator=NUMBER, operands=(made,)) if number else made


def computed(m: Analysis, op: ast.operator, left: Value, right: Value, state: State, scope: Scope) -> Results | None:
    """The number that an operator makes of truths, on the path of each; None where it is not made of truths."""
    function = COMPUTED.get(type(op))
    if function is None or not any(is_truth(m, one) for one in (left, right)):
        return None
    if not all(is_truth(m, one) or _is_number(one) for one in (left, right)):
        return None
    return _on_each_path(m, function, (left, right), state, scope)


def turned(m: Analysis, op: ast.unaryop, value: Value, state: State, scope: Scope) -> Results | None:
    function = TURNED.get(type(op))
    return _on_each_path(m, function, (value,), state, scope) if function is not None and is_truth(m, value) else None


def _on_each_path(
    m: Analysis, function: Callable[..., Any], values: tuple[Value, ...], state: State, scope: Scope
) -> Results | None:
    if m.past or m.coarse or any(_speaks_of_all(m, value) for value in values):
        return None
    paths: list[tuple[tuple[Any, ...], State]] = [((), state.fork())]
    for value in values:
        paths = [((*given, got), end) for given, before in paths for got, end in _known(m, value, before, scope)]
    try:
        return [(Const(value=function(*given)), end) for given, end in paths]
    except ArithmeticError:
        return None


def _known(m: Analysis, value: Value, state: State, scope: Scope) -> list[tuple[Any, State]]:
    if isinstance(value, Const):
        return [(value.value, state)]
    kind = int if isinstance(value, Cond) and value.operator == NUMBER else bool
    return [(kind(truth), end) for truth in (True, False) for end in m.assume(value, truth, state.fork(), scope)]


def _speaks_of_all(m: Analysis, value: Value) -> bool:
    """Whether it is an answer about some element or other: of such a one nothing is decided before it is drawn."""
    terms: list[Term] = [term_of(s) for verdict in m.verdicts_in(value) for s in verdict.call.subjects]
    parts = value.operands if isinstance(value, Cond) else ()
    return any(m.ambiguous(term) for term in terms) or any(
        isinstance(part, Seq) or (isinstance(part, Cond) and _speaks_of_all(m, part)) for part in parts
    )


def converted(m: Analysis, path: str, arguments: Arguments, state: State, scope: Scope) -> Results | None:
    """`int(x)` and `str(x)` of a truth; None for anything else."""
    if path not in ("builtins.int", "builtins.str") or len(arguments.every()) != 1 or not arguments.positional:
        return None
    (value,) = arguments.positional
    if not is_truth(m, value):
        return None
    if path == "builtins.int":
        return [(Cond(value.labels, NUMBER, (value,)), state)]
    return _on_each_path(m, str, (value,), state, scope)
