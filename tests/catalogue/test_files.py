"""The family of skill files: what lies on the disk, what a loader makes of it, and what a disable list takes away."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytest_invariants.catalogue.files import disable_matches, skill_file_valid, skill_names_unique
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.probe.host import Host
from pytest_invariants.probe.odd_skills import FILES, NAMES, PLAIN, OddSkills, manual
from pytest_invariants.registry.model import Registry
from pytest_invariants.source.skill_trees import skill_tree
from pytest_invariants.verdict import Finding, Place, Reason, Verdict

from tests.catalogue import readers
from tests.catalogue.small import Small, finding_of, small_registry

VALID = skill_file_valid.INVARIANT
UNIQUE = skill_names_unique.INVARIANT
DISABLE = disable_matches.INVARIANT
SOUND = manual()


@dataclass(frozen=True)
class Reading:
    """As much of the prover as an invariant of files needs."""

    registry: Registry


def proved(invariant: Invariant, root: Path, *folders: str, **policies: str) -> Finding:
    rows = replace(small_registry(Small), root=root, skills=folders or ("skills",), policies=policies)
    assert invariant.prove is not None
    return invariant.prove(Reading(rows), None)  # type: ignore[arg-type]


def lay(root: Path, **files: str | bytes) -> None:
    """Manuals by the names of their folders below `skills`."""
    for name, content in files.items():
        file = root / "skills" / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


# -- what lies on the disk


@pytest.mark.parametrize("invariant", [VALID, UNIQUE])
def test_sound_files_hold(tmp_path: Path, invariant: Invariant) -> None:
    lay(tmp_path, notes=SOUND, ledger=manual("ledger"))
    (tmp_path / "skills" / "notes" / "more.md").write_text("---\nno manual\n")
    assert proved(invariant, tmp_path).verdict is Verdict.PROVED


ODD = {
    "a byte-order mark": b"\xef\xbb\xbf" + SOUND.encode(),
    "carriage returns": SOUND.replace("\n", "\r\n"),
    "a name in a block": SOUND.replace("name: notes", "name: |\n  notes"),
    "an unquoted colon": manual(description="Keeps notes: short ones."),
    "dashes inside a value": manual(description="Keeps --- short notes."),
    "not UTF-8": manual(description="Keeps f\xefles.").encode("latin-1"),
    "a tab": manual(more="metadata:\n\tauthor: us\n"),
    "another name": manual("others"),
    "a look-alike letter": manual("n\u043etes"),
    "a category in capitals": manual(more="categories: [Finance]\n"),
    "resident for no reason": manual(more="availability: resident\n"),
    "a misspelt key": manual(more="catgories: [finance]\n"),
}


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_a_flawed_file_is_found_with_its_line(tmp_path: Path, content: str | bytes) -> None:
    lay(tmp_path, ledger=manual("ledger"), notes=content)
    finding = proved(VALID, tmp_path)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.FLAWED_FILE)
    assert finding.at is not None
    assert finding.at.path == "skills/notes/SKILL.md"
    assert finding.remedy
    assert all(step.at is not None for step in finding.trace)


def test_all_flaws_are_told_at_once(tmp_path: Path) -> None:
    lay(tmp_path, ledger=manual("ledgr"), notes=manual("note"))
    finding = proved(VALID, tmp_path)
    assert [step.at for step in finding.trace] == [Place(f"skills/{name}/SKILL.md", 2) for name in ("ledger", "notes")]
    assert "(and 1 more)" in finding.message


def test_names_with_underscores_are_a_policy(tmp_path: Path) -> None:
    lay(tmp_path, my_notes=manual("my_notes"))
    assert proved(VALID, tmp_path).verdict is Verdict.REFUTED
    assert proved(VALID, tmp_path, names="underscores").verdict is Verdict.PROVED


def test_a_link_to_a_skill_is_told_and_not_followed(tmp_path: Path) -> None:
    lay(tmp_path, notes=SOUND)
    os.symlink("notes", tmp_path / "skills" / "again")
    os.symlink("more.md", tmp_path / "skills" / "notes" / "other.md")
    finding = proved(VALID, tmp_path)
    assert [step.at for step in finding.trace] == [Place("skills/again/SKILL.md", 1)]
    assert "a link to a skill" in finding.message


def test_a_link_that_leads_out_of_the_folders_is_told_too(tmp_path: Path) -> None:
    lay(tmp_path, notes=SOUND)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "SKILL.md").write_text(manual("elsewhere"))
    os.symlink("../elsewhere", tmp_path / "skills" / "elsewhere")
    os.symlink("../elsewhere/SKILL.md", tmp_path / "skills" / "notes" / "skill.md")
    told = [str(step.at) for step in proved(VALID, tmp_path).trace]
    assert told == ["skills/elsewhere/SKILL.md:1", "skills/notes/skill.md:1", "skills/notes/skill.md:1"]


def test_a_skill_inside_a_skill_is_told(tmp_path: Path) -> None:
    lay(tmp_path, notes=SOUND, **{"notes/inner": manual("inner")})
    finding = proved(VALID, tmp_path)
    assert [str(step.at) for step in finding.trace] == ["skills/notes/inner/SKILL.md:1"]


def test_a_manual_that_may_not_be_read_is_a_flaw(tmp_path: Path) -> None:
    lay(tmp_path, notes=SOUND)
    file = tmp_path / "skills" / "notes" / "SKILL.md"
    file.unlink()
    os.symlink("nowhere", tmp_path / "skills" / "notes" / "SKILL.md")
    assert proved(VALID, tmp_path).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "names", [("Notes", "notes"), ("my-notes", "my_notes"), ("my-notes", "my notes"), ("notes", "n\u043etes")]
)
def test_names_that_are_taken_for_one_another(tmp_path: Path, names: tuple[str, str]) -> None:
    lay(tmp_path, **{name: manual(name) for name in names})
    finding = proved(UNIQUE, tmp_path)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.ALIKE)
    assert "easily taken for" in finding.message


def test_names_are_compared_across_the_folders_of_one_agent(tmp_path: Path) -> None:
    lay(tmp_path, notes=SOUND, **{"../extra/notes": SOUND})
    assert proved(UNIQUE, tmp_path).verdict is Verdict.PROVED
    assert proved(UNIQUE, tmp_path, "skills", "extra").verdict is Verdict.REFUTED


@pytest.mark.parametrize("invariant", [VALID, UNIQUE])
def test_nothing_holds_where_there_is_nothing(tmp_path: Path, invariant: Invariant) -> None:
    (tmp_path / "skills").mkdir()
    finding = proved(invariant, tmp_path)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.NOT_SHOWN)
    assert invariant.prove is not None
    nothing = invariant.prove(Reading(small_registry(Small)), None)  # type: ignore[arg-type]
    assert nothing.verdict is Verdict.UNEXAMINED


def test_the_tree_of_a_folder_is_sorted_and_complete(tmp_path: Path) -> None:
    lay(tmp_path, b=manual("b"), a=manual("a"))
    os.symlink("nowhere", tmp_path / "skills" / "link")
    tree = skill_tree(tmp_path, ["skills"])
    assert tree.manuals == ("skills/a/SKILL.md", "skills/b/SKILL.md")
    assert tree.links == {"skills/link": "nowhere"}


# -- what a loader makes of it


@pytest.mark.parametrize(
    ("invariant", "host", "verdict", "reason", "words"),
    [
        (VALID, readers.Reads, Verdict.HELD, None, f"{len(FILES)} odd files"),
        (UNIQUE, readers.Reads, Verdict.HELD, None, f"{len(NAMES)} pairs"),
        (VALID, Small, Verdict.UNEXAMINED, None, "`read_skills`"),
        (UNIQUE, Small, Verdict.UNEXAMINED, None, "`read_skills`"),
        (VALID, readers.Drops, Verdict.REFUTED, Reason.FLAWED_FILE, "drops `notes` without a word: a colon"),
        (VALID, readers.ReadsLines, Verdict.REFUTED, Reason.FLAWED_FILE, "a description in a literal block"),
        (VALID, readers.EndsAtDashes, Verdict.REFUTED, Reason.FLAWED_FILE, "`---` inside a description"),
        (
            VALID,
            readers.NeedsNoDescription,
            Verdict.REFUTED,
            Reason.FLAWED_FILE,
            "a colon in a description without quotes",
        ),
        (VALID, readers.NeedsNoFrontmatter, Verdict.REFUTED, Reason.FLAWED_FILE, "accepts a file without frontmatter"),
        (VALID, readers.SaysNothing, Verdict.REFUTED, Reason.FLAWED_FILE, "without a word (ValueError)"),
        (VALID, readers.FollowsLinks, Verdict.REFUTED, Reason.FLAWED_FILE, "a link to the folder of a skill"),
        (UNIQUE, readers.LastWins, Verdict.REFUTED, Reason.ALIKE, "drops `Notes` without a word: two names"),
        (UNIQUE, readers.Drops, Verdict.REFUTED, Reason.ALIKE, "one name in the frontmatter of two folders"),
        (VALID, readers.ReadsNothing, Verdict.REFUTED, Reason.NOT_SHOWN, "makes {} of a sound file"),
        (VALID, readers.ReadsAList, Verdict.REFUTED, Reason.HARNESS, "`read_skills` returned ['notes']"),
    ],
)
def test_what_a_loader_makes_of_odd_files(
    invariant: Invariant, host: type[Host], verdict: Verdict, reason: Reason | None, words: str
) -> None:
    finding = finding_of(invariant, host)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding
    assert words in finding.message


def test_a_file_system_that_holds_no_odd_files_leaves_nothing_to_examine(monkeypatch: pytest.MonkeyPatch) -> None:
    lay = OddSkills.lay
    monkeypatch.setattr(OddSkills, "lay", lambda case, root: case == PLAIN and lay(case, root))
    finding = finding_of(UNIQUE, readers.Reads)
    assert finding.verdict is Verdict.UNEXAMINED
    assert "cannot hold such folders" in finding.message


def test_every_odd_file_can_be_laid_and_is_laid_once(tmp_path: Path) -> None:
    for number, case in enumerate((*FILES, *NAMES)):
        assert case.lay(tmp_path / str(number)), case.words
        assert not OddSkills(case.words, case.files).lay(tmp_path / str(number))
    assert not OddSkills("a link to nowhere", {}, links={"no/folder": "a"}).lay(tmp_path)


# -- what a disable list takes away


@pytest.mark.parametrize(
    ("host", "verdict", "reason", "words"),
    [
        (readers.Disables, Verdict.HELD, None, "each of 3 skills is gone"),
        (readers.ComparesLoosely, Verdict.HELD, None, "each of 3 skills is gone"),
        (Small, Verdict.UNEXAMINED, None, "`disable`"),
        (readers.AsksNobody, Verdict.UNEXAMINED, None, "no method for any surface"),
        (
            readers.TakesAnything,
            Verdict.REFUTED,
            Reason.MATCHES_NOTHING,
            "`LEDGER` is on the disable list, and `ledger` comes",
        ),
        (
            readers.RefusesMutely,
            Verdict.REFUTED,
            Reason.MATCHES_NOTHING,
            "`LEDGER` on the disable list is refused without",
        ),
        (readers.HidesOnly, Verdict.REFUTED, Reason.MATCHES_NOTHING, "`ledger` comes out of `activate`"),
        (readers.LeavesTools, Verdict.REFUTED, Reason.MATCHES_NOTHING, "`ledger_tool` of `ledger` is reached"),
        (readers.TakesAll, Verdict.REFUTED, Reason.NOT_SHOWN, "`notes`, `payroll` is gone too"),
        (readers.ByPrefix, Verdict.REFUTED, Reason.MATCHES_NOTHING, "`ledger/SKILL.md` is on the disable list"),
        (readers.ReachesNothing, Verdict.REFUTED, Reason.NOT_SHOWN, "`ledger/SKILL.md` is not reached though"),
    ],
)
def test_what_a_disable_list_takes_away(host: type[Host], verdict: Verdict, reason: Reason | None, words: str) -> None:
    finding = finding_of(DISABLE, host)
    assert (finding.verdict, finding.reason) == (verdict, reason), finding
    assert words in finding.message
