"""Mutants on the probe: each runs in a process and a copy of its own, where nothing of this process is found."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.registry.model import Reference, Registry
from pytest_invariants.selftest import playing
from pytest_invariants.selftest.model import Half, Outcome, Status
from pytest_invariants.selftest.run import Choice, selftest
from pytest_invariants.selftest.scratch import copied_if_there, whole
from pytest_invariants.verdict import Verdict

from tests.selftest.agents import write

DOORS = """\
class Turn:
    category = "hr"


def manual(turn, name):
    skill = STORE.get(name)
    if skill is None:
        raise KeyError(name)
    if sealed(skill.categories, turn.category):
        raise PermissionError(name)
    return skill.body


def index(turn):
    return [skill.body for skill in STORE.all() if not sealed(skill.categories, turn.category)]
"""
HOST = """\
from pytest_invariants import Host, Outcome

from agent.doors import Turn, index, manual
from agent.store import STORE


class AgentHost(Host):
    skills = ("notes", "payroll")

    def open(self, facts):
        self.turn = Turn()

    def seal_arguments(self, skill):
        return {"categories": STORE.get(skill).categories, "category": self.turn.category}

    def manual(self, name):
        text = manual(self.turn, name)
        return Outcome(text == STORE.get(name).body, text)

    def index(self):
        texts = index(self.turn)
        return [name for name in self.skills if STORE.get(name).body in texts]
"""


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    made = write(tmp_path / "repository", DOORS, {"manual": "named", "index": "browse"})
    (made.root / "host.py").write_text(HOST, encoding="utf-8")
    return replace(made, host=Reference("host", "AgentHost"))


def test_a_faithful_copy_holds(registry: Registry) -> None:
    found = playing.plays(registry, ("manual", "index"))
    assert {one.surface: one.verdict for one in found.values()} == {"manual": Verdict.HELD, "index": Verdict.HELD}
    assert not [name for name in sys.modules if name.partition(".")[0] in ("agent", "host")]


def test_code_in_a_source_folder_is_the_copys(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the repository on the search path is looked for in the copy, where the mutants are."""
    source = registry.root / "src"
    source.mkdir()
    for name in ("agent", "host.py"):
        (registry.root / name).rename(source / name)
    monkeypatch.syspath_prepend(str(source))
    moved = replace(registry, code=("src/",))
    table = selftest(moved, Choice(("drop-guard",), probe=True))
    assert {one.outcome for one in table.rulings if one.half is Half.PROBE} == {Outcome.KILLED}
    assert table.status() is Status.KILLED


def test_the_original_is_on_no_search_path_of_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, copy, other = tmp_path / "original", tmp_path / "copy", tmp_path / "other"
    for folder in (original / "src", copy / "src", other):
        folder.mkdir(parents=True)
    given = [str(other), str(original), str(original / "gone")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(given))
    monkeypatch.setattr(sys, "path", [str(original / "src"), *given, *sys.path])
    found = playing.search_path(original, copy)
    own = Path(playing.__file__).parents[2]
    assert found == [str(copy), str(copy / "src"), str(other), str(own)]


def test_both_halves_notice_every_mutant(registry: Registry) -> None:
    table = selftest(registry, Choice(("drop-guard", "look-alike", "assert-guard", "cache-verdict"), probe=True))
    assert table.status() is Status.KILLED
    played = {
        (trial.mutant.operator, one.surface)
        for trial in table.trials
        for one in trial.rulings
        if one.half is Half.PROBE
    }
    assert played == {
        (one, where) for one in ("drop-guard", "look-alike", "cache-verdict") for where in ("manual", "index")
    }
    assert {one.outcome for one in table.rulings if one.half is Half.PROBE} == {Outcome.KILLED}


def test_a_host_that_does_not_hold_as_it_stands_rules_on_nothing(registry: Registry) -> None:
    deaf = HOST.replace("return Outcome(text == STORE.get(name).body, text)", "return Outcome(False, text)")
    (registry.root / "host.py").write_text(deaf, encoding="utf-8")
    table = selftest(registry, Choice(("drop-guard",), probe=True))
    assert [one.surface for one in table.unfit] == ["manual"]
    assert [one.surface for one in table.rulings if one.half is Half.PROBE] == ["index"]


def test_what_another_question_on_the_way_refuses_is_covered(registry: Registry) -> None:
    """The prover hangs the surface on the question that covers the value; the run is stopped by the one before it."""
    doors = registry.root / "agent" / "doors.py"
    text = doors.read_text(encoding="utf-8")
    names = "[skill.name for skill in STORE.all() if not sealed(skill.categories, turn.category)]"
    text = text.replace("def index(turn):\n", f"def index(turn):\n    names = {names}\n")
    doors.write_text(
        text.removesuffix("turn.category)]\n") + 'turn.category) and skill.name in ",".join(names)]\n', encoding="utf-8"
    )
    table = selftest(registry, Choice(("drop-guard", "index"), probe=True))
    assert [(one.half, one.outcome) for one in table.rulings] == [
        (Half.PROVER, Outcome.KILLED),
        (Half.PROBE, Outcome.COVERED),
    ]
    assert table.status() is Status.KILLED


def test_a_host_that_lets_a_mutant_pass_leaves_a_survivor(registry: Registry) -> None:
    """A host that asks the seal by itself hides what the agent does: the probe cannot notice, and that is said."""
    hiding = HOST.replace(
        "        return [name for", "        from agent.seal import sealed\n\n        return [name for"
    ).replace("in texts]", "in texts and not sealed(STORE.get(name).categories, self.turn.category)]")
    (registry.root / "host.py").write_text(hiding, encoding="utf-8")
    table = selftest(registry, Choice(("drop-guard",), probe=True))
    survived = [(one.surface, one.half) for one in table.rulings if one.outcome is Outcome.SURVIVED]
    assert survived == [("index", Half.PROBE)]
    assert table.status() is Status.SURVIVED


def test_a_copy_that_cannot_be_run_is_said_in_one_line(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "main", None)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(playing.PlayError, match="could not be run: without a word"):
        playing.plays(registry, ("manual",))


def test_a_copy_that_does_not_come_to_an_end_is_stopped(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "PATIENCE", 0.01)
    with pytest.raises(playing.PlayError, match="ran for more than 0 s"):
        playing.plays(registry, ("manual",))


def test_a_copy_has_no_version_control_environments_caches_or_linked_folders(registry: Registry) -> None:
    root = registry.root
    for name in (".git/config", "agent/__pycache__/x.pyc", "env/pyvenv.cfg", ".claude/skills/SKILL.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    (root / "around").symlink_to(root, target_is_directory=True)
    (root / "gone").symlink_to(root / "nowhere")
    with whole(registry) as copy:
        found = {path.relative_to(copy.root).as_posix() for path in copy.root.rglob("*") if path.is_file()}
        assert copy.root.name == "repository"
        assert copy.root != root
    assert {".claude/skills/SKILL.md", "agent/doors.py", "entrypoints/registry.yaml"} <= found
    assert not {".git/config", "agent/__pycache__/x.pyc", "env/pyvenv.cfg", "gone"} & found
    assert not [name for name in found if name.startswith("around")]
    assert not copy.root.exists()


CALLING = """\
RAN = []


class Turn:
    category = "hr"


def runs(turn, name):
    skill = STORE.get(name)
    if skill is None:
        raise KeyError(name)
    if sealed(skill.categories, turn.category):
        raise PermissionError(name)
    RAN.append(skill.run())
"""
WATCHING = """\
from pytest_invariants import Host, Outcome

from agent.doors import RAN, Turn, runs
from agent.store import STORE


class AgentHost(Host):
    skills = ("notes", "payroll")

    def open(self, facts):
        self.turn = Turn()

    def seal_arguments(self, skill):
        return {"categories": STORE.get(skill).categories, "category": self.turn.category}

    def runs(self, name):
        RAN.clear()
        try:
            runs(self.turn, name)
        except PermissionError:
            pass
        return Outcome(bool(RAN), "")
"""


@pytest.mark.parametrize("watching", [True, False])
def test_what_has_been_done_before_the_question_is_seen_or_survives(tmp_path: Path, watching: bool) -> None:
    """A host that takes an exception for a refusal never looks at what was done by then: that is no covered mutant."""
    made = write(tmp_path / "repository", CALLING, {"runs": "named"})
    believing = WATCHING.replace(
        "        except PermissionError:\n            pass\n", "        finally:\n            pass\n"
    )
    (made.root / "host.py").write_text(WATCHING if watching else believing, encoding="utf-8")
    registry = replace(made, host=Reference("host", "AgentHost"))
    table = selftest(registry, Choice(("grant-first",), probe=True))
    expected = Outcome.KILLED if watching else Outcome.SURVIVED
    assert [one.outcome for one in table.rulings] == [Outcome.KILLED, expected]


def test_a_file_that_is_gone_by_then_is_not_copied(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("something", encoding="utf-8")
    copied_if_there(str(there), str(tmp_path / "copy"))
    copied_if_there(str(tmp_path / "gone"), str(tmp_path / "other"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "there"]
    with pytest.raises(FileNotFoundError):
        copied_if_there(str(there), str(tmp_path / "no" / "folder"))
