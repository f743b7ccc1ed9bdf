"""`invariants init` as a user meets it: what it finds, what it writes, what it leaves alone, what it says it cannot tell."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_invariants import cli
from pytest_invariants.registry.reader import read
from pytest_invariants.scaffold import proving
from pytest_invariants.scaffold.proposal import Wish, propose
from pytest_invariants.scaffold.reading import read_code
from pytest_invariants.scaffold.roots import code_roots
from pytest_invariants.scaffold.seals import candidates

from tests.hook.scratch import FILES
from tests.scaffold.agents import BARE, FULL, lay

REGISTRY = "entrypoints/registry.yaml"
WRITTEN = {REGISTRY, "tests/invariants_host.py", ".pre-commit-config.yaml", ".github/workflows/invariants.yml"}


def init(root: Path, capsys: Any, *arguments: str) -> tuple[int, str]:
    status = cli.main(["init", str(root), *arguments])
    out, err = capsys.readouterr()
    return status, out + err


def test_from_nothing_it_finds_seal_capability_and_surfaces(tmp_path: Path, capsys: Any) -> None:
    status, said = init(lay(tmp_path, FULL), capsys)
    assert status == 0, said
    registry = read(tmp_path / REGISTRY, tmp_path)
    assert str(registry.seal.function) == "agent.seal:sealed"
    assert registry.seal.kind == "sealed"
    assert registry.seal.subject == ("categories",)
    assert set(registry.seal.principal) == {"thread_category"}
    assert [str(state) for state in registry.seal.state] == ["agent.store:Skill.categories"]
    assert [(str(one.of), one.grant) for one in registry.capabilities] == [("agent.store:Skill.body", "value")]
    manners = {str(one.function): one.manner for one in registry.surfaces}
    assert manners == {"agent.doors:activate": "named", "agent.more:index": "browse", "agent.more:peek": "named"}


def test_a_door_that_does_not_ask_is_proposed_and_said_aloud(tmp_path: Path, capsys: Any) -> None:
    _, said = init(lay(tmp_path, FULL), capsys)
    assert "  agent/more.py:9: peek does not ask the seal about all that gets out\n" in said
    assert "index does not ask" not in said
    assert cli.main(["check", "--static", str(tmp_path)]) == 1
    assert "agent/more.py:10: peek: seal-consulted refuted" in capsys.readouterr().out


def test_what_it_proposes_for_an_agent_that_holds_holds(tmp_path: Path, capsys: Any) -> None:
    files = {**FULL, "agent/more.py": FULL["agent/more.py"].partition("\n\n\ndef peek")[0] + "\n"}
    assert init(lay(tmp_path, files), capsys)[0] == 0
    assert cli.main(["check", "--static", str(tmp_path)]) == 0


def test_given_the_seal_it_proposes_the_rest(tmp_path: Path, capsys: Any) -> None:
    status, _ = init(lay(tmp_path, BARE), capsys, "--seal", "agent.seal:sealed")
    assert status == 0
    registry = read(tmp_path / REGISTRY, tmp_path)
    assert [str(one.of) for one in registry.capabilities] == ["agent.store:Skill.body"]
    assert [str(one.function) for one in registry.surfaces] == ["agent.doors:activate"]


def test_given_a_capability_the_seal_is_the_one_that_guards_it(tmp_path: Path, capsys: Any) -> None:
    status, _ = init(lay(tmp_path, FULL), capsys, "--capability", "agent.store:Skill.body=value")
    assert status == 0
    assert "agent.seal:sealed" in str(read(tmp_path / REGISTRY, tmp_path).seal.function)


def test_every_row_has_its_evidence_and_other_candidates_are_named(tmp_path: Path, capsys: Any) -> None:
    init(lay(tmp_path, FULL), capsys)
    text = (tmp_path / REGISTRY).read_text(encoding="utf-8")
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith(("  - {of:", "  activate:", "  index:", "  peek:")):
            assert lines[number - 1].startswith("  # "), line
    assert "  # ? or agent.words:same (" in text


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_what_is_there_stays_as_it_is(tmp_path: Path, capsys: Any, name: str) -> None:
    lay(tmp_path, {**FULL, name: "mine\n"})
    _, said = init(tmp_path, capsys)
    assert (tmp_path / name).read_text() == "mine\n"
    assert f"{name}: is there already, and stays as it is\n" in said
    for other in WRITTEN - {name}:
        assert f"{other}: written\n" in said


def test_a_second_run_changes_nothing(tmp_path: Path, capsys: Any) -> None:
    init(lay(tmp_path, FULL), capsys)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    init(tmp_path, capsys)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_link_to_nothing_is_not_written_through(tmp_path: Path, capsys: Any) -> None:
    lay(tmp_path / "agent", FULL)
    (tmp_path / "agent" / ".pre-commit-config.yaml").symlink_to(tmp_path / "elsewhere")
    init(tmp_path / "agent", capsys)
    assert not (tmp_path / "elsewhere").exists()


def test_the_snippet_is_shown_where_the_file_is_there(tmp_path: Path, capsys: Any) -> None:
    lay(tmp_path, {**FULL, ".pre-commit-config.yaml": "repos: []\n"})
    assert "to its `repos:` belongs:\n  - repo: local\n" in init(tmp_path, capsys)[1]


def test_a_dry_run_writes_nothing_and_shows_all(tmp_path: Path, capsys: Any) -> None:
    _, said = init(lay(tmp_path, FULL), capsys, "--dry-run")
    assert not [name for name in WRITTEN if (tmp_path / name).exists()]
    assert "    function: agent.seal:sealed\n" in said


def test_the_written_files_are_what_their_readers_want(tmp_path: Path, capsys: Any) -> None:
    init(lay(tmp_path, FULL), capsys)
    host = ast.parse((tmp_path / "tests/invariants_host.py").read_text())
    methods = {node.name for node in ast.walk(host) if isinstance(node, ast.FunctionDef)}
    assert methods == {"open", "seal_arguments", "activate", "index", "peek"}
    config = str(tmp_path / ".pre-commit-config.yaml")
    checked = subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", config], check=False)
    assert checked.returncode == 0
    workflow = yaml.safe_load((tmp_path / ".github/workflows/invariants.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert "--since" in workflow["jobs"]["check"]["steps"][-1]["run"]


def test_without_anything_that_decides_it_says_so_and_ends_with_one(tmp_path: Path, capsys: Any) -> None:
    lay(tmp_path, {"agent/__init__.py": "", "agent/doors.py": "def hello(name):\n    return name\n"})
    status, said = init(tmp_path, capsys)
    assert status == 1
    assert "not sure: no function decides about others' requests" in said
    assert "# ? function: the function that decides" in (tmp_path / REGISTRY).read_text()


def test_without_code_nothing_is_examined(tmp_path: Path, capsys: Any) -> None:
    status, said = init(tmp_path, capsys)
    assert status == 3
    assert "no Python code was found" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--seal", "agent.seal:saeled"],
            "--seal agent.seal:saeled: not in the code; did you mean `agent.seal:sealed`?",
        ),
        (["--capability", "agent.store:Skill.bdy"], "did you mean `agent.store:Skill.body`?"),
        (["--capability", "agent.store:Skill.body=maybe"], "write `=value` or `=call` after it"),
        (["--code", "agnet"], "--code agnet: not in "),
    ],
)
def test_what_is_named_and_not_there_is_said(tmp_path: Path, capsys: Any, arguments: list[str], words: str) -> None:
    status, said = init(lay(tmp_path, FULL), capsys, *arguments)
    assert status == 2
    assert words in said
    assert not (tmp_path / REGISTRY).exists()


def test_a_file_that_does_not_parse_is_told_and_does_not_stop_it(tmp_path: Path, capsys: Any) -> None:
    status, said = init(lay(tmp_path, {**FULL, "agent/broken.py": "def (:\n"}), capsys)
    assert status == 0
    assert "not sure: agent/broken.py:1: " in said


@pytest.mark.parametrize(
    ("names", "roots"),
    [
        (["agent/__init__.py", "tests/test_a.py", "docs/conf.py"], ("agent",)),
        (["src/agent/__init__.py"], ("src/",)),
        (["agent/a.py", "skills/x/tools.py", ".venv/lib.py"], ("agent", "skills")),
        (["server.py", "setup.py", "conftest.py"], ("server.py",)),
        (["env2/pyvenv.cfg", "env2/a.py", "agent/a.py"], ("agent",)),
        (["README.md"], ()),
    ],
)
def test_the_code_is_found_where_nobody_says(tmp_path: Path, names: list[str], roots: tuple[str, ...]) -> None:
    assert code_roots(lay(tmp_path, dict.fromkeys(names, ""))) == roots


SERVER = """\
from fastmcp import FastMCP

from agent.seal import sealed
from agent.store import STORE

mcp = FastMCP("skills")


@mcp.tool
def manual(turn, path):
    skill = STORE.get(path)
    if skill is None or sealed(skill.categories, turn.category):
        return ""
    return skill.body


@mcp.resource("skill://all")
def everything():
    return [skill.body for skill in STORE.all()]


@mcp.tool
def clock():
    return 12
"""


def test_what_a_framework_calls_is_a_surface_with_its_registrar_as_evidence(tmp_path: Path, capsys: Any) -> None:
    _, said = init(lay(tmp_path, {**FULL, "agent/server.py": SERVER}), capsys)
    surfaces = {str(one.function): one.manner for one in read(tmp_path / REGISTRY, tmp_path).surfaces}
    assert (surfaces["agent.server:manual"], surfaces["agent.server:everything"]) == ("named", "browse")
    assert "agent.server:clock" not in surfaces
    text = (tmp_path / REGISTRY).read_text(encoding="utf-8")
    assert "  # agent/server.py:10: fastmcp calls it: under `@mcp.tool`\n  manual: " in text
    assert "fastmcp calls agent.server:clock (under `@mcp.tool`), and nothing declared above gets out of it" in text
    assert "everything does not ask the seal" in said


def test_a_prover_that_fails_leaves_what_the_calls_tell(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proving, "COMMAND", (sys.executable, "-c", "raise SystemExit('a fault')"))
    status, said = init(lay(tmp_path, FULL), capsys)
    assert status == 0
    assert "not sure: the prover failed (a fault), so what it did not answer is not judged" in said
    assert '  activate: {function: "agent.doors:activate", manner: named}\n' in (tmp_path / REGISTRY).read_text()
    assert "  agent/more.py:9: peek does not ask the seal" in said


LATE = """\
import json, signal, sys
wanted = json.load(sys.stdin)["functions"]
row = {"function": wanted[0], "verdict": "refuted", "level": 2, "reason": "verdict-ignored"}
sys.stdout.write(json.dumps(row) + "\\n" + json.dumps(row)[:9])
sys.stdout.flush()
signal.pause()
"""


def test_of_a_prover_that_does_not_end_what_it_answered_in_time_is_kept(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proving, "COMMAND", (sys.executable, "-c", LATE))
    monkeypatch.setattr(proving, "BUDGET", 2.0)
    status, said = init(lay(tmp_path, FULL), capsys)
    assert status == 0
    assert "not sure: 2 of 3 surfaces were not judged in time: `invariants check` judges them" in said
    assert "activate does not ask the seal about all that gets out" in said
    assert "index does not ask" not in said


def test_what_lies_in_the_users_folder_is_not_imported(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where it is called like a module that the prover itself imports."""
    lay(tmp_path, {**FULL, "ast.py": "open('ran', 'w').close()\n", "json.py": "open('ran', 'w').close()\n"})
    monkeypatch.chdir(tmp_path)
    status, said = init(tmp_path, capsys, "--code", "agent")
    assert status == 0
    assert "the prover failed" not in said
    assert not (tmp_path / "ran").exists()


FAULTS = """\
from agent.store import STORE


def require_text(value):
    if not isinstance(value, str):
        raise TypeError(value)


def one(turn, name):
    require_text(name)
    return STORE.get(name).name


def two(turn, name):
    require_text(name)
    return STORE.get(name).name


def three(turn, name):
    require_text(name)
    return len(name)
"""


def test_what_finds_fault_with_arguments_comes_after_what_decides(tmp_path: Path) -> None:
    """However many ask it: three here, and one the seal."""
    files = {**FILES, "agent/faults.py": FAULTS}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    read = read_code(tmp_path, ("agent",))
    found = [one.candidate.function.ref for one in read.scales.ranked(candidates(read.graph, read.things))]
    assert found.index("agent.faults:require_text") > found.index("agent.seal:sealed")


FILTER = """\
from agent.store import STORE, Skill


def open_to(turn) -> dict[str, Skill]:
    found = {}
    for skill in STORE.all():
        if turn.category in skill.categories:
            found[skill.name] = skill
    return found


def bodies(turn):
    return [skill.body for skill in open_to(turn).values()]
"""


def test_a_seal_that_gives_back_what_it_lets_through_is_a_filter_and_shows_what_it_guards(tmp_path: Path) -> None:
    files = {name: FILES[name] for name in ("agent/__init__.py", "agent/store.py")} | {"agent/filter.py": FILTER}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    draft = propose(tmp_path, Wish(seal="agent.filter:open_to"), ("agent",)).draft
    assert draft is not None
    assert draft.verdict == "filters"
    assert [(one.ref, one.grant) for one in draft.capabilities] == [("agent.store:Skill.body", "value")]
