"""What a commit hook makes Python load: little, and nothing of the test machinery. Start-up time is a feature."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.hook.scratch import FILES, UNSEALED, Scratch, environment

LEAKS = "from agent.store import STORE\n" + FILES["agent/doors.py"] + UNSEALED
PROBE = """
import sys
before = set(sys.modules)
from pytest_invariants import cli
cli.main(sys.argv[1:])
loaded = set(sys.modules) - before
print(*sorted(loaded), sep="\\n", file=sys.stderr)
"""
LIGHT = {
    "pytest_invariants",
    "pytest_invariants.cli",
    "pytest_invariants.hook",
    "pytest_invariants.hook.cache",
    "pytest_invariants.hook.command",
    "pytest_invariants.hook.compare",
    "pytest_invariants.hook.doors",
    "pytest_invariants.hook.git",
    "pytest_invariants.hook.ledger",
    "pytest_invariants.hook.proposal",
    "pytest_invariants.hook.renames",
    "pytest_invariants.hook.snapshot",
    "pytest_invariants.hook.standing",
    "pytest_invariants.hook.wording",
    "pytest_invariants.registry",
    "pytest_invariants.registry.census",
    "pytest_invariants.registry.nodes",
    "pytest_invariants.registry.problems",
    "pytest_invariants.report",
    "pytest_invariants.report.output",
    "pytest_invariants.verdict",
}
"""All that is loaded of the package where nothing has to be proved: the prover is not among it."""
HEAVY = {"pytest", "_pytest", "hypothesis", "syrupy", "mcp", "pluggy", "asyncio", "unittest", "importlib.metadata"}


def loaded(repository: Scratch, *arguments: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-S", "-c", PROBE, *arguments],
        cwd=repository.top,
        env=environment(PYTHONPATH=":".join(path for path in sys.path if path)),
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


def test_where_nothing_is_touched_only_the_light_part_is_loaded(repository: Scratch) -> None:
    repository.stage({"README.md": "more\n"})
    modules = loaded(repository, "hook")
    assert own(modules) <= LIGHT
    assert foreign(modules) == {"yaml"}


def test_where_the_verdict_is_known_the_prover_is_not_loaded(repository: Scratch) -> None:
    repository.stage({"agent/gate.py": FILES["agent/gate.py"] + "# more\n"})
    repository.hook()
    modules = loaded(repository, "hook")
    assert own(modules) - LIGHT <= {"pytest_invariants.registry.edit"}
    assert not {name for name in modules if ".flow" in name}


@pytest.mark.parametrize("arguments", [["hook"], ["hook", "--fix"], ["hook", "--skills"], ["doors"]])
def test_the_hook_and_the_prover_need_the_standard_library_and_yaml_alone(
    repository: Scratch, arguments: list[str]
) -> None:
    repository.stage({"agent/doors.py": LEAKS, "skills/a/SKILL.md": "broken"})
    modules = loaded(repository, *arguments)
    assert foreign(modules) <= {"yaml", "_yaml"}
    assert not HEAVY & modules
