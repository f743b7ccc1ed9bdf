"""What a change did to each verdict, since a revision: `activate: level 5 → undecided (untyped-receiver)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_invariants.hook.cache import Cache
from pytest_invariants.hook.conditions import Conditions
from pytest_invariants.hook.git import Git
from pytest_invariants.hook.judge import judge, stand_of
from pytest_invariants.hook.ledger import verdict
from pytest_invariants.hook.snapshot import snapshot
from pytest_invariants.hook.standing import Entry, Stand, Standing
from pytest_invariants.report.model import CONSULTED, Report

ARROW = " → "


def changes_since(report: Report, revision: str, environment: Mapping[str, str]) -> str:
    """The text for people: one line a surface or door that stands otherwise, and one that says so where none does.

    :raises UsageError: where git does not know the revision.
    """
    git = Git(report.registry.root)
    before, after = _before(git, report, revision, environment), _after(report)
    if before.problems:
        said = f"since {revision}: its registry had a mistake then, so that nothing can be compared:"
        return "".join(f"{line}\n" for line in (said, *(f"  {problem}" for problem in before.problems)))
    changed = [*_surfaces(before, after), *_doors(before, after)]
    if not changed:
        return f"since {revision}: every surface and every door stands as it did\n"
    return "".join(f"{line}\n" for line in (f"since {revision}:", *(f"  {line}" for line in changed)))


def _before(git: Git, report: Report, revision: str, environment: Mapping[str, str]) -> Standing:
    """How the agent stood; nowhere where the revision has no registry."""
    tree = git.tree(git.commit(revision))
    path = Path(report.registry.path).resolve().relative_to(git.top.resolve()).as_posix()
    shot = snapshot(git, tree, path)
    if shot is None:
        return Standing()
    cache = Cache(git.top, environment, tree)
    found = cache.get(shot.key)
    if found is None:
        found = judge(git, shot)
        if not found.problems:
            cache.put(shot.key, found)
    return found


def _after(report: Report) -> Standing:
    texts = Conditions(report.registry.root)
    asked = {finding.surface: finding for finding in report.findings if finding.invariant == CONSULTED}
    doors = (Entry(door.function, door.at, door.way, door.covered_by, door.asks) for door in report.doors.records)
    return Standing(
        surfaces=tuple(
            stand_of(surface, asked[surface.id], texts) for surface in report.registry.surfaces if surface.id in asked
        ),
        doors=tuple(doors),
    )


def _surfaces(before: Standing, after: Standing) -> Iterator[str]:
    old, new = before.by_id, after.by_id
    for id in sorted({*old, *new}):
        was, now = old.get(id), new.get(id)
        if _short(was) != _short(now):
            yield f"{id}: {_short(was)}{ARROW}{_short(now)}"
        if was is not None and now is not None:
            yield from _details(id, was, now)


def _details(id: str, was: Stand, now: Stand) -> Iterator[str]:
    if was.function != now.function:
        yield f"{id}: {was.function}{ARROW}{now.function}"
    yield from (f"{id}: no longer by {text}" for text in was.conditions if text not in now.conditions)
    yield from (f"{id}: now by {text}" for text in now.conditions if text not in was.conditions)


def _short(stand: Stand | None) -> str:
    if stand is None:
        return "no surface"
    if stand.proved:
        return f"level {stand.finding.level}"
    return verdict(stand).replace(" at level 0", "")  # no step of the ladder was reached


def _doors(before: Standing, after: Standing) -> Iterator[str]:
    old = {door.function: door.covered_by or "covered by nothing" for door in before.doors}
    new = {door.function: door.covered_by or "covered by nothing" for door in after.doors}
    for function in sorted({*old, *new}):
        was, now = old.get(function, "no door"), new.get(function, "no door")
        if was != now:
            yield f"{function}: {was}{ARROW}{now}"
