"""What each surface should come out as, written down by hand after reading its code (`expected.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from .corpus import Package


class Truth(StrEnum):
    """Whether every way through the surface asks the registered seal and obeys it."""

    HOLDS = "holds"
    FALLS = "falls"


class Score(StrEnum):
    """An answer of the prover, measured by what is true. The order is that of gravity."""

    WRONGLY_PROVED = "wrongly proved"
    FAILED = "no answer"
    FALSE_ALARM = "false alarm"
    NEEDLESS = "needlessly undecided"
    OTHER_REASON = "right, for another reason"
    UNDECIDED = "undecided, as is fair"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected answer of one surface: verdicts that are fair, the best first, and reasons that fit the others."""

    truth: Truth
    verdicts: tuple[str, ...]
    reasons: tuple[str, ...]
    why: str
    judgement: str

    def score(self, verdict: str, reason: str | None) -> Score:
        if verdict == "proved":
            return Score.RIGHT if self.truth is Truth.HOLDS else Score.WRONGLY_PROVED
        if verdict == "refuted" and self.truth is Truth.HOLDS:
            return Score.FALSE_ALARM
        if verdict == "undecided":
            return Score.UNDECIDED if verdict in self.verdicts else Score.NEEDLESS
        return Score.RIGHT if not self.reasons or reason in self.reasons else Score.OTHER_REASON


@dataclass(frozen=True, slots=True)
class Case:
    """One code base at its pinned version, with its registry."""

    name: str
    registry: Path
    packages: tuple[Package, ...]
    surfaces: Mapping[str, Expected]
    run: Mapping[str, Expected]


def read_cases(folder: Path, only: tuple[str, ...] = ()) -> list[Case]:
    """All cases below `folder`, by name; `only` names those that are wanted."""
    found = sorted(path.parent for path in folder.glob("*/expected.yaml"))
    return [read_case(path) for path in found if not only or path.name in only]


def read_case(folder: Path) -> Case:
    """The case in one folder.

    :raises KeyError, ValueError: where `expected.yaml` lacks a key or has a word that nobody knows.
    """
    text = yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8"))
    return Case(
        name=folder.name,
        registry=folder / "registry.yaml",
        packages=tuple(Package(name, version) for name, version in text["packages"].items()),
        surfaces={name: _expected(row) for name, row in text["surfaces"].items()},
        run={name: _expected(row) for name, row in text.get("run", {}).items()},
    )


def _expected(row: Mapping[str, Any]) -> Expected:
    return Expected(
        truth=Truth(row["truth"]),
        verdicts=tuple(row["expect"]),
        reasons=tuple(row.get("reasons", ())),
        why=row["why"],
        judgement=row.get("judgement", ""),
    )
