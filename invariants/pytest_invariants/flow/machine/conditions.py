"""Branches: what becomes known when a value is found true or false."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import drawing, membership, noting
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Fact, Open, Related, State, Template, doubt_of_all, lives_on, losses_of
from pytest_invariants.flow.domain.terms import NOTHING, Alloc, Element, Named, Term, elements_in
from pytest_invariants.flow.domain.types import may_be_none
from pytest_invariants.flow.domain.values import (
    NONE_TYPE,
    Bound,
    Class,
    Cond,
    Const,
    Dict,
    Foreign,
    Func,
    Member,
    Module,
    Obj,
    Partial,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Union,
    Value,
    Verdict,
    Wrapped,
    term_of,
)
from pytest_invariants.flow.machine import arithmetic, counting, everywhere, quantifying
from pytest_invariants.flow.objects import tested
from pytest_invariants.flow.seal.sealing import assume_answer, compare_answer
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


OPPOSITE = {"is not": "is", "!=": "==", "not in": "in"}
MIRRORED = {"==": "==", "is": "is"}


def assume(m: Analysis, value: Value, truth: bool, state: State, scope: Scope) -> list[State]:
    """The states in which the value is true (or false); none where it cannot be."""
    match value:
        case Const():
            return [state] if bool(value.value) is truth else []
        case Verdict():
            return assume_answer(m, value, truth, state, scope)
        case Cond():
            return _condition(m, value, truth, state, scope)
        case Union():
            return [s for option in value.options for s in assume(m, option, truth, state.fork(), scope)]
        case Tuple():
            return [state] if bool(value.items) is truth else []
        case Seq() | Dict():
            return _filled(m, value, truth, state)
        case Obj():
            return _object(m, value, truth, state, scope)
        case Thunk():
            return [state] if truth else []
        case Member() if (told := _truth_of(m, value)) is not True:
            return [state] if told is None or told is truth else []
        case Func() | Class() | Module() | Bound() | Partial() | Wrapped() | Member():
            return [state] if truth else []
        case Foreign():
            return (
                [state] if truth or "." not in value.path else _atom(("true", Named(value.path), NOTHING), truth, state)
            )
        case Sym(type=kind) if kind == NONE_TYPE:
            return [] if truth else [state]
        case _:
            return _symbol(m, value, truth, state, scope)


AS_VALUES = (
    "enum.IntEnum",
    "enum.IntFlag",
    "enum.Flag",
    "enum.StrEnum",
    "builtins.int",
    "builtins.str",
    "builtins.float",
)
"""Bases by which a member is as true as its value."""


def _truth_of(m: Analysis, member: Member) -> bool | None:
    """Whether a member of an enumeration is true; None where its value, or its class, does not tell."""
    if member.cls.lookup("__bool__"):
        return None
    if not any(base in AS_VALUES for base in member.cls.foreign_bases()):
        return True
    value = m.member_value(member)
    return bool(value.value) if isinstance(value, Const) else None


def _symbol(m: Analysis, value: Value, truth: bool, state: State, scope: Scope) -> list[State]:
    term, what = term_of(value), counting.counted(m, value, state)
    if what is not None:
        return m.assume(what, truth, state, scope)
    if truth and state.known.get(("is", term, NOTHING)) is True:
        return []
    return _atom(("true", term, NOTHING), truth, state)


def _filled(m: Analysis, value: Seq | Dict, truth: bool, state: State) -> list[State]:
    """A collection that is false is empty."""
    from pytest_invariants.flow.containers.containers import contents

    cell = contents(m, value, state)
    if value.kind == "iterator" if isinstance(value, Seq) else False:
        return [state] if truth else []
    if not cell.templates and cell.closed and truth and not m.grows(value.address):
        return []
    atom = ("true", value.address, NOTHING)
    if state.known.get(atom, truth) is not truth or (not truth and cell.filled):
        return []
    state.known[atom] = truth
    if truth and cell.closed and len(cell.templates) == 1 and not lives_on(value.address):
        state.facts |= _only_element(m, cell.templates[0])
    if not truth:
        if isinstance(value, Seq):
            counting.none_is_left(m, value, state)
        state.heap[value.address] = type(cell)(closed=cell.closed, version=cell.version)
    return [state]


def _only_element(m: Analysis, template: Template) -> frozenset[Fact]:
    """A collection that can hold one thing only, and is not empty, holds it: what is known of it holds."""
    with m.standing_for_all():
        return frozenset() if m.ambiguous(term_of(template.value)) else template.facts


def _object(m: Analysis, value: Obj, truth: bool, state: State, scope: Scope) -> list[State]:
    if state.known.get(("is", value.address, NOTHING)) is True:
        return [] if truth else [state]
    from pytest_invariants.flow.objects import implicit

    told = implicit.truth(m, value, truth, state, scope)
    if told is not None:
        return told
    return [state] if truth else []


def _atom(atom: tuple[str, Term, Term], truth: bool, state: State) -> list[State]:
    """Correlated tests: what was found once is not doubted later on the same path."""
    known = state.known.get(atom)
    if known is not None:
        return [state] if known is truth else []
    state.known[atom] = truth
    return [state]


def _condition(m: Analysis, value: Cond, truth: bool, state: State, scope: Scope) -> list[State]:
    operator, operands = value.operator, value.operands
    if operator == "not":
        return assume(m, operands[0], not truth, state, scope)
    if operator == arithmetic.NUMBER:
        return assume(m, operands[0], truth, state, scope)
    if operator == "xor":
        return arithmetic.differ(m, operands[0], operands[1], truth, state, scope)
    if operator in ("and", "or"):
        return quantifying.eager(m, operands, operator, truth, state, scope)
    if operator in ("all", "any"):
        return quantifying.quantified(m, operands[0], operator, truth, state, scope)
    if operator in OPPOSITE:
        return _compared(m, OPPOSITE[operator], operands[0], operands[1], not truth, state, scope)
    return _compared(m, operator, operands[0], operands[1], truth, state, scope)


def _compared(
    m: Analysis, operator: str, left: Value, right: Value, truth: bool, state: State, scope: Scope
) -> list[State]:
    sizes = counting.sizes_compared(m, operator, left, right, state)
    if sizes is not None:
        return [state] if sizes is truth else []
    found = counting.compared(m, operator, left, right, truth, state, scope)
    if found is not None:
        return found
    numbers = arithmetic.compared(m, operator, left, right, truth, state, scope)
    if numbers is not None:
        return numbers
    if operator == "in" and (among := quantifying.among_answers(m, left, right, state)) is not None:
        return quantifying.eager(m, among, "or", truth, state, scope)
    if operator == "==" and (items := quantifying.item_by_item(m, left, right, state)) is not None:
        return quantifying.eager(m, items, "and", truth, state, scope)
    if operator == "in" and (told := quantifying.among_all(m, left, right, state)) is not None:
        return m.assume(told, truth, state, scope)
    left, right = _as_member(left), _as_member(right)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Verdict) and operator in ("is", "==", "in") and not (operator == "in" and one is right):
            return compare_answer(m, one, operator, other, truth, state, scope)
    if (
        isinstance(left, Cond)
        and operator in ("is", "==")
        and isinstance(right, Const)
        and isinstance(right.value, bool)
    ):
        return assume(m, left, truth is right.value, state, scope)
    if operator in ("is", "==") and isinstance(right, Const) and right.value is None:
        return _is_none(m, left, truth, state)
    if isinstance(left, Const) and isinstance(right, Const) and operator in ("==", "is"):
        return [state] if (left.value == right.value) is truth else []
    if isinstance(left, Member) and isinstance(right, Member) and operator in ("==", "is"):
        return [state] if (left == right) is truth else []
    if isinstance(left, Const) and isinstance(right, Tuple) and operator == "in":
        if all(isinstance(item, Const) for item in right.items):
            return [state] if (left in right.items) is truth else []
    if operator in ("==", "is") and isinstance(left, Class) and isinstance(right, Class | Foreign):
        return [state] if (term_of(left) == term_of(right)) is truth else []
    if operator == "isinstance":
        return _of_class(m, left, right, truth, state, scope)
    return _related(m, operator, left, right, truth, state)


def _of_class(m: Analysis, left: Value, right: Value, truth: bool, state: State, scope: Scope) -> list[State]:
    states = _related(m, "isinstance", left, right, truth, state)
    for after in states if truth else ():
        tested.by_test(m, left, right, after, scope)
    return states


def _as_member(value: Value) -> Value:
    """A method of an enumeration sees its own member as `self`."""
    if isinstance(value, Obj) and value.cls.is_enum and isinstance(value.address, Named):
        return Member(value.labels, value.cls, value.address.name.rpartition(".")[2])
    return value


def _related(m: Analysis, operator: str, left: Value, right: Value, truth: bool, state: State) -> list[State]:
    a, b = term_of(left), term_of(right)
    if operator in ("==", "is") and a == b:
        return [state] if truth else []
    if operator == "in" and isinstance(right, Seq | Dict):
        return _member(m, left, right, truth, state)
    states = _atom(("==" if operator == "is" else operator, a, b), truth, state)
    if truth and operator in ("==", "is", "in"):
        for after in states:
            after.facts |= {Related(a, b, member=operator == "in")}
    return states


def _member(m: Analysis, left: Value, right: Seq | Dict, truth: bool, state: State) -> list[State]:
    """`x in collection`: x is one of its elements, with what is known of that one. What its absence says, a loop may have told."""
    from pytest_invariants.flow.containers import containers

    templates = containers.elements_of(m, right, state)
    if not templates and (state.cell(right.address).closed or drawing.unrolled(m, right, state) == ()):
        noting.absent(right.address, term_of(left), state)
        return [] if truth else [state]
    states = _atom(("in", term_of(left), right.address), truth, state)
    if not states or truth:
        return membership.members(m, left, right, templates, state) if states else []
    if not noting.absent(right.address, term_of(left), state):
        doubt_absence(right.address, templates, state)
    return states


MAYBE_DENIED = ("denied", "mixed")
"""How an answer came out that was no on some of the paths here."""


def doubt_absence(address: Term, templates: tuple[Template, ...], state: State) -> None:
    """What is not among those that the seal refused may well be open; that is not followed."""
    if not isinstance(address, Alloc) or state.made_at(losses_of(address)):
        return
    refused = [call for number, call in state.calls.items() if state.outcomes.get(number) in MAYBE_DENIED]
    elements = {e for t in templates for e in elements_in(term_of(t.value)) if not _is_open(e, t)}
    if any(e in elements for call in refused for v in call.subjects for e in elements_in(term_of(v))):
        at = refused[-1].at
        state.doubts |= {doubt_of_all(Reason.OPAQUE_CALLABLE, at, "absence from what the seal refused")}


def _is_open(element: Element, template: Template) -> bool:
    """Whether the seal has let through what was put in."""
    return any(isinstance(fact, Open) and everywhere.speaks_of(fact, {element}) for fact in template.facts)


def _is_none(m: Analysis, value: Value, truth: bool, state: State) -> list[State]:
    match value:
        case Const():
            return [state] if (value.value is None) is truth else []
        case Sym(type=kind) if kind == NONE_TYPE:
            return [state] if truth else []
        case Sym():
            if not may_be_none(value.type):
                return [] if truth else [state]
            if truth and state.known.get(("true", value.term, NOTHING)) is True:
                return []
            return _atom(("is", value.term, NOTHING), truth, state)
        case _:
            return [] if truth else [state]
