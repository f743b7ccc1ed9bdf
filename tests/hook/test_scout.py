"""A change that bears on no verdict is told without the prover where nothing is known, and no other change is."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeAlias

import pytest
from pytest_invariants.hook import doors, quick, scout
from pytest_invariants.hook.kept import FOLDER
from pytest_invariants.hook.standing import Standing, as_json

from tests.fuzz import edits
from tests.hook.carried import Contents, find
from tests.hook.scratch import FILES, FOREIGN, REGISTRY, UNSEALED, Scratch
from tests.hook.wider import WIDER

Changes: TypeAlias = dict[str, str | None]
Ask: TypeAlias = Callable[[Scratch], str | None]

UNTOUCHED = "entrypoints/registry.yaml: no staged change touches what it judges\n"
DOORS, GATE, STORE, SEAL = "agent/doors.py", "agent/gate.py", "agent/store.py", "agent/seal.py"
TOOLS, LONELY = "crew/tools.py", "lonely.py"
LEAK = "def show(skill):\n    return skill.body\n"
WIRED = "from agent.store import STORE\n\n\ndef show(name):\n    return STORE.get(name).body\n"
LEAKS = "from agent.store import STORE\n" + FILES[DOORS] + UNSEALED
TALKING = "# what the agent never sees\nX = 1\n"
CALLED = "    require_open(turn, skill)\n"
WIDE = {
    **FILES,
    REGISTRY: FILES[REGISTRY].replace("code: [agent]", "code: [agent, crew, lonely]"),
    "crew/__init__.py": "",
    TOOLS: "def add(a, b):\n    return a + b\n",
    "crew/talk.py": TALKING,
    LONELY: "X = 1\n",
    "agent/plain.py": "PICK = {'short': lambda text: text[:3]}\n\n\ndef kept(text, most=3):\n    return text[:most]\n",
    "agent/notes.md": "Notes.\n",
}
PLUG = {"agent/plug.py": "try:\n    from crew import more\nexcept ImportError:\n    more = None\n"}


class Proved(Exception):
    """The prover was asked."""


@pytest.fixture
def wide(tmp_path: Path) -> Scratch:
    """The agent beside a package and a module that have nothing to do with it, committed and never judged."""
    made = Scratch.make(tmp_path / "repository", files=WIDE)
    made.commit()
    return made


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """What the hook says where nothing is kept; None where the prover is needed for it."""

    def prove(*_: object) -> NoReturn:
        raise Proved

    def asked(repository: Scratch) -> str | None:
        monkeypatch.chdir(repository.top)
        for name in FOREIGN:
            monkeypatch.delenv(name, raising=False)
        said: list[str] = []
        with monkeypatch.context() as patch:
            patch.setattr("pytest_invariants.hook.judge.examine_folder", prove)
            patch.setattr("builtins.print", lambda text="", end="\n": said.append(f"{text}{end}"))
            try:
                assert doors.run(doors.Choice(), repository.environment(CI="true")) == 0
            except Proved:
                return None
        return "".join(said)

    return asked


def in_full(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit status with nothing known and nobody scouting."""
    with monkeypatch.context() as patch:
        patch.chdir(repository.top)
        patch.setattr(scout, "scout", lambda *_: None)
        return doors.run(doors.Choice(), repository.environment(CI="true"))


def changed(path: str, *passages: tuple[str, str]) -> Changes:
    text = WIDE[path]
    for old, new in passages:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return {path: text}


# What bears on nothing

HARMLESS: dict[str, Changes] = {
    "another function of a package apart": {TOOLS: "def add(a, b, c):\n    return a + b + c\n"},
    "a file apart that does not parse": {TOOLS: "def broken(:\n"},
    "a new file apart": {"crew/more.py": LEAK},
    "a file apart that is gone": {TOOLS: None},
    "a file apart that has another name": {TOOLS: None, "crew/kit.py": WIDE[TOOLS]},
    "a module apart beside a text": {LONELY: "X = 2\n", "README.md": "more\n"},
    "a data file of the agent beside it": {LONELY: "X = 2\n", "agent/notes.md": "Other notes.\n"},
    "a file apart that speaks of the agent as before": {"crew/talk.py": TALKING + "Y = 2\n"},
    "a comment": changed(GATE, (CALLED, "    require_open(turn, skill)  # or it raises\n")),
    "lines that move": changed(GATE, ("from agent.checks", "# gates\n\n\nfrom agent.checks")),
    "a documentation": changed(DOORS, ('"""Open a skill."""', '"""Open\n\n    one.\n    """')),
    "the form of an expression": changed(GATE, ("return _checked(turn, name)", "return (_checked(turn,name))")),
    "all of it": {**changed(GATE, (CALLED, CALLED + "    # it is open\n")), TOOLS: "X = 1\n", "crew/more.py": LEAK},
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_bears_on_nothing_is_told_without_the_prover(
    wide: Scratch, ask: Ask, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wide.stage(HARMLESS[name])
    assert ask(wide) == UNTOUCHED
    assert in_full(wide, monkeypatch) == 0


def test_a_range_of_commits_is_told_as_well(wide: Scratch) -> None:
    wide.stage({TOOLS: "X = 1\n", **HARMLESS["a comment"]})
    wide.commit()
    run = wide.hook(CI="true", PRE_COMMIT_FROM_REF="HEAD~1", PRE_COMMIT_TO_REF="HEAD")
    assert (run.returncode, run.stdout) == (0, UNTOUCHED)


def test_an_agent_below_the_top_is_told_as_well(tmp_path: Path, ask: Ask) -> None:
    below = Scratch.make(tmp_path / "many", "services/one", WIDE)
    below.commit()
    below.stage({TOOLS: "X = 1\n", **HARMLESS["a comment"]})
    assert ask(below) == f"services/one/{UNTOUCHED}"


# What may bear on a verdict: for each of these another condition of the scout is what stops it

BEARING: dict[str, tuple[Changes, Changes]] = {
    "a file apart that begins to import the agent": ({}, {TOOLS: WIRED}),
    "a file apart that stops importing it": ({TOOLS: WIRED}, {TOOLS: WIDE[TOOLS]}),
    "a file that is gone and imported it": ({TOOLS: WIRED}, {TOOLS: None}),
    "a copy of the seal": ({}, {"crew/rules.py": FILES[SEAL]}),
    "a copy of the seal that is gone": ({"crew/rules.py": FILES[SEAL]}, {"crew/rules.py": "X = 1\n"}),
    "a new door": ({}, {DOORS: LEAKS}),
    "a new function": ({}, {"agent/plain.py": WIDE["agent/plain.py"] + "\n\ndef more(text):\n    return text\n"}),
    "a new file": ({}, {"agent/more.py": "X = 1\n"}),
    "a file that is gone": ({}, {"agent/plain.py": None}),
    "code that becomes a comment": ({}, changed(GATE, (CALLED, "    # require_open(turn, skill)\n"))),
    "a comment that becomes code": (
        changed(GATE, (CALLED, f"    # STORE.get(turn)\n{CALLED}")),
        changed(GATE, (CALLED, f"    STORE.get(turn)\n{CALLED}")),
    ),
    "a documentation with a question that is gone": (
        {},
        changed(DOORS, ('"""Open a skill."""', '"""Open it."""'), ("opened(turn, name)", "name")),
    ),
    "a number": ({}, changed("agent/plain.py", ("[:most]", "[1:most]"))),
    "a default": ({}, changed("agent/plain.py", ("most=3", "most=4"))),
    "a decorator": ({}, changed(STORE, ("frozen=True", "frozen=False"))),
    "an import": ({}, changed(GATE, ("STORE, Skill", "STORE, Store, Skill"))),
    "a lambda that moves": ({}, changed("agent/plain.py", ("PICK", "# picked\nPICK"))),
    "one line more of one statement": ({}, changed(GATE, ("opened(turn, name)", "opened(turn,\n           name)"))),
    "a comment that gives a field something": ({}, changed(GATE, (CALLED, f"    # skill.body = None\n{CALLED}"))),
    "a comment that runs a text": ({}, changed(GATE, (CALLED, "    require_open(turn, skill)  # no exec(text)\n"))),
    "a comment that names another package": ({}, changed(GATE, (CALLED, f"    # and so: import crew.tools\n{CALLED}"))),
    "a comment that named another package": (
        changed(GATE, (CALLED, f"    # and so: import crew.tools\n{CALLED}")),
        changed(GATE, (CALLED, CALLED)),
    ),
    "a new file of a package that the agent speaks of": (PLUG, {"crew/more.py": LEAK}),
    "another name for a file of it": (PLUG, {TOOLS: None, "crew/more.py": WIDE[TOOLS]}),
    "a file that is gone of it": ({**PLUG, "crew/more.py": LEAK}, {"crew/more.py": None}),
    "the registry": ({}, {REGISTRY: WIDE[REGISTRY] + "# more\n", TOOLS: "X = 1\n"}),
    "the ledger": ({}, {"entrypoints/ledger.txt": "\n", TOOLS: "X = 1\n"}),
    "the root": ({}, {"entrypoints/pyproject.toml": "", TOOLS: "X = 1\n"}),
    "an environment among the code": ({}, {"crew/pyvenv.cfg": "", LONELY: "X = 2\n"}),
}


@pytest.mark.parametrize("name", BEARING)
def test_what_may_bear_on_a_verdict_is_proved(wide: Scratch, ask: Ask, name: str) -> None:
    before, change = BEARING[name]
    if before:
        wide.stage(before)
        wide.commit()
    wide.stage(change)
    assert ask(wide) is None


def test_a_link_is_judged_on_either_side(wide: Scratch, ask: Ask) -> None:
    (wide.top / "crew" / "inside").symlink_to("../shared")
    wide.stage({LONELY: "X = 2\n"})
    assert ask(wide) is None
    wide.commit()
    wide.stage({"crew/inside": None})
    assert ask(wide) is None


@pytest.mark.parametrize("path", [TOOLS, GATE])
def test_a_file_that_is_too_large_is_judged(
    wide: Scratch, ask: Ask, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    wide.stage({path: WIDE[path] + "# " + "x" * (scout.SIZE_LIMIT + 1) + "\n"})
    assert ask(wide) is None
    assert in_full(wide, monkeypatch) == 1


def test_a_file_that_was_too_large_is_judged(wide: Scratch, ask: Ask) -> None:
    wide.stage({GATE: WIDE[GATE] + "# " + "x" * (scout.SIZE_LIMIT + 1) + "\n"})
    wide.commit()
    wide.stage({GATE: WIDE[GATE]})
    assert ask(wide) is None


def test_before_the_first_commit_all_is_judged(tmp_path: Path, ask: Ask) -> None:
    assert ask(Scratch.make(tmp_path / "new", files=WIDE)) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("agent.seal:sealed", "agent.seal:other"),
        ("agent.store:Skill.body", "agent.store:Skill.nothing"),
        ("agent.store:Skill.body", "agent.shop:Skill.body"),
        ("surfaces:", 'relations:\n  - {of: "agent.store:Store.get", key: nothing}\nsurfaces:'),
        ("surfaces:", "surfaces:\n  activate: 3"),
    ],
)
def test_a_registry_with_a_mistake_is_reported_as_ever(wide: Scratch, old: str, new: str) -> None:
    wide.stage({REGISTRY: WIDE[REGISTRY].replace(old, new)})
    wide.commit()
    wide.stage({TOOLS: "X = 1\n"})
    assert wide.hook(CI="true").returncode == doors.MISUSED


def test_code_that_was_not_there_before_is_judged(wide: Scratch, ask: Ask) -> None:
    """The registry of the last commit had a mistake: nothing is known to have been so before."""
    wide.stage({LONELY: None})
    wide.commit()
    wide.stage({LONELY: "X = 1\n"})
    assert ask(wide) is None


@pytest.mark.parametrize(("name", "before", "change"), [("libs.crew", None, ""), ("crew", "", None)])
def test_what_makes_a_package_of_a_folder_gives_it_its_name(
    tmp_path: Path, ask: Ask, name: str, before: str | None, change: str | None
) -> None:
    """`libs/crew/` is `crew` with an `__init__.py` and `libs.crew` without one; the agent imports what there was before."""
    files = {
        **FILES,
        REGISTRY: FILES[REGISTRY].replace("code: [agent]", "code: [agent, libs/crew]"),
        "libs/crew/more.py": LEAK,
        "agent/plug.py": f"from {name} import more\n",
        **({} if before is None else {"libs/crew/__init__.py": before}),
    }
    made = Scratch.make(tmp_path / "repository", files=files)
    made.commit()
    made.stage({"libs/crew/__init__.py": change})
    assert ask(made) is None


def test_where_a_package_lies_in_one_that_is_apart_any_file_may_count(tmp_path: Path, ask: Ask) -> None:
    files = {
        **{f"libs/{path}" if path.startswith("agent/") else path: text for path, text in FILES.items()},
        REGISTRY: FILES[REGISTRY].replace("code: [agent]", "code: [libs/agent, libs]"),
        "libs/__init__.py": None,
        "libs/apart.py": "X = 1\n",
        "libs/agent/spare.py": "def spare(skill):\n    return skill.name\n",
    }
    made = Scratch.make(tmp_path / "repository", files={path: text for path, text in files.items() if text is not None})
    made.commit()
    for _ in range(2):
        made.stage({"libs/agent/spare.py": f"def spare(skill):\n    return skill.body{'[0]' * _}\n"})
        assert ask(made) is None
        assert made.hook().stdout != UNTOUCHED


# What is staged, and what is kept


def test_what_is_staged_is_told_and_not_the_work_tree(wide: Scratch, ask: Ask) -> None:
    wide.stage(HARMLESS["a comment"])
    wide.write({DOORS: LEAKS, TOOLS: WIRED, REGISTRY: "nonsense"})
    assert ask(wide) == UNTOUCHED
    wide.git("checkout", "--quiet", "--", REGISTRY)
    wide.stage({TOOLS: WIRED})
    wide.write({DOORS: FILES[DOORS], TOOLS: WIDE[TOOLS]})
    assert ask(wide) is None


@pytest.mark.parametrize("change", [{TOOLS: "X = 1\n"}, HARMLESS["a comment"]])
def test_under_ci_nothing_is_written(wide: Scratch, change: Changes) -> None:
    wide.stage(change)
    run = wide.hook(CI="true")
    assert (run.returncode, run.stdout) == (0, UNTOUCHED)
    assert wide.git("status", "--porcelain", "--ignored").split() == ["M", *change]
    assert not (wide.top / FOLDER).exists()
    assert not (wide.top.parent / "of the user").exists()


@pytest.mark.parametrize("change", [{TOOLS: "X = 1\n"}, HARMLESS["a comment"]])
def test_afterwards_it_is_known_which_files_count(
    wide: Scratch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], change: Changes
) -> None:
    """The same again, and other changes of what is apart, on this commit and on the next one, need nothing else."""
    wide.stage(change)
    assert wide.hook().stdout == UNTOUCHED
    monkeypatch.chdir(wide.top)
    assert quick.answer(wide.environment()) == 0
    wide.git("reset", "--quiet", "--hard")
    for number in range(2):
        wide.stage({LONELY: f"X = {number + 2}\n"})
        assert quick.answer(wide.environment()) == 0
        wide.stage(change)
        wide.commit()
    assert set(capsys.readouterr().out.splitlines()) == {UNTOUCHED.strip()}


def test_what_counts_is_still_judged_afterwards(wide: Scratch) -> None:
    wide.stage(HARMLESS["all of it"])
    assert wide.hook().stdout == UNTOUCHED
    wide.stage({DOORS: LEAKS})
    run = wide.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:preview" in run.stdout
    wide.stage({DOORS: FILES[DOORS], TOOLS: WIRED})
    assert "new door: crew.tools:show" in wide.hook().stdout


# Changes at random


def told(standing: Standing) -> str:
    """All that is said, without the lines."""
    return re.sub(r"\.py:\d+", ".py", re.sub(r'"line": \d+', "", json.dumps(as_json(standing))))


@pytest.mark.filterwarnings("ignore")
def test_after_random_edits_of_form_all_verdicts_are_the_same() -> None:
    git = Contents()
    first = told(find(WIDER, git).standing)
    chosen = [files for _, files in itertools.islice(edits.edits(WIDER, 11), 400)]
    alike = [
        files
        for files in chosen
        if all(scout.is_form(WIDER[path].encode(), text.encode()) for path, text in files.items() if path != REGISTRY)
    ]
    assert len(alike) > 10
    for files in alike[:12]:
        assert told(find(files, git).standing) == first
