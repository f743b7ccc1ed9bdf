"""The swapped seal says yes, no and nothing at all in the way of every kind of verdict."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Any

import pytest
from pytest_invariants.probe.hanging import Unanswered
from pytest_invariants.probe.swap import Swapped, swap
from pytest_invariants.probe.worlds import ALLOW, DENY, Fault, World, faults, without
from pytest_invariants.registry.model import Reference, VerdictKind

from tests.probe.samples import module, seal

KINDS = """
import contextlib
import dataclasses
import enum


class SealedError(Exception):
    def __init__(self, message):
        super().__init__(message)
        self.message = message

class Verdict(enum.Enum):
    OPEN = 1
    SEALED = 2
    MAYBE = 3

@dataclasses.dataclass(frozen=True)
class Decision:
    ok: bool
    why: str

def sealed(name):
    return name == "payroll"

def reasons(name):
    return ["wrong category"] if name == "payroll" else []

def refusal(name):
    return f"{name} is sealed" if name == "payroll" else None

def allowed(name):
    return name != "payroll"

def ensure(name):
    if name == "payroll":
        raise SealedError(name)

def visible(name):
    return [each for each in name if each != "payroll"]

@contextlib.contextmanager
def opened(name):
    if name == "payroll":
        raise SealedError(name)
    yield name

def verdict(name):
    return Verdict.SEALED if name == "payroll" else Verdict.OPEN

def decision(name):
    return Decision(name != "payroll", f"about {name}")
"""
SEALED, ALLOWED, RAISES, FILTERS = VerdictKind.SEALED, VerdictKind.ALLOWED, VerdictKind.RAISES, VerdictKind.FILTERS
ENTERS, IS, ATTRIBUTE = VerdictKind.ENTERS, VerdictKind.IS, VerdictKind.ATTRIBUTE


def says_yes(kind: VerdictKind, made: Any, function: str, name: str) -> bool:
    """Asks the seal as an agent of this kind would."""
    call = getattr(made, function)
    try:
        answer = call([name]) if kind is FILTERS else call(name)
        if kind is ENTERS:
            with answer:
                return True
        return {
            SEALED: not answer,
            ALLOWED: bool(answer),
            RAISES: True,
            FILTERS: kind is FILTERS and name in (answer or ()),
            IS: answer is made.Verdict.OPEN,
            ATTRIBUTE: bool(getattr(answer, "ok", False)),
        }[kind]
    except (Exception, Unanswered):
        return False


CASES = [
    (SEALED, "sealed"),
    (SEALED, "reasons"),
    (SEALED, "refusal"),
    (ALLOWED, "allowed"),
    (RAISES, "ensure"),
    (FILTERS, "visible"),
    (ENTERS, "opened"),
    (IS, "verdict"),
    (ATTRIBUTE, "decision"),
]


def swapped_seal(made: Any, kind: VerdictKind, function: str) -> Any:
    return swap(
        seal(
            f"{made.__name__}:{function}",
            kind,
            ("name",),
            (),
            allowed_value=Reference(made.__name__, "Verdict.OPEN") if kind is IS else None,
            attribute="ok" if kind is ATTRIBUTE else None,
        )
    )


@pytest.mark.parametrize(("kind", "function"), CASES)
@pytest.mark.parametrize("world", [ALLOW, DENY, without("notes"), without("payroll")], ids=str)
def test_every_kind_says_yes_and_no(kind: VerdictKind, function: str, world: World) -> None:
    with module(KINDS) as made, swapped_seal(made, kind, function) as swapped:
        swapped.arguments = {name: {"name": name} for name in ("notes", "payroll")}
        swapped.enter(world)
        for name in ("notes", "payroll"):
            assert says_yes(kind, made, function, name) is world.allows(name)
            assert swapped.calls[-1].skills == {name}


@pytest.mark.parametrize(("kind", "function"), CASES)
def test_no_fault_is_a_way_to_say_yes(kind: VerdictKind, function: str) -> None:
    with module(KINDS) as made, swapped_seal(made, kind, function) as swapped:
        worlds = faults(kind, swapped.awaited)
        assert {Fault.RAISES, Fault.TIMES_OUT} <= {world.fault for world in worlds}
        for world in worlds:
            swapped.enter(world)
            assert says_yes(kind, made, function, "notes") is False, world


def test_only_a_seal_that_is_awaited_can_be_cancelled() -> None:
    assert World(fault=Fault.CANCELLED) in faults(SEALED, awaited=True)
    assert World(fault=Fault.CANCELLED) not in faults(SEALED, awaited=False)


def prepared(swapped: Swapped, world: World) -> Swapped:
    swapped.arguments = {name: {"name": name} for name in ("notes", "payroll")}
    swapped.enter(world)
    return swapped


def test_the_seals_own_words_are_used_where_it_gives_the_same_answer() -> None:
    with module(KINDS) as made, swapped_seal(made, SEALED, "refusal") as swapped:
        prepared(swapped, DENY)
        assert made.refusal("payroll") == "payroll is sealed"
        assert made.refusal("notes") is True
    with module(KINDS) as made, swapped_seal(made, ATTRIBUTE, "decision") as swapped:
        prepared(swapped, DENY)
        assert (made.decision("notes").ok, made.decision("notes").why) == (False, "about notes")


def test_what_is_made_up_is_of_the_same_kind() -> None:
    with module(KINDS) as made, swapped_seal(made, SEALED, "reasons") as swapped:
        assert made.reasons("payroll") == []
        prepared(swapped, DENY)
        assert made.reasons("notes") == ["sealed, says the probe"]
    with module(KINDS) as made, swapped_seal(made, IS, "verdict") as swapped:
        prepared(swapped, DENY)
        assert made.verdict("notes") is made.Verdict.SEALED


@pytest.mark.parametrize(("kind", "function"), [(RAISES, "ensure"), (ENTERS, "opened")])
def test_the_exception_is_the_one_that_the_seals_code_names(kind: VerdictKind, function: str) -> None:
    with module(KINDS) as made, swapped_seal(made, kind, function) as swapped:
        prepared(swapped, DENY)
        with pytest.raises(made.SealedError):
            made.opened("notes").__enter__() if kind is ENTERS else made.ensure("notes")


def test_the_hosts_own_answers_come_first() -> None:
    class Refusal(Enum):
        WRONG = "wrong category"

    with module(KINDS) as made, swapped_seal(made, SEALED, "sealed") as swapped:
        prepared(swapped, DENY)
        swapped.voice = type(swapped.voice)(
            kind=SEALED, innermost=made.sealed, denial=lambda skill: Refusal.WRONG, permission=lambda skill: None
        )
        assert made.sealed("notes") is Refusal.WRONG
        assert made.sealed("payroll") is True, "its own answer is a no as well"
        swapped.enter(ALLOW)
        assert made.sealed("payroll") is None


@pytest.mark.parametrize("denial", [KeyError, KeyError("payroll")])
def test_a_denial_may_be_an_exception(denial: object) -> None:
    with module(KINDS) as made, swapped_seal(made, RAISES, "ensure") as swapped:
        prepared(swapped, DENY)
        swapped.voice = type(swapped.voice)(kind=RAISES, innermost=made.ensure, denial=lambda skill: denial)
        with pytest.raises(KeyError):
            made.ensure("notes")


FOREIGN = """
import errors_of_sample

def ensure(name):
    if name == "payroll":
        raise errors_of_sample.NeedsTwo("a", "b")

def hand_over(name):
    refuse(name)

def refuse(name):
    raise ValueError
"""


def test_exceptions_that_want_arguments_or_come_from_elsewhere() -> None:
    errors = "class NeedsTwo(Exception):\n    def __init__(self, one, two): pass\n"
    with module(errors, "errors_of_sample"), module(FOREIGN) as made:
        with swapped_seal(made, RAISES, "ensure") as swapped:
            prepared(swapped, DENY)
            with pytest.raises(made.errors_of_sample.NeedsTwo):
                made.ensure("notes")
        with swapped_seal(made, RAISES, "hand_over") as swapped:
            prepared(swapped, DENY)
            with pytest.raises(ValueError, match=r"^$"):
                made.hand_over("notes")


SHAPES = """
def visible(name):
    return type(name)(each for each in name if each)

def table(name):
    return {each: name[each] for each in name}

async def later(name):
    return tuple(name)
"""


@pytest.mark.parametrize("shape", [list, tuple, set, frozenset])
def test_a_filter_keeps_the_shape_of_its_answer(shape: type) -> None:
    with module(SHAPES) as made, swapped_seal(made, FILTERS, "visible") as swapped:
        prepared(swapped, without("notes"))
        assert made.visible(shape(["notes", "payroll"])) == shape(["payroll"])


def test_a_filter_of_a_table_and_an_async_one() -> None:
    with module(SHAPES) as made, swapped_seal(made, FILTERS, "table") as swapped:
        prepared(swapped, without("notes"))
        assert made.table({"notes": 1, "payroll": 2}) == {"payroll": 2}
    with module(SHAPES) as made, swapped_seal(made, FILTERS, "later") as swapped:
        prepared(swapped, without("notes"))
        assert asyncio.run(made.later(iter(["notes", "payroll"]))) == ("payroll",)


def test_an_attribute_is_changed_on_a_copy() -> None:
    source = "class Answer:\n    ok = True\n    why = 'mine'\nONE = Answer()\ndef decision(name):\n    return ONE\n"
    with module(source) as made, swapped_seal(made, ATTRIBUTE, "decision") as swapped:
        prepared(swapped, DENY)
        answer = made.decision("notes")
        assert (answer.ok, answer.why, made.ONE.ok) == (False, "mine", True)
