"""What a commit hook makes Python load: little, and nothing of the test machinery. Start-up time is a feature."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.hook.scratch import FILES, REGISTRY, UNSEALED, Scratch

LEAKS = "from agent.store import STORE\n" + FILES["agent/doors.py"] + UNSEALED
MORE = "\n\nMORE = 1\n"
PROBE = """
import sys
before = set(sys.modules)
from pytest_invariants import start
status = start.main()
loaded = set(sys.modules) - before
print(*sorted(loaded), sep="\\n", file=sys.stderr)
"""
QUICK = {
    "pytest_invariants",
    "pytest_invariants.hook",
    "pytest_invariants.hook.kept",
    "pytest_invariants.hook.layout",
    "pytest_invariants.hook.quick",
    "pytest_invariants.start",
}
"""All that is loaded of the package where nothing has to be proved, or the same change was judged before."""
STANDARD = {
    "__future__", "_blake2",
    "_collections_abc", "_stat", "genericpath", "os", "os.path", "posixpath", "stat",
}  # fmt: skip
"""All that is loaded of the standard library; the second line every start of Python loads that has its `site`."""
HEAVY = {"pytest", "_pytest", "hypothesis", "syrupy", "mcp", "pluggy", "asyncio", "unittest", "importlib.metadata"}


def loaded(repository: Scratch, *arguments: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-S", "-c", PROBE, *arguments],
        cwd=repository.top,
        env=repository.environment(PYTHONPATH=":".join(path for path in sys.path if path)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in run.stderr, run.stderr
    return set(run.stderr.split())


def foreign(modules: set[str]) -> set[str]:
    """Packages that are neither the standard library's nor our own; what Cython adds belongs to PyYAML."""
    tops = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"pytest_invariants"}
    return {name for name in tops if "cython" not in name}


def own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "pytest_invariants"}


def test_where_nothing_is_touched_next_to_nothing_is_loaded(repository: Scratch) -> None:
    repository.hook()
    repository.stage({"README.md": "more\n", "tools/build.py": "print(1)\n"})
    assert loaded(repository, "hook") == QUICK | STANDARD


def test_a_change_that_was_judged_before_is_answered_as_quickly(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": LEAKS})
    repository.hook()
    assert loaded(repository, "hook") == QUICK | STANDARD


def test_a_change_of_what_was_not_read_is_answered_without_the_prover(repository: Scratch) -> None:
    """Only the changed files are parsed."""
    repository.add("agent/store.py", "\n\ndef shown(text):\n    return text.strip('-')\n")
    repository.commit()
    repository.stage({"README.md": "more\n", "agent/gate.py": FILES["agent/gate.py"] + MORE})
    repository.hook()
    repository.replace("agent/store.py", "text.strip('-')", "text.strip('+')")
    modules = loaded(repository, "hook")
    assert not {name for name in modules if ".flow" in name}
    assert {"ast", "pytest_invariants.program.outline"} <= modules
    assert foreign(modules) == {"yaml"}


def test_a_change_of_what_was_read_needs_the_prover(repository: Scratch) -> None:
    repository.stage({"README.md": "more\n", "agent/gate.py": FILES["agent/gate.py"] + MORE})
    repository.hook()
    repository.replace("agent/gate.py", "return skill\n", "return skill or None\n")
    assert {name for name in loaded(repository, "hook") if ".flow" in name}


def test_a_change_of_what_is_apart_needs_no_prover_where_nothing_is_known(repository: Scratch) -> None:
    repository.stage({"crew.py": "X = 1\n", REGISTRY: FILES[REGISTRY].replace("code: [agent]", "code: [agent, crew]")})
    repository.commit()
    repository.stage({"crew.py": "X = 2\n", "agent/gate.py": FILES["agent/gate.py"] + "# more\n"})
    modules = loaded(repository, "hook")
    assert not {name for name in modules if ".flow" in name}
    assert {"pytest_invariants.program.program", "pytest_invariants.hook.scout"} <= modules
    assert foreign(modules) == {"yaml"}


def test_where_the_verdict_is_known_the_prover_is_not_loaded(repository: Scratch) -> None:
    repository.stage({"agent/gate.py": FILES["agent/gate.py"] + MORE})
    repository.hook()
    modules = loaded(repository, "hook", "--registry", REGISTRY)
    assert not {name for name in modules if ".flow" in name}
    assert foreign(modules) == {"yaml"}


@pytest.mark.parametrize("arguments", [["hook"], ["hook", "--fix"], ["hook", "--skills"], ["doors"]])
def test_the_hook_and_the_prover_need_the_standard_library_and_yaml_alone(
    repository: Scratch, arguments: list[str]
) -> None:
    repository.stage({"agent/doors.py": LEAKS, "skills/a/SKILL.md": "broken"})
    modules = loaded(repository, *arguments)
    assert foreign(modules) <= {"yaml", "_yaml"}
    assert not HEAVY & modules
