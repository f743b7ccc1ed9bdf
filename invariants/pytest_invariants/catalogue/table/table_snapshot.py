"""What the model is shown changes only on purpose.

What it states
    The table of the first step, under each of the host's facts and on each loading path, the text of the prompt beside
    it, the set of resident tools, and whatever the registry names under `snapshots`, are what the snapshot files say,
    byte for byte.

Why it matters
    A description that was reworded, a parameter that was added, a tool that moved: each changes what the model does,
    and costs the cache. In a snapshot file it is a line that somebody reviews.

A failing example
    ::

        Tool("note_find", "Find notes.")  ->  Tool("note_find", "Search the notes.")

    Refuted, `changed`, with the line that differs.

The repair
    If the change is meant, `pytest --snapshot-update` writes the files; review and commit them. If not, undo it.

Its limits
    A snapshot says that something changed, not that it is right, and covers the paths that it was taken on. The files
    lie in the folder `snapshots` beside the registry; all `.json` files there belong to the harness.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.schemas import as_text
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.registry.model import Reference
from pytest_invariants.verdict import Reason

ID = "table-snapshot"
ALWAYS = ("table", "resident", "prompt")
"""Methods of the host whose result is kept, beside those of the registry's names."""


@of_run(ID)
def play(session: ProbeSession) -> str:
    from pytest_invariants.probe.snapshots import Snapshots

    values = dict(_values(session))
    if not values:
        raise Lacking(
            "the host has no `table`, no `resident` and no `prompt`, and the registry names nothing under `snapshots`"
        )
    snapshots = Snapshots(session.registry.path.parent / "snapshots", update=session.update_snapshots)
    if snapshots.is_new:
        message = f"no snapshot has been taken yet of what the model is shown ({len(values)} would be)"
        raise Fallen(Reason.CHANGED, message, "take them with `pytest --snapshot-update`, and review the files")
    changed = list(snapshots.changes(values))
    if changed:
        script = tuple(line for name, lines in changed for line in (f"snapshots/{name}", *lines))
        message = f"{len(changed)} of {len(values)} snapshots differ from what the model is shown"
        remedy = "undo the change, or accept it with `pytest --snapshot-update` and review the files"
        raise Fallen(Reason.CHANGED, message, remedy, script)
    return f"{len(values)} snapshots are what the model is shown"


def _values(session: ProbeSession) -> Iterator[tuple[str, object]]:
    for name, reference in session.registry.snapshots.items():
        if not session.has(name):
            yield name, _named(session, name, reference)
    for facts in paths.everywhere(session):
        with session.stage(facts, REAL) as stage:
            for name in _methods(session):
                yield f"{name} with {facts}", _shown(stage, name)


def _methods(session: ProbeSession) -> list[str]:
    """The host's methods whose result is kept."""
    names = dict.fromkeys((*ALWAYS, *session.registry.snapshots))
    return [name for name in names if session.has(name)]


def _shown(stage: Stage, name: str) -> object:
    if name == "resident":
        return sorted(stage.agent.names(name))
    value: object = stage.agent.call(name)
    as_text(value)
    return value.splitlines() if isinstance(value, str) else value


def _named(session: ProbeSession, name: str, reference: Reference) -> object:
    value = paths.called(session, reference)
    if value is None:
        raise Lacking(f"`{reference}` wants arguments; give the host a method `{name}` that calls it")
    if isinstance(value, set | frozenset):
        return sorted(value)
    as_text(value)
    return value


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
