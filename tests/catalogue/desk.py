"""An agent with tools to call, small enough for a test: two that read, two that write. Mutants override one method."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from pytest_invariants.probe.host import Answer, Effect, Facts
from pytest_invariants.probe.waiting import Late, within

from tests.catalogue.small import Small

NUMBER = {"type": "string", "pattern": "^[A-Z]-[0-9]+$", "examples": ["A-1"]}
TOOLS: Mapping[str, tuple[str, dict[str, object]]] = {
    "find": ("Tells where a parcel is. Read-only.", {"number": NUMBER}),
    "look": ("Lists the opening hours of all shops. Read-only.", {}),
    "pay": ("Sends money to a friend. Writes.", {"cents": {"type": "integer", "minimum": 1}}),
    "note": ("Keeps a thought for later. Writes.", {"text": {"type": "string", "minLength": 1}}),
}
WRITERS = ("pay", "note")
BRIEF, AMPLE = 0.02, 5.0
"""Seconds that a call may take: of a tool that surely hangs, and of any other."""


class Desk(Small):
    """Honest: checked, bounded, recorded, and closed until opened."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        self.ran: list[Effect] = []
        self.kept: dict[str, Answer] = {}
        self.errors: dict[str, Exception] = {}
        self.gate = threading.Event()
        self.hanging: set[str] = set()
        self.user: str | None = None
        self.opened = {"note", "pay"}

    def close(self) -> None:
        self.gate.set()

    # What the probe asks of a host

    def table(self) -> list[dict[str, object]]:
        return [self.schema(name) for name in TOOLS if name not in WRITERS or name in self.opened]

    def invoke(self, tool: str, arguments: Mapping[str, object], key: str | None) -> Answer:
        problem = self.refusal(tool, arguments, key)
        if problem:
            return Answer(False, problem, "BAD")
        return self.once(tool, key, lambda: self.run(tool, arguments))

    def effects(self) -> list[Effect]:
        return self.ran

    def writers(self) -> tuple[str, ...]:
        return WRITERS

    def open_from_start(self) -> tuple[str, ...]:
        return ("note",)

    def begin(self) -> None:
        self.opened = {"note"}

    def open_writing(self, tool: str) -> None:
        self.opened.add(tool)

    def sign_in(self, user: str | None) -> None:
        self.user = user

    def fail(self, tool: str, error: Exception) -> None:
        self.errors[tool] = error

    def hang(self, tool: str) -> None:
        self.hanging.add(tool)

    def release(self) -> None:
        self.gate.set()
        self.gate = threading.Event()
        self.hanging.clear()
        self.errors.clear()

    def restart(self) -> None:
        """What was kept is still there."""

    # What the agent does

    def schema(self, name: str) -> dict[str, object]:
        text, properties = TOOLS[name]
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        return {"name": name, "description": text, "input_schema": {**parameters, "additionalProperties": False}}

    def refusal(self, tool: str, arguments: Mapping[str, object], key: str | None) -> str:
        if tool in WRITERS and tool not in self.opened:
            return f"{tool} is closed"
        if tool in WRITERS and key is None:
            return f"{tool} needs a key"
        return "" if self.valid(tool, arguments) else "bad arguments"

    def valid(self, tool: str, arguments: Mapping[str, object]) -> bool:
        if arguments.keys() != TOOLS[tool][1].keys():
            return False
        return all(self.valid_value(name, value) for name, value in arguments.items())

    def valid_value(self, name: str, value: object) -> bool:
        if name == "cents":
            return isinstance(value, int) and value >= 1
        return isinstance(value, str) and bool(value) and (name != "number" or value == "A-1")

    def once(self, tool: str, key: str | None, act: Callable[[], Answer]) -> Answer:
        if tool not in WRITERS or key is None:
            return act()
        if key not in self.kept:
            self.kept[key] = Answer(False, "it has begun before", "UNKNOWN")
            self.kept[key] = act()
        return self.kept[key]

    def run(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        try:
            return within(self.limit(tool), lambda: self.function(tool, arguments))
        except Late:
            return Answer(False, "no answer", "LATE")
        except OSError as error:
            return Answer(False, str(error), "DOWN")

    def limit(self, tool: str) -> float:
        return BRIEF if tool in self.hanging else AMPLE

    def function(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        gate = self.gate
        self.ran.append(Effect(tool, self.acts_for(tool, arguments)))
        if tool in self.hanging:
            gate.wait()
        if tool in self.errors:
            raise self.errors[tool]
        return Answer(True, "done", "OK")

    def acts_for(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        return self.user if tool in ("find", "pay") else None
