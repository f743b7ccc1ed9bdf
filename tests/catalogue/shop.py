"""An agent with a table: frozen steps, deferred and masked tools, servers, an order list. Mutants override one method."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.probe.host import Facts, Host, Outcome
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.catalogue.small import Small, finding_of

CORE = ("load_skill", "clock", "tool_search")
OWN = {"notes": ("note_add",), "ledger": ("ledger_add", "ledger_find"), "payroll": ("payroll_run",)}
OWNERS = {"pay_out": ("ledger", "payroll"), "undo": ("ledger",)}
BANK = ("bank_balance", "bank_pay")
MARKER = "<unlisted-tools>"
REVIEW = ("look", "judge")
POLICIES = {
    "table": "per-step",
    "order": "appended",
    "loaded": "follows-history",
    "compaction": "resets",
    "hidden": "refused",
}


@dataclass(frozen=True)
class Router:
    """What is decided once a step."""

    visible: tuple[str, ...]
    searchable: tuple[str, ...]
    tools: Mapping[str, str]
    """Who answers, by the name of each tool."""


class Shop(Small):
    """Honest: nothing is loaded when it opens. A tool's answer names the server that it comes from, or the agent."""

    facts = (Facts(category="office"), Facts())

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.facts_now = facts
        self.tools = {name: f"own/{name}" for name in (*CORE, *sum(OWN.values(), ()), *OWNERS)}
        self.tools |= {name: f"bank/{name}" for name in BANK}
        self.messages: list[str] = []
        self.broken = False
        self.step()

    # What is decided

    def step(self) -> None:
        self.router = self.routed()

    def routed(self) -> Router:
        if self.broken:
            raise AssertionError("the tools were walked")
        deferred = self.deferred()
        visible = tuple(name for name in self.wanted() if name in self.tools)
        shown = tuple(name for name in visible if name != "tool_search" or deferred)
        return Router(shown, deferred, {name: self.tools[name] for name in (*shown, *deferred)})

    def wanted(self) -> Sequence[str]:
        """The order of the table: what is always there, then what was loaded, as it was loaded."""
        loaded = [name for skill in self.loaded() for name in (*self.own_tools(skill), *self.unlocked(skill))]
        return list(dict.fromkeys((*self.first(), *loaded)))

    def first(self) -> Sequence[str]:
        served = sorted(name for name in self.tools if not self.tools[name].startswith("own/"))
        return (*CORE, *([] if self.searches else served))

    @property
    def searches(self) -> bool:
        return self.category == "office"

    def deferred(self) -> tuple[str, ...]:
        """What a search finds: all that is neither shown nor masked nor sealed."""
        there = {*self.wanted(), *OWNERS} if self.searches else set(self.tools)
        closed = {name for skill in self.skills if self.closed(skill) for name in OWN[skill]}
        return tuple(name for name in self.tools if name not in there | closed)

    def own_tools(self, skill: str) -> tuple[str, ...]:
        return () if self.closed(skill) else OWN[skill]

    def unlocked(self, skill: str) -> list[str]:
        return [] if self.closed(skill) else [tool for tool, skills in OWNERS.items() if skill in skills]

    # Levers

    def load(self, skill: str) -> None:
        self.messages.append(skill)

    def compact(self) -> None:
        self.messages = []

    def turn(self) -> None:
        self.step()

    def resume(self, fresh: bool) -> None:
        self.step()

    def drop(self) -> None:
        self.tools = {name: who for name, who in self.tools.items() if name not in BANK}

    def connect(self) -> None:
        self.tools |= {name: f"bank/{name}" for name in BANK}

    def remove_tool(self, tool: str) -> None:
        self.tools.pop(tool, None)

    def add_tool(self, tool: str) -> None:
        self.tools[tool] = f"own/{tool}"

    def serve(self, server: str, *tools: str) -> None:
        self.tools |= {f"{server}__{name}".replace(".", "_dot_"): f"{server}/{name}" for name in tools}

    def break_sources(self) -> None:
        self.broken = True

    # Facts

    def table(self) -> list[dict[str, object]]:
        return [{"name": name, "description": self.describe(name)} for name in self.router.visible]

    def describe(self, name: str) -> str:
        return f"A tool, {name}."

    def call(self, tool: str) -> Outcome:
        return Outcome(tool in self.router.tools, self.router.tools.get(tool, f"there is no {tool}"))

    def call_together(self, *tools: str) -> list[Outcome]:
        return [self.call(tool) for tool in tools]

    def executable(self) -> list[str]:
        return list(self.router.tools)

    def searchable(self) -> list[str]:
        return list(self.router.searchable)

    def search_tool(self) -> str:
        return "tool_search"

    def search(self, query: str, limit: int) -> list[str]:
        return self.ranked(query, self.router.searchable)[:limit]

    def ranked(self, query: str, names: Sequence[str]) -> list[str]:
        words = set(re.findall(r"[a-z]+", query))
        scores = {name: len(words & set(re.findall("[a-z]+", name))) for name in names}
        return sorted((name for name in names if scores[name]), key=lambda name: (-scores[name], name))

    def loaded(self) -> list[str]:
        return list(dict.fromkeys(self.messages))

    def owners(self) -> dict[str, tuple[str, ...]]:
        return OWNERS

    def core(self) -> list[str]:
        return [name for name, who in self.tools.items() if who.startswith("own/")]

    def resident(self) -> list[str]:
        return ["load_skill", "clock"]

    def fingerprint(self) -> int:
        return hash(self.router.visible)

    def prompt(self) -> str:
        advice = {"load_skill": "Read with `load_skill` first.", "tool_search": "Find more with `tool_search`."}
        return " ".join(text for name, text in advice.items() if name in self.router.visible)

    def arranged(self, order: Sequence[str]) -> list[str]:
        if MARKER not in order:
            raise ValueError("say where the rest goes")
        seats = {name: seat for seat, name in enumerate(order)}
        return sorted(self.router.visible, key=lambda name: (seats.get(name, seats[MARKER]), name))

    def identities(self) -> dict[str, tuple[str, ...]]:
        return {"guardian": REVIEW}

    def table_for(self, label: str | None) -> list[dict[str, object]]:
        return [{"name": name} for name in (REVIEW if label == "guardian" else self.routed().visible)]


def judged(invariant: Invariant, host: type[Host], **policies: str) -> Finding:
    return finding_of(invariant, host, policies=POLICIES | policies)


def outcome(invariant: Invariant, host: type[Host], **policies: str) -> tuple[Verdict, Reason | None]:
    found = judged(invariant, host, **policies)
    return found.verdict, found.reason


HELD = (Verdict.HELD, None)
LACKING = (Verdict.UNEXAMINED, None)


def falls(reason: Reason) -> tuple[Verdict, Reason]:
    return Verdict.REFUTED, reason
