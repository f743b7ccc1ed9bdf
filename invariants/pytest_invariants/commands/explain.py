"""`invariants explain`: the page of an invariant or of a reason code, or all that is proved of a surface."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_invariants.check import check, selectable
from pytest_invariants.commands.common import paint, read_registry, require_known, width
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.report import output, pages
from pytest_invariants.report.model import Status
from pytest_invariants.report.text import proof_lines


def run(id: str, given: Path | None) -> int:
    """Show the page; only for a surface is the registry needed."""
    page = pages.invariant_page(id) or pages.reason_page(id)
    output.show(page or _proofs(id, given))
    return int(Status.HOLDS)


def _proofs(id: str, given: Path | None) -> str:
    registry = read_registry(given)
    require_known([id], [*selectable(registry), *pages.reason_ids()])
    report = check(registry, static=True, select=(id,))
    if report.problems:
        raise RegistryError(report.problems)
    proofs = proof_lines(report.of_surface(id), registry.root, paint=paint(), width=width())
    return "\n".join((*_head(registry, id), *proofs, ""))


def _head(registry: Registry, id: str) -> Iterable[str]:
    for surface in registry.surfaces:
        if surface.id == id:
            yield f"{surface.id}: {surface.function} ({surface.manner}), {surface.at}"
