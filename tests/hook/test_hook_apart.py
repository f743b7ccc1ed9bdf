"""Packages that nothing connects with the registry are searched and not read, until something connects them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_invariants.hook import quick
from pytest_invariants.hook.kept import Kept

from tests.hook.scratch import FILES, REGISTRY, Scratch

UNTOUCHED = "entrypoints/registry.yaml: no staged change touches what it judges\n"
HOLDS = "entrypoints/registry.yaml: 1 of 1 surfaces proved, nothing to mend\n"
LEAK = "def show(skill):\n    return skill.body\n"
WIRED = "from agent.store import STORE\n\n\ndef show(name):\n    return STORE.get(name).body\n"
CREW = {"crew/__init__.py": "", "crew/tools.py": "def add(a, b):\n    return a + b\n", "lonely.py": "X = 1\n"}


@pytest.fixture
def wide(repository: Scratch) -> Scratch:
    """The agent beside a package and a module that have nothing to do with it, judged once."""
    repository.stage({**CREW, REGISTRY: FILES[REGISTRY].replace("code: [agent]", "code: [agent, crew, lonely]")})
    repository.commit()
    assert repository.hook().stdout == HOLDS
    return repository


@pytest.mark.parametrize(
    "change",
    [
        {"crew/tools.py": "def add(a, b, c):\n    return a + b + c\n"},
        {"crew/tools.py": "def broken(:\n"},
        {"crew/more.py": LEAK},
        {"crew/tools.py": None},
        {"lonely.py": "X = 2\n"},
        {"crew/tools.py": "X = 3\n", "lonely.py": "X = 4\n", "README.md": "more\n"},
    ],
)
def test_a_change_of_what_is_apart_touches_nothing(wide: Scratch, change: dict[str, str | None]) -> None:
    wide.stage(change)
    for _ in range(2):
        run = wide.hook()
        assert (run.returncode, run.stdout, run.stderr) == (0, UNTOUCHED, "")
    wide.commit()
    wide.stage({"README.md": "and more\n"})
    assert wide.hook().stdout == UNTOUCHED


def test_what_is_apart_on_either_side_is_searched_once(wide: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache was filled for what was staged then; the last commit differs from it in a package that is apart."""
    for path in (wide.top / ".invariants_cache").glob("*-*"):
        path.unlink()
    wide.stage({"crew/tools.py": "X = 1\n"})
    assert wide.hook().stdout == UNTOUCHED
    wide.git("reset", "--quiet", "--hard")
    wide.stage({"crew/tools.py": "X = 2\n"})
    monkeypatch.chdir(wide.top)
    monkeypatch.setattr(quick, "MOST_SEARCHED", 1)
    assert quick.answer(wide.environment()) == 0


def test_what_comes_to_be_connected_is_judged(wide: Scratch) -> None:
    wide.stage({"crew/more.py": LEAK})
    assert wide.hook().stdout == UNTOUCHED
    wide.commit()
    wide.stage({"crew/tools.py": WIRED})
    run = wide.hook()
    assert run.returncode == 1
    assert "crew/tools.py:4: new door: crew.tools:show lets a capability out" in run.stdout
    assert "crew.more:show" in run.stdout


def test_a_package_that_the_agent_begins_to_import_is_judged(wide: Scratch) -> None:
    wide.stage({"crew/more.py": LEAK})
    wide.commit()
    wide.add(
        "agent/doors.py",
        "\n\ndef shown(turn, name):\n    from crew.more import show\n\n    return show(opened(turn, name))\n",
    )
    run = wide.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:shown" in run.stdout


def test_a_module_that_the_agent_imported_before_it_was_there_is_judged(wide: Scratch) -> None:
    wide.stage({"agent/plug.py": "try:\n    from crew import more\nexcept ImportError:\n    more = None\n"})
    wide.commit()
    assert wide.hook().returncode == 0
    wide.stage({"crew/more.py": LEAK})
    run = wide.hook()
    assert run.stdout != UNTOUCHED
    assert "crew.more:show" in run.stdout


def test_a_change_that_came_by_another_way_is_searched(wide: Scratch) -> None:
    """A commit past the hook connects a package; the next change, of something else, does not hide it."""
    wide.stage({"crew/tools.py": WIRED})
    wide.commit()
    wide.stage({"README.md": "more\n"})
    assert wide.hook().stdout == UNTOUCHED
    wide.stage({"crew/tools.py": WIRED.replace("name", "key")})
    run = wide.hook()
    assert "crew.tools:show" in run.stdout
    assert run.stdout != UNTOUCHED


def test_a_new_package_among_the_code_is_judged_with_it(wide: Scratch) -> None:
    wide.replace(REGISTRY, "lonely]", "lonely, other]")
    wide.stage({"other/__init__.py": "", "other/leak.py": WIRED})
    run = wide.hook()
    assert run.returncode == 1
    assert "other/leak.py:4: new door: other.leak:show" in run.stdout


def test_a_copy_of_the_seal_in_what_is_apart_is_read(wide: Scratch) -> None:
    wide.stage({"crew/rules.py": FILES["agent/seal.py"]})
    assert wide.hook().stdout != UNTOUCHED


# What is known of the last commit


@pytest.fixture
def unlisted(wide: Scratch, monkeypatch: pytest.MonkeyPatch) -> Scratch:
    """A commit of which it is known that nothing else counts: what is staged need not be listed to tell what changed."""
    wide.stage({"README.md": "more\n"})
    assert wide.hook().stdout == UNTOUCHED
    monkeypatch.chdir(wide.top)
    monkeypatch.setattr(quick, "STAGED", ("no-such-command",))
    return wide


def test_beside_a_known_commit_only_the_difference_is_listed(unlisted: Scratch) -> None:
    unlisted.stage(
        {"README.md": "and more\n", "crew/tools.py": "X = 1\n", "crew/new.py": "X = 2\n", "lonely.py": "X = 3\n"}
    )
    assert quick.answer(unlisted.environment()) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"agent/gate.py": FILES["agent/gate.py"] + "# more\n"},
        {"agent/more.py": "X = 1\n"},
        {"agent/gate.py": None},
        {"lonely.py": None},
        {"crew/tools.py": WIRED},
        {"crew/rules.py": FILES["agent/seal.py"]},
        {REGISTRY: FILES[REGISTRY]},
        {"below/entrypoints/registry.yaml": FILES[REGISTRY]},
        {"entrypoints/ledger.txt": "\n"},
        {"entrypoints/pyproject.toml": ""},
        {".invariants_cache/answer": ""},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_may_count_is_looked_at_in_full(unlisted: Scratch, change: dict[str, str | None]) -> None:
    unlisted.write(change)
    unlisted.git("add", "--all", "--force", *change)
    assert quick.answer(unlisted.environment()) is None


def test_nothing_staged_is_looked_at_in_full(unlisted: Scratch) -> None:
    unlisted.git("reset", "--quiet", "--hard")
    assert quick.answer(unlisted.environment()) is None


def test_another_commit_is_looked_at_in_full(unlisted: Scratch) -> None:
    unlisted.commit()
    unlisted.stage({"README.md": "and more\n"})
    assert quick.answer(unlisted.environment()) is None


def test_a_commit_of_which_git_keeps_the_name_elsewhere_is_listed_as_before(wide: Scratch) -> None:
    wide.git("pack-refs", "--all")
    for number in range(2):
        wide.stage({"README.md": f"more {number}\n"})
        assert wide.hook().stdout == UNTOUCHED
    assert not list((wide.top / ".invariants_cache").glob("commit-*"))


def test_what_is_known_of_a_commit_holds_for_one_layout(unlisted: Scratch) -> None:
    (entry,) = (unlisted.top / ".invariants_cache").glob("commit-*")
    kept = Kept(str(unlisted.top), unlisted.environment())
    known = kept.get(entry.name) or b""
    unlisted.stage({"README.md": "and more\n"})
    assert quick.answer(unlisted.environment()) == 0
    kept.put(entry.name, b"0" * 64 + known[64:])
    assert quick.answer(unlisted.environment()) is None


@pytest.mark.parametrize("change", [lambda text: text.replace(b"100644", b"100755"), lambda text: b""])
def test_a_forged_entry_of_a_commit_is_not_believed(unlisted: Scratch, change: Callable[[bytes], bytes]) -> None:
    (entry,) = (unlisted.top / ".invariants_cache").glob("commit-*")
    unlisted.stage({"README.md": "and more\n"})
    code, _, text = entry.read_bytes().partition(b"\n")
    entry.write_bytes(code + b"\n" + change(text))
    assert quick.answer(unlisted.environment()) is None


def test_a_link_in_what_is_apart_is_judged(wide: Scratch) -> None:
    wide.stage({"README.md": "more\n"})
    assert wide.hook().stdout == UNTOUCHED
    (wide.top / "crew" / "inside").symlink_to("../agent")
    wide.git("add", "--all")
    assert wide.hook().stdout != UNTOUCHED
