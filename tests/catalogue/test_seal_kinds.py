"""seal-decides with a seal of every kind: an honest agent holds, and one that misreads the answer falls."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from pytest_invariants.catalogue.doors.seal_decides import INVARIANT
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.registry.model import Reference, Seal, VerdictKind
from pytest_invariants.verdict import Reason

from tests.catalogue.small import finding_of
from tests.probe.samples import seal

CATEGORY = {"ledger": "office", "notes": "home"}


class SealedError(Exception):
    """Knows the skill, as a refusal of the agent's own would."""


class Answer(enum.Enum):
    OPEN = "open"
    SEALED = "sealed"
    ASK = "ask"


@dataclass(frozen=True)
class Decision:
    ok: bool
    why: str


def allowed(name: str, category: str | None) -> bool:
    return CATEGORY[name] == category


def ensure(name: str, category: str | None) -> None:
    if CATEGORY[name] != category:
        raise SealedError(name)


def visible(names: list[str], category: str | None) -> list[str]:
    return [name for name in names if CATEGORY[name] == category]


@contextlib.contextmanager
def opened(name: str, category: str | None) -> Iterator[str]:
    if CATEGORY[name] != category:
        raise SealedError(name)
    yield name


def answered(name: str, category: str | None) -> Answer:
    return Answer.OPEN if CATEGORY[name] == category else Answer.ASK


def decided(name: str, category: str | None) -> Decision:
    return Decision(CATEGORY[name] == category, f"{name} in {category}")


class Base(Host):
    """Judges each skill by `lets`."""

    skills = tuple(CATEGORY)

    def open(self, facts: Facts) -> None:
        self.category = facts.category

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"name": skill}

    def lets(self, name: str) -> bool:
        raise NotImplementedError

    def index(self) -> list[str]:
        return [name for name in self.skills if self.lets(name)]

    def activate(self, name: str) -> Outcome:
        return Outcome(self.lets(name))


class Allowed(Base):
    def lets(self, name: str) -> bool:
        return bool(allowed(name, self.category))


class AllowedUnlessFalse(Base):
    """`None` is taken for a yes."""

    def lets(self, name: str) -> bool:
        return allowed(name, self.category) is not False


class Raises(Base):
    def lets(self, name: str) -> bool:
        try:
            ensure(name, self.category)
        except SealedError:
            return False
        return True


class RaisesWhatever(Base):
    """Any other error of the seal is taken for a yes."""

    def lets(self, name: str) -> bool:
        try:
            ensure(name, self.category)
        except SealedError:
            return False
        except Exception:
            return True
        return True


class Filters(Base):
    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"names": skill}

    def lets(self, name: str) -> bool:
        return bool(visible([name], self.category))

    def index(self) -> list[str]:
        return visible(list(self.skills), self.category)


class FiltersOnlyTheFirst(Filters):
    def index(self) -> list[str]:
        return visible(list(self.skills[:1]), self.category) + list(self.skills[1:])


class Enters(Base):
    def lets(self, name: str) -> bool:
        try:
            with opened(name, self.category):
                return True
        except SealedError:
            return False


class EntersNever(Base):
    """Builds the context manager, and does not enter it."""

    def lets(self, name: str) -> bool:
        return opened(name, self.category) is not None


class Is(Base):
    def lets(self, name: str) -> bool:
        return answered(name, self.category) is Answer.OPEN


class IsNotSealed(Base):
    """A third value is taken for a yes."""

    def lets(self, name: str) -> bool:
        return answered(name, self.category) is not Answer.SEALED


class Attribute(Base):
    def lets(self, name: str) -> bool:
        return decided(name, self.category).ok


class AttributeForgotten(Base):
    """The decision is an object, and every object is true."""

    def lets(self, name: str) -> bool:
        return bool(decided(name, self.category))


def row(function: str, kind: VerdictKind, subject: str = "name") -> Seal:
    return seal(
        f"{__name__}:{function}",
        kind,
        (subject,),
        ("category",),
        allowed_value=Reference(__name__, "Answer.OPEN") if kind is VerdictKind.IS else None,
        attribute="ok" if kind is VerdictKind.ATTRIBUTE else None,
    )


ROWS = {
    VerdictKind.ALLOWED: row("allowed", VerdictKind.ALLOWED),
    VerdictKind.RAISES: row("ensure", VerdictKind.RAISES),
    VerdictKind.FILTERS: row("visible", VerdictKind.FILTERS, "names"),
    VerdictKind.ENTERS: row("opened", VerdictKind.ENTERS),
    VerdictKind.IS: row("answered", VerdictKind.IS),
    VerdictKind.ATTRIBUTE: row("decided", VerdictKind.ATTRIBUTE),
}


@pytest.mark.parametrize("surface", ["index", "activate"])
@pytest.mark.parametrize(
    ("kind", "host"),
    [
        (VerdictKind.ALLOWED, Allowed),
        (VerdictKind.RAISES, Raises),
        (VerdictKind.FILTERS, Filters),
        (VerdictKind.ENTERS, Enters),
        (VerdictKind.IS, Is),
        (VerdictKind.ATTRIBUTE, Attribute),
    ],
)
def test_an_honest_agent_holds(kind: VerdictKind, host: type[Host], surface: str) -> None:
    finding = finding_of(INVARIANT, host, surface, row=ROWS[kind])
    assert finding.passes, finding


@pytest.mark.parametrize(
    ("kind", "host", "reason"),
    [
        (VerdictKind.ALLOWED, AllowedUnlessFalse, Reason.FAILS_OPEN),
        (VerdictKind.RAISES, RaisesWhatever, Reason.FAILS_OPEN),
        (VerdictKind.FILTERS, FiltersOnlyTheFirst, Reason.LEAKED),
        (VerdictKind.ENTERS, EntersNever, Reason.LEAKED),
        (VerdictKind.IS, IsNotSealed, Reason.LEAKED),
        (VerdictKind.ATTRIBUTE, AttributeForgotten, Reason.LEAKED),
    ],
)
def test_one_that_misreads_the_answer_falls(kind: VerdictKind, host: type[Host], reason: Reason) -> None:
    finding = finding_of(INVARIANT, host, "index", row=ROWS[kind])
    assert finding.reason is reason, finding
