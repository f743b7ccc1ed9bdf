"""How an agent stands: what was found of each surface and of the doors, as plain data that can be kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from pytest_invariants.registry.problems import Problem
from pytest_invariants.verdict import Finding, Place, Reason, Step, Verdict

Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Stand:
    """One surface. `row` is its line in the registry; `conditions` what its proof rests on, without line numbers."""

    id: str
    function: str
    manner: str
    row: Place
    finding: Finding
    conditions: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        return self.finding.verdict is Verdict.PROVED

    @property
    def rank(self) -> tuple[int, int]:
        """The higher, the better."""
        order = (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED)
        return order.index(self.finding.verdict), self.finding.level or 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One door: see `pytest_invariants.flow.judging.doors.Door`."""

    function: str
    at: Place
    way: tuple[Step, ...]
    covered_by: str | None
    asks: bool
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """All that the prover says of one registry. With `problems` there is nothing else."""

    seal: str = ""
    surfaces: tuple[Stand, ...] = ()
    doors: tuple[Entry, ...] = ()
    stale: tuple[str, ...] = ()
    unexamined: tuple[str, ...] = ()
    unreadable: tuple[Place, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def by_id(self) -> dict[str, Stand]:
        return {stand.id: stand for stand in self.surfaces}

    @property
    def loose(self) -> dict[str, Entry]:
        """The doors that neither a surface nor an exemption covers, by function."""
        return {door.function: door for door in self.doors if door.covered_by is None}


def as_json(standing: Standing) -> dict[str, Json]:
    return {"format": FORMAT, **asdict(standing)}


def from_json(data: Any) -> Standing:
    """The opposite of `as_json`.

    :raises ValueError, TypeError, KeyError, AttributeError: where the data was not made by it.
    """
    if data["format"] != FORMAT:
        raise ValueError("written by another version")
    return Standing(
        seal=_word(data["seal"]),
        surfaces=tuple(map(_stand, data["surfaces"])),
        doors=tuple(map(_entry, data["doors"])),
        stale=_words(data["stale"]),
        unexamined=_words(data["unexamined"]),
        unreadable=tuple(_place(each) for each in data["unreadable"]),
        problems=tuple(Problem(**each) for each in data["problems"]),
    )


def _stand(data: Any) -> Stand:
    conditions = _words(data["conditions"])
    return Stand(
        _word(data["id"]), _word(data["function"]), _word(data["manner"]), _place(data["row"]),
        _finding(data["finding"]), conditions,
    )  # fmt: skip


def _entry(data: Any) -> Entry:
    covered, asks = data["covered_by"], data["asks"]
    if not isinstance(asks, bool) or not isinstance(covered, str | None):
        raise TypeError("a door's cover")
    way, parameters = tuple(map(_step, data["way"])), _words(data["parameters"])
    return Entry(_word(data["function"]), _place(data["at"]), way, covered, asks, parameters)


def _finding(data: Any) -> Finding:
    return Finding(
        surface=_word(data["surface"]),
        invariant=_word(data["invariant"]),
        verdict=Verdict(data["verdict"]),
        level=data["level"],
        reason=None if data["reason"] is None else Reason(data["reason"]),
        at=None if data["at"] is None else _place(data["at"]),
        trace=tuple(map(_step, data["trace"])),
        message=_word(data["message"]),
        remedy=_word(data["remedy"]),
        guards=_words(data["guards"]),
        assumptions=_words(data["assumptions"]),
        sites=tuple(map(_step, data["sites"])),
    )


def _step(data: Any) -> Step:
    return Step(None if data["at"] is None else _place(data["at"]), _word(data["note"]))


def _place(data: Any) -> Place:
    return Place(_word(data["path"]), int(data["line"]))


def _words(data: Any) -> tuple[str, ...]:
    return tuple(map(_word, data))


def _word(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError("text was expected")
    return data
