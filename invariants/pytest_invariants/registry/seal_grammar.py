"""The format of the registry's `seal`: the one function that decides, and how it says yes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pytest_invariants.registry.kinds import Choice
from pytest_invariants.registry.model import Reference, Seal, VerdictKind
from pytest_invariants.registry.records import Field, Record, Row
from pytest_invariants.registry.shapes import Either, ListOf, MapOf, Optional
from pytest_invariants.registry.words import identifier, reference

Sources: TypeAlias = Mapping[str, Reference | None]


@dataclass(frozen=True, slots=True)
class Answer:
    """How the seal says yes: the kind of its verdict, and the value or attribute that two of the kinds need."""

    kind: VerdictKind
    value: Reference | None = None
    attribute: str | None = None


IS = Field("is", reference("agent.seal:Verdict.OPEN"), "The one value that means allowed.")
ATTRIBUTE = Field("attribute", identifier("ok"), "The attribute of the answer that is truthy when allowed.")


def _answer(row: Row) -> Answer:
    if value := row.find(IS):
        return Answer(VerdictKind.IS, value=value)
    return Answer(VerdictKind.ATTRIBUTE, attribute=row[ATTRIBUTE])


def _sources(value: tuple[str, ...] | Sources) -> Sources:
    return dict.fromkeys(value) if isinstance(value, tuple) else value


_WORDS = {kind.value: Answer(kind) for kind in VerdictKind if kind not in (VerdictKind.IS, VerdictKind.ATTRIBUTE)}
VERDICT: Field[Answer] = Field(
    "verdict",
    Either((Choice(_WORDS), Record((IS, ATTRIBUTE), _answer, one_of=("is", "attribute")))),
    "How the seal says yes: sealed (truthy means sealed), allowed (truthy means allowed), raises (a normal return "
    "means allowed), filters (it returns the allowed elements of its subject), enters (entering it means allowed), "
    "{is: reference} (this value and no other means allowed), {attribute: name} (truthy means allowed).",
    required=True,
)
FUNCTION = Field("function", reference("agent.seal:sealed"), "The function that decides.", required=True)
SUBJECT = Field(
    "subject",
    ListOf(identifier("categories"), least=1),
    "The seal's parameters that say what is asked for.",
    required=True,
)
_SOURCE = Optional(reference("agent.turn:Turn.category"))
PRINCIPAL: Field[tuple[str, ...] | Sources] = Field(
    "principal",
    Either((ListOf(identifier("thread_category")), MapOf(identifier("thread_category"), _SOURCE))),
    "The seal's parameters that say who asks; as a mapping, with the field that the answer rightly comes from.",
)
STATE = Field(
    "state",
    ListOf(reference("agent.store:Skill.categories")),
    "Facts on which nobody but the seal may decide.",
)
ALIASES = Field(
    "aliases",
    ListOf(reference("agent.seal:logged_seal")),
    "Functions that are the seal under another name, such as a wrapper that only logs.",
)


def _seal(row: Row) -> Seal:
    answer = row[VERDICT]
    return Seal(
        function=row[FUNCTION],
        kind=answer.kind,
        subject=row[SUBJECT],
        principal=_sources(row.get(PRINCIPAL, ())),
        state=row.get(STATE, ()),
        at=row.at,
        allowed_value=answer.value,
        attribute=answer.attribute,
        aliases=row.get(ALIASES, ()),
    )


SEAL = Field(
    "seal",
    Record((FUNCTION, VERDICT, SUBJECT, PRINCIPAL, STATE, ALIASES), _seal),
    "The one function that decides what is sealed for whom.",
    required=True,
)
