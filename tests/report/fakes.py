"""A small agent as the reports see it: three surfaces, four invariants, and one finding of every kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.flow.judging.doors import Door, Doors
from pytest_invariants.registry.model import Manner, Reference, Registry, Seal, Surface, VerdictKind
from pytest_invariants.report.model import Report
from pytest_invariants.verdict import RUN, Finding, Place, Reason, Step, Verdict

REGISTRY = "entrypoints/registry.yaml"
SOURCE = """\
def activate(turn, names):
    verdict = sealed(names, turn.category)
    return [body(name) for name in names]
"""


def door(name: str, line: int, covered_by: str | None, *, asks: bool) -> Door:
    way = (Step(Place("agent.py", line), "entered"), Step(Place("agent.py", 3), "`agent:body` gets out"))
    return Door(f"agent:{name}", Place("agent.py", line), way, covered_by, (), True, asks, ("agent:body",))


NO_DOORS = Doors()
CLOSED = Doors(
    records=(
        door("activate", 1, "surface activate", asks=True),
        door("dump", 7, "exempt: the operator's console", asks=False),
        door("index", 5, "surface index", asks=True),
    ),
    registered=("agent:activate", "agent:index"),
    exempt=("agent:dump",),
)
"""An inventory in which every door is covered."""
LEFT_OPEN = replace(
    CLOSED, records=(*CLOSED.records, door("preview", 2, None, asks=False)), unregistered=("agent:preview",)
)
"""The same with one more door, which nobody registered."""


INVARIANTS = (
    Invariant("door-registered", "doors", Scope.SURFACE, "Every door is registered.\n\nThe rest of the page."),
    Invariant("seal-consulted", "doors", Scope.SURFACE, "Every way to a grant asks the seal, and obeys it."),
    Invariant("seal-decides", "doors", Scope.SURFACE, "Swapping the seal swaps the answer."),
    Invariant("seal-sole", "doors", Scope.RUN, "Nobody but the seal decides."),
)


def registry(root: Path) -> Registry:
    def surface(line: int, name: str, manner: Manner) -> Surface:
        return Surface(name, Reference("agent", name), manner, Place(REGISTRY, line))

    seal = Seal(
        Reference("agent", "sealed"), VerdictKind.SEALED, ("names",), {"category": None}, (), Place(REGISTRY, 3)
    )
    surfaces = (surface(11, "index", Manner.BROWSE), surface(12, "activate", Manner.NAMED))
    return Registry(root / REGISTRY, root, ("agent",), seal, (), (*surfaces, surface(13, "bridge", Manner.BOTH)))


REFUTED = Finding(
    "activate",
    "seal-consulted",
    Verdict.REFUTED,
    level=2,
    reason=Reason.VERDICT_IGNORED,
    at=Place("agent.py", 3),
    trace=(
        Step(Place("agent.py", 1), "entered"),
        Step(Place("agent.py", 2), "agent:sealed is asked, and its answer is kept in `verdict`"),
        Step(Place("agent.py", 3), "the body leaves, whatever `verdict` is"),
    ),
    message="The seal is asked, and the grant does not depend on its answer.",
    remedy="return before line 3 where `verdict` is true",
)
PROVED = Finding("index", "seal-consulted", Verdict.PROVED, level=5, guards=("agent:sealed at agent.py:9",))
UNDECIDED = Finding(
    "bridge",
    "seal-consulted",
    Verdict.UNDECIDED,
    level=1,
    reason=Reason.UNTYPED_RECEIVER,
    message="The class of `server` cannot be told.",
    remedy="annotate the parameter `server`",
)
HELD = Finding("bridge", "seal-decides", Verdict.HELD)
LEAKED = Finding(
    "activate",
    "seal-decides",
    Verdict.REFUTED,
    reason=Reason.LEAKED,
    trace=(Step(None, "opened for the category `hr`"),),
    message="payroll came out, 100% of it: name, body\r\nand tools.",
)
UNEXAMINED = Finding("index", "seal-decides", Verdict.UNEXAMINED, message="the host has no method `index`")
SOLE = Finding(RUN, "seal-sole", Verdict.PROVED)
EVERY_KIND = (PROVED, UNEXAMINED, REFUTED, LEAKED, UNDECIDED, HELD, SOLE)


def report(root: Path, *findings: Finding, doors: Doors = LEFT_OPEN, **changes: Any) -> Report:
    """A report on the agent above with these findings; `changes` replaces other fields."""
    asked = {finding.invariant for finding in findings}
    invariants = tuple(invariant for invariant in INVARIANTS if invariant.id in asked)
    made = Report(registry(root), invariants, findings, doors, files=4, lines=1210)
    return replace(made, **changes)


def agent(root: Path) -> Path:
    """Write the source that the findings point into, so that traces can show their lines."""
    (root / "agent.py").write_text(SOURCE, encoding="utf-8")
    return root
