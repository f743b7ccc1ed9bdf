"""The shape of the package: who may import whom, what the prover depends on, and how long things may get."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_invariants

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "invariants" / "pytest_invariants"
FILES = sorted(PACKAGE.rglob("*.py"))
PROVER = ("verdict.py", "registry", "source", "program", "flow")
"""What reads source: it may import the standard library and PyYAML, and nothing else."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions(module: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(module) if isinstance(node, Function))


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def imported(module: ast.AST) -> Iterator[str]:
    """The top-level names of everything that a module imports, wherever in it the import stands."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "pytest_invariants" if node.level else str(node.module).partition(".")[0]


def foreign(module: ast.AST) -> set[str]:
    return set(imported(module)) - sys.stdlib_module_names - {"pytest_invariants", "yaml"}


def test_there_is_something_to_measure() -> None:
    assert len(FILES) > 30
    assert all(any(name(path).startswith(part) for path in FILES) for part in PROVER)


def test_every_layer_imports_only_layers_below_it() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 broken" in run.stdout


def _parts(path: Path) -> tuple[str, set[str]]:
    """The part of the prover that a file belongs to, and the parts that it imports at run time."""
    nodes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
    typing = [
        node for node in ast.walk(tree(path)) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    aside = {ast.dump(inner) for node in typing for inner in ast.walk(node)}
    modules = [str(node.module).split(".") for node in nodes if ast.dump(node) not in aside]
    return name(path).split("/")[1], {words[2] for words in modules if words[1:2] == ["flow"] and len(words) > 2}


FLOW = [path for path in FILES if name(path).startswith("flow/") and path.name != "__init__.py"]


@pytest.mark.parametrize("path", FLOW, ids=name)
def test_the_parts_of_the_prover_rest_on_its_domain_and_know_nothing_of_verdicts(path: Path) -> None:
    part, used = _parts(path)
    if part == "domain":
        assert used <= {"domain"}
    elif part not in ("judging", "prover.py"):
        assert not used & {"judging", "prover"}


@pytest.mark.parametrize("path", [path for path in FILES if name(path).startswith(PROVER)], ids=name)
def test_the_prover_needs_the_standard_library_and_yaml_alone(path: Path) -> None:
    assert not foreign(tree(path))


def test_a_foreign_import_is_seen_wherever_it_stands() -> None:
    module = ast.parse("import os\ndef late():\n    from networkx.algorithms import dominance\n")
    assert foreign(module) == {"networkx"}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_file_and_no_function_is_too_long(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400
    assert {function.name: length(function) for function in functions(tree(path)) if length(function) > 60} == {}


def test_the_usual_function_is_read_at_a_glance() -> None:
    lengths = [length(function) for path in FILES for function in functions(tree(path))]
    assert statistics.median(lengths) <= 10
    assert statistics.quantiles(lengths, n=10)[-1] <= 30


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    module = tree(path)
    assert not module.body or ast.get_docstring(module)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_private_of_pytest_is_used(path: Path) -> None:
    assert "_pytest" not in set(imported(tree(path)))


def test_the_code_that_is_measured_is_the_code_that_is_imported() -> None:
    """In the source tree or installed from a wheel: the same files either way."""
    installed = Path(pytest_invariants.__file__).parent
    assert {path.relative_to(installed).as_posix() for path in installed.rglob("*.py")} == set(map(name, FILES))
