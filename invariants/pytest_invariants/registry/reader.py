"""Read the registry: `entrypoints/registry.yaml` as data, or every mistake in it at once."""

from __future__ import annotations

from pathlib import Path

from pytest_invariants.registry import grammar
from pytest_invariants.registry.files import Source, load
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.nodes import compose
from pytest_invariants.registry.problems import Problem, RegistryError
from pytest_invariants.registry.records import Row
from pytest_invariants.registry.seal_grammar import SEAL
from pytest_invariants.registry.spot import FAILED, Spot

__all__ = ["Problem", "RegistryError", "read"]


def read(path: Path, root: Path | None = None) -> Registry:
    """The registry at `path`, in the repository at `root`.

    Without `root` the repository is the nearest folder above the file that holds `.git` or `pyproject.toml`, or else
    the one that holds `entrypoints`. References are checked for their form; what they name is for the prover to find.

    :raises RegistryError: with all problems at once, each with file, line, column and remedy.
    """
    source = load(path, root)
    problems: list[Problem] = []
    row = grammar.REGISTRY.read(compose(source.text, source.shown), Spot(source.shown, source.root, problems))
    if row is FAILED or problems:
        raise RegistryError(problems)
    return _registry(source, row)


def _registry(source: Source, row: Row) -> Registry:
    return Registry(
        path=source.path,
        root=source.root,
        code=row[grammar.CODE],
        seal=row[SEAL],
        capabilities=row[grammar.CAPABILITIES],
        surfaces=tuple(row[grammar.SURFACES].values()),
        relations=row.get(grammar.RELATIONS, ()),
        exempt=row.get(grammar.EXEMPT, ()),
        caches=row.get(grammar.CACHES, ()),
        host=row.find(grammar.HOST),
        residency=row.find(grammar.RESIDENCY),
        snapshots=row.get(grammar.SNAPSHOTS, {}),
        policies=row.get(grammar.POLICIES, {}),
        open_classes=row.get(grammar.OPEN, ()),
        skills=row.get(grammar.SKILLS, ()),
    )
