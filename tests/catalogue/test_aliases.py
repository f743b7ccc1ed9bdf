"""aliases-sealed: a spelling that is taken for a skill is sealed with it."""

from __future__ import annotations

import hashlib
import unicodedata
from urllib.parse import unquote

import pytest
from pytest_invariants.catalogue.doors.aliases_sealed import INVARIANT
from pytest_invariants.probe.host import Host, Outcome
from pytest_invariants.probe.spelling import spellings
from pytest_invariants.verdict import Reason, Verdict

from tests.catalogue import small
from tests.catalogue.small import CATEGORIES, Small, finding_of


class Folding(Small):
    """Knows its skills by many spellings, and asks about what it found."""

    def found(self, name: str) -> str:
        return unicodedata.normalize("NFKC", unquote(name)).strip().casefold().removeprefix("mcp__")

    def activate(self, *names: str) -> Outcome:
        return super().activate(*map(self.found, names))


class AsksByTheSpelling(Folding):
    """What was not found among the facts has none, and what has none is unrestricted."""

    def activate(self, *names: str) -> Outcome:
        if any(small.sealed(CATEGORIES.get(name, ()), self.category) for name in names):
            return Outcome(False, "sealed")
        return Outcome(all(self.found(name) in self.skills for name in names))


class AsksOnlyAboutPlainNames(Folding):
    def activate(self, *names: str) -> Outcome:
        if any(name in self.skills and self.closed(name) for name in names):
            return Outcome(False, "sealed")
        return Outcome(all(self.found(name) in self.skills for name in names))


class FirstLoadedWins(Folding):
    """A case variant is looked up in the order of loading, so it is another skill's."""

    def activate(self, *names: str) -> Outcome:
        if any(self.closed(name if name in self.skills else "ledger") for name in names):
            return Outcome(False, "sealed")
        return Outcome(all(self.found(name) in self.skills for name in names))


class SealsWhatItDoesNotKnow(Folding):
    """Honest: what has no facts is asked about as something that nobody may have."""

    def activate(self, *names: str) -> Outcome:
        if any(small.sealed(CATEGORIES.get(name, ("nobody",)), self.category) for name in names):
            return Outcome(False, "sealed")
        return Outcome(all(self.found(name) in self.skills for name in names))


class AnythingComesOut(Small):
    """The host takes every answer for something."""

    def activate(self, *names: str) -> Outcome:
        return Outcome(not any(name in self.skills and self.closed(name) for name in names))


class ByHash(Small):
    """Has names of its own, which the host tells."""

    def hashed(self, skill: str) -> str:
        return f"tool-{hashlib.sha256(skill.encode()).hexdigest()[:5]}"

    def spellings(self, skill: str) -> list[str]:
        return [self.hashed(skill)]

    def activate(self, *names: str) -> Outcome:
        known = {self.hashed(skill): skill for skill in self.skills}
        return super().activate(*(known.get(name, name) for name in names))


class HashIsADoor(ByHash):
    def activate(self, *names: str) -> Outcome:
        hashed = map(self.hashed, self.skills)
        return Outcome(True) if names[0] in hashed else Small.activate(self, *names)


@pytest.mark.parametrize(
    ("host", "reason", "said"),
    [
        (Small, None, "none is accepted"),
        (Folding, None, "are accepted (in another case, "),
        (SealsWhatItDoesNotKnow, None, "are accepted (in another case, "),
        (AnythingComesOut, Reason.HARNESS, "something comes out of `activate` for `no-such-skill`"),
        (ByHash, None, "3 are accepted (by another name), and sealed with it"),
        (AsksByTheSpelling, Reason.WRONG_SUBJECT, "(`ledger` in another case) comes out of `activate`"),
        (AsksOnlyAboutPlainNames, Reason.LEAKED, "the seal was not asked once"),
        (FirstLoadedWins, Reason.WRONG_SUBJECT, "(`notes` in another case) comes out of `activate`"),
        (HashIsADoor, Reason.LEAKED, "(`ledger` by another name) comes out of `activate` though"),
    ],
)
def test_spellings_of_skills(host: type[Host], reason: Reason | None, said: str) -> None:
    finding = finding_of(INVARIANT, host, "activate")
    assert finding.reason is reason, finding
    assert finding.verdict is (Verdict.REFUTED if reason else Verdict.HELD)
    assert said in finding.message


class Files(Small):
    """The parts of a skill are its files, and paths are made plain before anything is asked."""

    def parts(self, skill: str) -> list[str]:
        return [f"{skill}/SKILL.md", f"{skill}/run.py"]

    def reach(self, path: str) -> Outcome:
        plain = unquote(path).removeprefix("./")
        known = [part for skill in self.skills for part in self.parts(skill)]
        return Outcome(plain in known and not self.closed(plain.partition("/")[0]))


class FilterSeesTheRawPath(Files):
    def reach(self, path: str) -> Outcome:
        skill, plain = path.partition("/")[0], unquote(path).removeprefix("./")
        known = [part for skill in self.skills for part in self.parts(skill)]
        return Outcome(plain in known and not (skill in self.skills and path in known and self.closed(skill)))


class NothingReached(Files):
    def reach(self, path: str) -> Outcome:
        return Outcome(False, "no such file")


@pytest.mark.parametrize(
    ("host", "verdict", "reason", "said"),
    [
        (Files, Verdict.HELD, None, "are accepted (URL-encoded, as a path)"),
        (FilterSeesTheRawPath, Verdict.REFUTED, Reason.LEAKED, "(`ledger/SKILL.md` URL-encoded) comes out though"),
        (NothingReached, Verdict.REFUTED, Reason.NOT_SHOWN, "does not come out though the seal says yes to everything"),
        (Small, Verdict.UNEXAMINED, None, "the host has no `parts`"),
    ],
)
def test_spellings_of_parts(host: type[Host], verdict: Verdict, reason: Reason | None, said: str) -> None:
    finding = finding_of(INVARIANT, host)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding
    assert said in finding.message


def test_the_script_ends_with_the_spelling() -> None:
    finding = finding_of(INVARIANT, AsksOnlyAboutPlainNames, "activate")
    assert finding.trace[-1].note == "'LEDGER' is asked for of `activate`: it comes out"


@pytest.mark.parametrize("name", ["ledger", "order-change", "warehouse__count", "ledger/SKILL.md", "straße", "k"])
def test_spellings_differ_from_the_name_and_from_each_other(name: str) -> None:
    texts = [spelling.text for spelling in spellings(name)]
    assert len(texts) > 40
    assert name not in texts
    assert len(set(texts)) == len(texts)
    assert {name.upper(), f" {name}", f"./{name}", f"mcp__{name}"} <= set(texts)
