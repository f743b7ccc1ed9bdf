"""What lands in a user's environment: `pytest_invariants`, whole, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOT_SOURCE = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "examples", "benchmarks")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy to build from, so that nothing is left behind in the repository."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("source") / "project", ignore=NOT_SOURCE)


@pytest.fixture(scope="module")
def built(tree: Path) -> Path:
    """The folder with the source distribution and the wheel, built with the tools that are installed."""
    run_python(tree, "-m", "build", "--no-isolation", "--wheel", "--sdist", "--outdir", str(tree / "dist"))
    return tree / "dist"


def run_python(folder: Path, *arguments: str) -> str:
    run = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def names_in_wheel(folder: Path) -> set[str]:
    (wheel,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    tops = {name.partition("/")[0] for name in names_in_wheel(built)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pytest_invariants"}


def test_the_wheel_holds_every_module_the_schema_and_the_type_marker(built: Path) -> None:
    package = ROOT / "invariants" / "pytest_invariants"
    wanted = {f"pytest_invariants/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    wanted |= {f"pytest_invariants/{path.relative_to(package).as_posix()}" for path in package.rglob("*.json")}
    assert wanted | {"pytest_invariants/py.typed"} <= names_in_wheel(built)
    assert any(name.startswith("pytest_invariants/registry/") and name.endswith(".json") for name in wanted)


def test_the_wheel_brings_the_command_the_plugin_and_the_licence(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        text = archive.read(entry_points).decode()
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    assert "invariants = pytest_invariants.start:main" in text
    assert "[pytest11]\ninvariants = pytest_invariants.plugin" in text


def test_the_source_distribution_builds_without_the_repository(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "invariants/pytest_invariants/cli.py"} <= names
    assert not {name for name in names if name.startswith(("skills/", "entrypoints/", "tests/"))}


def test_an_editable_install_adds_no_other_name(tree: Path, tmp_path: Path) -> None:
    """What it puts on the path is the source root, and that holds the one package."""
    hook = f"from setuptools.build_meta import build_editable; build_editable({str(tmp_path)!r})"
    run_python(tree, "-c", hook)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (link,) = (name for name in archive.namelist() if name.endswith(".pth"))
        root = Path(archive.read(link).decode().strip())
    assert root == tree / "invariants"
    assert {path.name for path in root.iterdir() if not path.name.endswith(".egg-info")} == {"pytest_invariants"}


def test_the_run_time_needs_no_more_than_it_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {requirement.partition(">")[0] for requirement in project["dependencies"]}
    assert needed == {"pytest", "hypothesis", "pyyaml", "syrupy"}
