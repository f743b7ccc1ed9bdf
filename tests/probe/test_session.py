"""Every way in which a host can be wrong gives one clear message, and nothing is held because of it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from pytest_invariants.catalogue.doors.seal_decides import INVARIANT
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.loading import HostLoader
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Manner
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.probe.samples import module, registry, seal

SOURCE = """
from pytest_invariants import Facts, Host, Listing, Outcome

def sealed(categories, thread_category=None):
    return bool(categories) and thread_category not in categories

class Good(Host):
    skills = ("notes", "payroll")

    def open(self, facts):
        self.category = facts.category

    def seal_arguments(self, skill):
        return {"categories": (skill,)}

    def activate(self, name):
        return Outcome(not sealed((name,), self.category))

    def index(self):
        return [name for name in self.skills if not sealed((name,), self.category)]

class NoHost:
    pass

class Abstract(Host):
    pass

class Demanding(Good):
    def __init__(self, url):
        self.url = url

class Broken(Good):
    def open(self, facts):
        raise OSError("the disk is full")

class Unclosable(Good):
    def close(self):
        raise OSError("still busy")

class NoSkills(Good):
    skills = ()

class OddFacts(Good):
    facts = ("home",)

class Truthy(Good):
    def activate(self, name):
        return True

class OddOutcome(Good):
    def activate(self, name):
        return Outcome("yes")

class OddText(Good):
    def activate(self, name):
        return Outcome(True, None)

class NoName(Good):
    def activate(self):
        return Outcome(True)

class Sentence(Good):
    def index(self):
        return "notes, payroll"

class OddArguments(Good):
    def seal_arguments(self, skill):
        return {"names": skill}

class NoDictionary(Good):
    def seal_arguments(self, skill):
        return skill

class BrokenArguments(Good):
    def seal_arguments(self, skill):
        raise KeyError(skill)

class OpenWithoutFacts(Good):
    def open(self):
        pass

not_a_class = Good()
"""


def probe(host: str | None, surface: str = "activate", manner: Manner = Manner.NAMED) -> Finding:
    with module(SOURCE) as made:
        reference = None if host is None else host if ":" in host else f"{made.__name__}:{host}"
        rows = registry(Path("/nowhere"), seal(f"{made.__name__}:sealed"), {surface: manner}, reference)
        assert INVARIANT.play is not None
        return INVARIANT.play(ProbeSession(rows), rows.surfaces[0])


def test_a_good_host_holds() -> None:
    assert probe("Good").verdict is Verdict.HELD


@pytest.mark.parametrize(
    ("host", "surface", "message", "remedy"),
    [
        ("no_such_module:Host", "activate", "`no_such_module` cannot be imported: ModuleNotFoundError", "repair"),
        ("NoSuchClass", "activate", "has no `NoSuchClass`", "correct the registry"),
        ("NoHost", "activate", "is no subclass of pytest_invariants.Host", "inherit from Host"),
        ("not_a_class", "activate", "is no subclass of pytest_invariants.Host", "inherit from Host"),
        ("Abstract", "activate", "has no `open`", "write `def open(self, facts)`"),
        ("Demanding", "activate", "TypeError", "let its constructor take no arguments"),
        ("Broken", "activate", "`Broken.open` raised OSError: the disk is full", "repair the host"),
        ("OpenWithoutFacts", "activate", "`OpenWithoutFacts.open` has to take 1 argument", "correct its signature"),
        ("Unclosable", "activate", "`Unclosable.close` raised OSError: still busy", "release what there is"),
        ("NoSkills", "activate", ".skills` is ()", "two skills at least"),
        ("OddFacts", "activate", ".facts` is ('home',)", "give a tuple of Facts"),
        ("Truthy", "activate", "`Truthy.activate` returned True", "return Outcome(ran, text)"),
        ("OddOutcome", "activate", "Outcome.ran has to be True or False, not 'yes'", "say whether the effect happened"),
        ("OddText", "activate", "Outcome.text has to be a string, not None", "pass what the model is told"),
        ("NoName", "activate", "`NoName.activate` has to take 1 argument", "correct its signature"),
        ("Sentence", "index", "`Sentence.index` returned 'notes, payroll'", "return the names as a list of strings"),
        ("OddArguments", "activate", "`seal_arguments` names `names`", "correct one of the two"),
        ("NoDictionary", "activate", "`seal_arguments` returned 'notes'", "return a dictionary"),
        ("BrokenArguments", "activate", "`BrokenArguments.seal_arguments` raised KeyError", "repair it"),
    ],
)
def test_a_wrong_host_is_refuted_with_a_remedy(host: str, surface: str, message: str, remedy: str) -> None:
    finding = probe(host, surface, Manner.BROWSE if surface == "index" else Manner.NAMED)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.HARNESS), finding
    assert message in finding.message
    assert remedy in finding.remedy


@pytest.mark.parametrize(
    ("host", "surface", "message"),
    [
        (None, "activate", "the registry names no host"),
        ("Good", "preview", "the host has no method `preview`"),
        ("Good", "search-all", "the host has no method `search_all`"),
        ("Good", "import", "the host has no method `import_`"),
        ("Good", "resume", "the host has no method `surface_resume`"),
    ],
)
def test_what_is_not_there_is_not_examined(host: str | None, surface: str, message: str) -> None:
    finding = probe(host, surface)
    assert finding.verdict is Verdict.UNEXAMINED
    assert message in finding.message


def test_a_seal_that_cannot_be_swapped_is_refuted() -> None:
    with module(SOURCE + "\nbuiltin = len\n") as made:
        rows = registry(
            Path("/nowhere"), seal(f"{made.__name__}:builtin"), {"activate": Manner.NAMED}, f"{made.__name__}:Good"
        )
        assert INVARIANT.play is not None
        finding = INVARIANT.play(ProbeSession(rows), rows.surfaces[0])
    assert finding.reason is Reason.HARNESS
    assert "wrap it in a `def`" in finding.remedy


def test_the_seal_is_back_after_every_kind_of_end() -> None:
    with module(SOURCE) as made:
        code = made.sealed.__code__
        for host in ("Good", "Broken", "Unclosable", "Truthy"):
            rows = registry(
                Path("/nowhere"), seal(f"{made.__name__}:sealed"), {"activate": Manner.NAMED}, f"{made.__name__}:{host}"
            )
            assert INVARIANT.play is not None
            INVARIANT.play(ProbeSession(rows), rows.surfaces[0])
            assert made.sealed.__code__ is code


def test_the_repository_is_importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_host_module.py").write_text(SOURCE)
    rows = registry(tmp_path, seal("own_host_module:sealed"), {"activate": Manner.NAMED}, "own_host_module:Good")
    try:
        assert ProbeSession(rows).skills == ("notes", "payroll")
    finally:
        sys.modules.pop("own_host_module", None)
    assert sys.path[0] == str(tmp_path)


def test_a_module_of_the_same_name_from_elsewhere_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "json.py").write_text(SOURCE)
    rows = registry(tmp_path, seal("json:sealed"), {"activate": Manner.NAMED}, "json:Good")
    with pytest.raises(HostError, match=r"`json` was imported from .* rename one of the two"):
        HostLoader(rows, __import__("importlib").import_module).type  # noqa: B018


def test_a_module_whose_file_is_gone_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "gone.py").write_text("", encoding="utf-8")
    left = ModuleType("gone")
    left.__file__ = str(tmp_path / "removed" / "gone.py")
    rows = registry(tmp_path, seal("gone:sealed"), {})
    with pytest.raises(
        HostError, match=r"`gone` was imported from .*removed/gone.py, not from .* rename one of the two"
    ):
        HostLoader(rows, lambda _: left).module("gone")
