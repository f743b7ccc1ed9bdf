"""What the hook says: for each change its place, one sentence, the way to the capability, and what to write where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_invariants.hook.compare import Change, Kind
from pytest_invariants.hook.ledger import verdict
from pytest_invariants.hook.proposal import Row
from pytest_invariants.hook.standing import Entry, Stand, Standing
from pytest_invariants.verdict import Place, Step

MARGIN = "    "
FIX = "`invariants hook --fix`"


@dataclass(frozen=True, slots=True)
class Registered:
    """The registry that is spoken of: its path from the top, where its repository lies, its text, and how it stands."""

    path: str
    root: str
    text: str
    standing: Standing
    rows: Mapping[str, Row]
    """What may be added for the doors that it lacks, by function."""

    def place(self, at: Place | None) -> str:
        """A place as a path from the top of git's repository."""
        if at is None:
            return self.path
        return str(at if self.root == "." else replace(at, path=f"{self.root}/{at.path}"))


def describe(changes: Sequence[Change], about: Registered) -> str:
    """The text for people: what fails first, and then in short what else happened."""
    return "".join(f"{line}\n" for change in changes for line in _lines(change, about))


def _lines(change: Change, about: Registered) -> Iterator[str]:
    place = about.place(change.at)
    if not change.fails:
        yield f"{place}: {_note(change)}"
        return
    yield f"{place}: {change.kind}: {_sentence(change)}"
    trace = change.door.way if change.door else change.stand.finding.trace if change.stand else ()
    if change.kind is not Kind.RENAMED:
        yield from _steps(trace, about)
    yield from (f"{MARGIN}{line}" for line in _remedy(change, about))


def _steps(steps: Iterable[Step], about: Registered) -> Iterator[str]:
    for step in steps:
        yield f"{MARGIN}{about.place(step.at) if step.at else ''}  {step.note}"


def _sentence(change: Change) -> str:
    stand, door = change.stand, change.door
    match change.kind:
        case Kind.NEW_DOOR if door is not None:
            moved = f" (it was {change.old})" if change.old else ""
            return f"{door.function}{moved} lets a capability out, and no row of the registry names it"
        case Kind.RENAMED if stand is not None:
            return f"the function of the surface {stand.id} was {change.old} and is {change.name} now"
        case Kind.REMOVED if stand is not None:
            return f"the surface {stand.id} names {stand.function}, which is not there any more"
        case Kind.STALE:
            return f"the exemption of {change.name} is not needed any more"
        case Kind.UNEXAMINED:
            return f"{change.name} has more paths than are looked at"
        case Kind.UNREADABLE:
            return "the file does not parse, so what is in it is not proved"
    assert stand is not None
    before = f" was {verdict(change.was)} and" if change.was is not None else ""
    return f"{stand.id}{before} is {verdict(stand)}: {stand.finding.message}"


def _remedy(change: Change, about: Registered) -> Iterator[str]:
    stand, door = change.stand, change.door
    match change.kind:
        case Kind.NEW_DOOR if door is not None:
            yield from _rows(door, about)
        case Kind.RENAMED if stand is not None:
            yield f'in {about.place(stand.row)} write `function: "{change.name}"`, or let {FIX} write it'
        case Kind.REMOVED if stand is not None:
            yield f"take the row out of {about.place(stand.row)}, or name the function that does its work now"
        case Kind.STALE:
            yield f"take its row out of `exempt` in {about.path}"
        case Kind.UNEXAMINED:
            yield "split the function, or ask the seal closer to the grant"
        case Kind.UNREADABLE:
            yield "make it parse under the Python that runs this hook"
        case Kind.UNDECIDED if stand is not None:
            yield from _sites(stand, about)
            yield f"remedy: {stand.finding.remedy}"
            yield "or, where a probe covers it, have that reviewed: `invariants hook --ledger` writes it down"
        case _ if stand is not None:
            yield f"remedy: {stand.finding.remedy}"


def _sites(stand: Stand, about: Registered) -> Iterator[str]:
    return (f"{about.place(site.at) if site.at else ''}  {site.note}" for site in stand.finding.sites)


def _rows(door: Entry, about: Registered) -> Iterator[str]:
    seal = about.standing.seal
    if door.asks:
        yield f"It asks {seal}. Add to `surfaces` of {about.path}, or let {FIX} add:"
    else:
        yield f"It lets out what {seal} was not asked about: ask there, and then add to `surfaces` of {about.path}:"
    yield from about.rows[door.function].lines(about.text)


def _note(change: Change) -> str:
    stand, was = change.stand, change.was
    now = verdict(stand) if stand else ""
    match change.kind:
        case Kind.KNOWN_DOOR:
            return f"note: {change.name} is covered by nothing, and was not before this change"
        case Kind.KNOWN:
            return f"note: {change.name} is {now}, and was not proved before this change"
        case Kind.ACCEPTED:
            return f"note: {change.name} is {now}, as the ledger says"
        case Kind.FOLLOWED if stand is not None:
            return f"note: {change.name} was {change.old} and is {stand.function} now"
        case Kind.DROPPED if was is not None:
            return f"note: the surface {change.name} ({was.function}) is gone"
        case Kind.ADDED:
            return f"note: the surface {change.name} is new, and {now}"
    return f"note: {change.name} was {verdict(was) if was else 'not there'} and is {now}"


def summary(changes: Sequence[Change], about: Registered) -> str:
    """One line: how many surfaces are proved, and how many changes fail."""
    surfaces = about.standing.surfaces
    failing = sum(change.fails for change in changes)
    proved = f"{sum(stand.proved for stand in surfaces)} of {len(surfaces)} surfaces proved"
    return f"{about.path}: {proved}, {f'{failing} to mend' if failing else 'nothing to mend'}\n"
