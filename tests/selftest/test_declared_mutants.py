"""Mutants that a file declares: how the file is read, what becomes of each, and how it is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_invariants import cli
from pytest_invariants.check import Examination
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.selftest import asking, semantic_show
from pytest_invariants.selftest.edits import Declared, Edit, read_mutants
from pytest_invariants.selftest.model import Status
from pytest_invariants.selftest.semantic import CopyError, Fate, Said, SemanticTable, Tried, chosen, try_all
from pytest_invariants.verdict import Place

from tests.catalogue.small import Small, small_registry
from tests.selftest.agents import write
from tests.selftest.test_kill_probe import DOORS, HOST

BARE = small_registry(Small)
GUARD = "if not sealed(skill.categories, turn.category)"
OPENED = f"""\
  opened:
    what: The list is not
      filtered.
    invariant: seal-decides
    surface: index
    file: agent/doors.py
    old: ' {GUARD}'
    new: ''
"""
NOTED = """\
  noted:
    what: A comment is added.
    invariant: seal-decides
    surface: index
    file: agent/doors.py
    old: "def index(turn):"
    new: "def index(turn):  # the list"
"""
BROKEN = """\
  broken:
    what: The agent cannot be imported.
    invariant: seal-decides
    surface: index
    file: agent/doors.py
    old: "def index(turn):"
    new: "raise RuntimeError\\ndef index(turn):"
"""
IDLE = """\
  idle:
    what: The residency of an agent that has none is spoiled.
    invariant: paths-agree
    file: agent/doors.py
    old: "def index(turn):"
    new: "def index(turn, *more):"
"""


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    made = write(tmp_path / "repository", DOORS, {"manual": "named", "index": "browse"})
    (made.root / "host.py").write_text(HOST, encoding="utf-8")
    made.path.write_text(f"{made.path.read_text(encoding='utf-8')}host: host:AgentHost\n", encoding="utf-8")
    return read(made.path)


def file_of(registry: Registry, *mutants: str) -> Path:
    path = registry.root / "mutants.yaml"
    path.write_text("mutants:\n" + "".join(mutants), encoding="utf-8")
    return path


def problems(registry: Registry, *mutants: str) -> list[str]:
    with pytest.raises(RegistryError) as caught:
        read_mutants(file_of(registry, *mutants), registry)
    return [str(problem).partition("mutants.yaml:")[2] for problem in caught.value.problems]


# -- how the file is read


def test_a_mutant_is_read_with_its_words_on_one_line(registry: Registry) -> None:
    (mutant,) = read_mutants(file_of(registry, OPENED), registry)
    assert (mutant.id, mutant.invariant, mutant.surface) == ("opened", "seal-decides", "index")
    assert mutant.what == "The list is not filtered."
    assert [edit.path for edit in mutant.edits] == ["agent/doors.py"]


def test_every_edit_of_a_mutant_is_made(registry: Registry) -> None:
    also = "    also:\n      - {file: agent/doors.py, old: 'raise KeyError(name)', new: 'return None'}\n"
    (mutant,) = read_mutants(file_of(registry, OPENED + also), registry)
    before = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")
    mutant.put(registry.root)
    after = (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")
    assert after == before.replace(f" {GUARD}", "").replace("raise KeyError(name)", "return None")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            f"' {GUARD}'",
            "' if sealed(a)'",
            "`opened`: its text stands 0 times in `agent/doors.py`; bring the mutant up",
        ),
        (f"' {GUARD}'", "'category'", "`opened`: its text stands 3 times in `agent/doors.py`; take more of it"),
        (
            "agent/doors.py",
            "agent/door.py",
            "`opened`: there is no readable file `agent/door.py` in the repository; correct `file`",
        ),
        ("index", "list", "`opened`: the registry has no surface `list`; correct `surface`"),
        ("seal-decides", "seal-decide", "unknown value `seal-decide` of `mutants.opened.invariant`; did you mean"),
        ("    new: ''", "    new: ' if ('", "`opened`: `agent/doors.py` is no Python any more, in line"),
        (
            "    new: ''",
            '    new: "\\0"',
            "`opened`: `agent/doors.py` is no Python any more (source code string cannot",
        ),
        (
            "agent/doors.py",
            '"agent/\\0.py"',
            "`opened`: there is no readable file `agent/\\x00.py` in the repository",
        ),
        (
            "agent/doors.py",
            "../other.py",
            "`opened`: there is no readable file `../other.py` in the repository; correct",
        ),
        ("agent/doors.py", "/other.py", "`opened`: there is no readable file `/other.py` in the repository; correct"),
        ("agent/doors.py", "agent/link.py", "`opened`: there is no readable file `agent/link.py` in the repository"),
        ("    new: ''", f"    new: ' {GUARD}'", "`opened`: it changes nothing; let `new` differ from `old`"),
        ("    what", "    why", "unknown key `why` in `mutants.opened`"),
        ("    file: agent/doors.py\n", "", "`mutants.opened` lacks `file`"),
    ],
)
def test_a_mutant_that_does_not_fit_the_code_is_a_mistake(registry: Registry, old: str, new: str, said: str) -> None:
    outside = registry.root.parent / "other.py"
    outside.write_text(OPENED, encoding="utf-8")
    (registry.root / "agent" / "link.py").symlink_to(outside)
    text = OPENED.replace("old: " + old, "old: " + new) if old.startswith("'") else OPENED.replace(old, new, 1)
    told = [problem for problem in problems(registry, text) if said in problem]
    assert len(told) == 1
    assert told[0][0].isdigit()


def test_all_mistakes_are_told_at_once(registry: Registry) -> None:
    said = problems(registry, OPENED.replace("index", "list"), NOTED.replace("def index", "def indx", 1))
    assert len(said) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"", "holds no mutant"), (b"# none yet\n", "holds no mutant"), (b"\xff", "UTF-8")],
)
def test_a_file_that_holds_nothing_is_a_mistake(registry: Registry, content: bytes | None, said: str) -> None:
    path = registry.root / "mutants.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RegistryError, match=said):
        read_mutants(path, registry)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=60) | st.text("abc:{}[]'\n -|&*!", max_size=60).map(lambda text: b"mutants:" + text.encode()))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "mutants.yaml")
        path.write_bytes(raw)
        with pytest.raises(RegistryError) as caught:
            read_mutants(path, replace(BARE, root=Path(folder)))
    assert all(problem.remedy and "\n" not in str(problem) for problem in caught.value.problems)


# -- what becomes of each


def test_each_mutant_meets_its_fate(registry: Registry) -> None:
    mutants = read_mutants(file_of(registry, OPENED, NOTED, BROKEN, IDLE), registry)
    steps: list[tuple[int, int]] = []
    table = try_all(registry, mutants, jobs=2, progress=lambda *step: steps.append(step))
    fates = {one.mutant.id: one.fate for one in table.tried}
    assert fates == {
        "opened": Fate.KILLED,
        "noted": Fate.SURVIVED,
        "broken": Fate.UNSHOWN,
        "idle": Fate.UNFIT,
    }
    assert table.status() is Status.SURVIVED
    assert steps == [(number, 6) for number in range(1, 7)]
    killed = table.tried[0].by
    assert killed is not None
    assert (killed.surface, killed.reason) == ("index", "leaked")
    assert GUARD in (registry.root / "agent" / "doors.py").read_text(encoding="utf-8")


def test_a_copy_that_cannot_be_examined_is_no_verdict(registry: Registry) -> None:
    mutant = Declared(
        "no-registry",
        "The registry is spoiled.",
        "seal-decides",
        "index",
        (Edit("entrypoints/registry.yaml", "version: 1", "version: 9", Place("m", 1)),),
        Place("m", 1),
    )
    with pytest.raises(CopyError, match="no-registry: asking ended with 2"):
        try_all(registry, [mutant])


def test_code_that_has_changed_meanwhile_is_no_verdict(registry: Registry) -> None:
    mutants = read_mutants(file_of(registry, OPENED), registry)
    doors = registry.root / "agent" / "doors.py"
    doors.write_text(doors.read_text(encoding="utf-8").replace(GUARD, GUARD.replace("(", "( ")), encoding="utf-8")
    with pytest.raises(CopyError, match=r"opened: the text at .*:2 stands 0 times in agent/doors\.py"):
        try_all(registry, mutants)


def test_mutants_are_selected_by_id_and_by_invariant(registry: Registry) -> None:
    mutants = read_mutants(file_of(registry, OPENED, IDLE), registry)
    assert chosen(mutants, ()) == mutants
    assert [one.id for one in chosen(mutants, ["idle"])] == ["idle"]
    assert [one.id for one in chosen(mutants, ["seal-decides"])] == ["opened"]


def test_what_a_copy_is_asked_for_is_written_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, for an agent without a host: nothing is imported."""
    made = write(tmp_path / "repository", DOORS, {"manual": "named", "index": "browse"})
    assert asking.main(str(made.path), "seal-decides", "index") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["surface"], row["verdict"], row["reason"]) == ("index", "not-examined", "")
    monkeypatch.setattr(Examination, "answer", lambda *_: 1 // 0)
    assert asking.main(str(made.path), "seal-decides", "index") == 0
    assert json.loads(capsys.readouterr().out)[0]["reason"] == "harness"


def test_a_registry_that_does_not_read_is_told(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    registry.path.write_text("version: 9\n", encoding="utf-8")
    assert asking.main(str(registry.path), "seal-decides") == 2
    assert "registry.yaml:1:" in capsys.readouterr().err


# -- how it is shown


def tried(id: str, fate: Fate, surface: str = "*", reason: str = "leaked") -> Tried:
    mutant = Declared(
        id, f"What {id} | does.", "seal-decides", "", (Edit("a.py", "a", "b", Place("m", 1)),), Place("m", 2)
    )
    said = Said(surface, "seal-decides", "refuted", reason, "it leaks")
    return Tried(mutant, fate, None if fate is Fate.SURVIVED else said)


KILLED = SemanticTable((tried("one", Fate.KILLED, "index"), tried("two", Fate.KILLED)))
MIXED = SemanticTable((*KILLED.tried, tried("three", Fate.SURVIVED), tried("four", Fate.UNSHOWN, reason="harness")))


def test_the_table_for_a_terminal() -> None:
    assert semantic_show.text(KILLED).splitlines() == [
        "mutant  invariant     fate",
        "one     seal-decides  killed (leaked at index)",
        "two     seal-decides  killed (leaked)",
        "",
        "2 mutants: 2 killed",
        "KILLED: each mutant was noticed by the invariant that is meant for it",
    ]
    shown = semantic_show.text(MIXED)
    assert "m:2: three survived\n    What three | does.\n" in shown
    assert "m:2: four unshown\n    What four | does.\n    *: it leaks\n" in shown
    assert shown.endswith("4 mutants: 2 killed, 1 unshown, 1 survived\nSURVIVED: not every mutant was noticed\n")


def test_the_table_in_markdown() -> None:
    lines = semantic_show.markdown(MIXED, "m.yaml", "docs/m.md").splitlines()
    assert lines[0] == (
        "<!-- Written by `invariants selftest --mutants m.yaml --jobs 2 --format markdown --output docs/m.md`. -->"
    )
    assert "## seal-decides" in lines
    assert "| `one` | What one \\| does. | `a.py` | killed (leaked at index) |" in lines
    assert "| `three` | What three \\| does. | `a.py` | survived |" in lines


def test_the_table_for_programs() -> None:
    found = json.loads(semantic_show.document(MIXED))
    assert found["fates"] == {"killed": 2, "unshown": 1, "unfit": 0, "survived": 1}
    assert found["status"] == 1
    assert found["mutants"][0]["reason"] == "leaked"
    assert found["mutants"][2]["surface"] is None


def test_nothing_tried_is_no_pass() -> None:
    assert SemanticTable(()).status() is Status.NOTHING
    assert "NOT TRIED" in semantic_show.text(SemanticTable(()))


def test_the_command(registry: Registry, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["selftest", str(registry.root), "--mutants", str(file_of(registry, OPENED, NOTED))]
    assert cli.main([*given, "--select", "opened"]) == 0
    assert "killed (leaked at index)" in capsys.readouterr().out
    target = tmp_path / "mutants.md"
    assert cli.main([*given, "--format", "markdown", "--output", str(target)]) == 1
    assert "| survived |" in target.read_text(encoding="utf-8")
    assert cli.main([*given, "--select", "openned"]) == 2
    assert "did you mean `opened`?" in capsys.readouterr().err
    assert cli.main(["selftest", str(registry.root), "--mutants", "nowhere.yaml"]) == 2
