"""refusal-truthful, browse-silent and order-whole."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.doors import browse_silent, order_whole, refusal_truthful
from pytest_invariants.probe.host import Host, Listing, Outcome
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue.small import CATEGORIES, Small, finding_of


def refusal(host: type[Host], policy: str = "truthful", **more: object) -> Finding:
    return finding_of(refusal_truthful.INVARIANT, host, "activate", policies={"refusal": policy}, **more)


class Telling(Small):
    """Names the facts."""

    def activate(self, *names: str) -> Outcome:
        outcome = super().activate(*names)
        needed = " ".join(CATEGORIES.get(names[0], ()))
        return outcome if outcome.ran else Outcome(False, f"{outcome.text}: {needed} against {self.category}")

    def refusal_facts(self, skill: str) -> list[str]:
        return [*CATEGORIES[skill], str(self.category)]


class Denies(Small):
    """Says of what is sealed that it does not exist."""

    def activate(self, *names: str) -> Outcome:
        outcome = super().activate(*names)
        return outcome if outcome.ran else Outcome(False, f"there is no skill {names[0]}")


class Mute(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(super().activate(*names).ran)


class HalfTelling(Telling):
    def refusal_facts(self, skill: str) -> list[str]:
        return [*super().refusal_facts(skill), "trusted-provider"]


class RunsAnything(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(names[0] not in self.skills or super().activate(*names).ran)


@pytest.mark.parametrize(
    ("host", "policy", "reason"),
    [
        (Small, "truthful", None),
        (Telling, "truthful", None),
        (Denies, "truthful", Reason.DISAGREES),
        (Mute, "truthful", Reason.DISAGREES),
        (HalfTelling, "truthful", Reason.DISAGREES),
        (RunsAnything, "truthful", Reason.NOT_SHOWN),
        (Denies, "indistinguishable", None),
        (Mute, "indistinguishable", None),
        (Small, "indistinguishable", Reason.DISAGREES),
    ],
)
def test_refusals_keep_their_policy(host: type[Host], policy: str, reason: Reason | None) -> None:
    finding = refusal(host, policy)
    assert finding.reason is reason, finding
    assert finding.passes is (reason is None)


def test_what_is_missing_from_a_refusal_is_named() -> None:
    assert "does not name 'trusted-provider'" in refusal(HalfTelling).message


def test_without_a_policy_no_refusal_is_judged() -> None:
    finding = finding_of(refusal_truthful.INVARIANT, Small, "activate")
    assert finding.verdict is Verdict.UNEXAMINED
    assert refusal(Small, hidden=("activate",)).verdict is Verdict.UNEXAMINED


class Spoken(Small):
    """A list with a text, in which one description mentions another skill."""

    def index(self) -> Listing:
        names = tuple(skill for skill in self.skills if not self.closed(skill))
        lines = [f"- {name}: {'see also notes' if name == 'ledger' else 'a skill'}" for name in names]
        return Listing(names, "\n".join(["Skills", *lines]))


class Explains(Spoken):
    def index(self) -> Listing:
        listing = super().index()
        closed = [skill for skill in self.skills if self.closed(skill)]
        return Listing(
            listing.names, f"{listing.text}\nsealed for you: {', '.join(closed)}" if closed else listing.text
        )


class Breaks(Spoken):
    def index(self) -> Listing:
        if self.closed("payroll"):
            raise PermissionError("payroll")
        return super().index()


class ListsNothing(Spoken):
    def index(self) -> Listing:
        return Listing(())


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        (Small, None),
        (Spoken, None),
        (Explains, Reason.LEAKED),
        (Breaks, Reason.DISAGREES),
        (ListsNothing, Reason.NOT_SHOWN),
    ],
)
def test_lists_are_silent(host: type[Host], reason: Reason | None) -> None:
    finding = finding_of(browse_silent.INVARIANT, host, "index")
    assert finding.reason is reason, finding
    assert finding.passes is (reason is None)


def test_it_is_said_when_there_was_no_text() -> None:
    assert "its text was not given" in finding_of(browse_silent.INVARIANT, Small, "index").message
    assert "names nothing" in finding_of(browse_silent.INVARIANT, Spoken, "index").message


class OpensOneByOne(Small):
    def activate(self, *names: str) -> Outcome:
        ran = False
        for name in names:
            if name not in self.skills or self.closed(name):
                return Outcome(ran, f"{name} is not there")
            ran = True
        return Outcome(ran)


class DropsTheSealed(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(any(name in self.skills and not self.closed(name) for name in names))


class ForgetsTheUnknown(Small):
    def activate(self, *names: str) -> Outcome:
        return super().activate(*(name for name in names if name in self.skills))


class NeverWhole(Small):
    def activate(self, *names: str) -> Outcome:
        return Outcome(len(names) == 1 and super().activate(*names).ran)


class OneName(Small):
    def activate(self, name: str) -> Outcome:  # type: ignore[override]
        return super().activate(name)


@pytest.mark.parametrize(
    ("host", "verdict", "reason"),
    [
        (Small, Verdict.HELD, None),
        (OpensOneByOne, Verdict.REFUTED, Reason.LEAKED),
        (DropsTheSealed, Verdict.REFUTED, Reason.LEAKED),
        (ForgetsTheUnknown, Verdict.REFUTED, Reason.LEAKED),
        (NeverWhole, Verdict.REFUTED, Reason.NOT_SHOWN),
        (OneName, Verdict.UNEXAMINED, None),
    ],
)
def test_orders_are_whole(host: type[Host], verdict: Verdict, reason: Reason | None) -> None:
    finding = finding_of(order_whole.INVARIANT, host, "activate")
    assert (finding.verdict, finding.reason) == (verdict, reason), finding
