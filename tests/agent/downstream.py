"""What lies behind the tools, under control: it counts what arrives, and fails or hangs where it is told to."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field, replace
from functools import partial

from pytest_invariants import Effect

from skills.context import ExecutionContext
from skills.database import opened
from skills.guard import Guard
from skills.model import Arguments, Tool
from skills.results import ToolResult
from skills.store import Store

BRIEF, AMPLE = 0.02, 20.0
"""Seconds that a call may take: of a tool that surely hangs, and of any other."""


@dataclass(slots=True)
class Downstream:
    """The functions of the tools are the agent's own; it stands before them."""

    effects: list[Effect] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)
    hanging: set[str] = field(default_factory=set)
    gate: threading.Event = field(default_factory=threading.Event)
    running: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def before(self, tool: Tool) -> Tool:
        return replace(tool, function=partial(self._run, tool))

    def release(self) -> None:
        """Everything goes on, and what has hung comes to its end first."""
        self.gate.set()
        with self.changed:
            self.changed.wait_for(lambda: self.running == 0, timeout=AMPLE)
        self.gate = threading.Event()
        self.hanging.clear()
        self.errors.clear()

    def _run(self, tool: Tool, context: ExecutionContext, arguments: Arguments) -> ToolResult:
        self._count(1)
        try:
            return self._watched(tool, context, arguments)
        finally:
            self._count(-1)

    def _count(self, step: int) -> None:
        with self.changed:
            self.running += step
            self.changed.notify_all()

    def _watched(self, tool: Tool, context: ExecutionContext, arguments: Arguments) -> ToolResult:
        number, before = len(self.effects), _last(context.store)
        self.effects.append(Effect(tool.name))
        if tool.name in self.hanging:
            self.gate.wait()
        if tool.name in self.errors:
            raise self.errors[tool.name]
        result = tool.function(context, arguments)
        row = _last(context.store)
        self.effects[number] = Effect(tool.name, _whose(result.data if row == before else json.loads(row[1])))
        return result


class WatchfulGuard(Guard):
    """Gives up at once on what surely hangs, and waits long for anything else: no test depends on the machine."""

    def __init__(self, downstream: Downstream) -> None:
        super().__init__(AMPLE, AMPLE)
        self._downstream = downstream

    def limit(self, tool: Tool) -> float:
        return BRIEF if tool.name in self._downstream.hanging else super().limit(tool)


def _last(store: Store) -> tuple[int, str]:
    """The number and the content of the effect that was kept last, whatever its kind."""
    with opened(store.path, "", durable=False) as db:
        row: tuple[int, str] = db.execute("select id, payload from effect order by id desc limit 1").fetchone()
    return row


def _whose(row: object) -> str | None:
    """Whose row was written or came out."""
    found = (row.get("user") or row.get("by")) if isinstance(row, dict) else None
    return found if isinstance(found, str) else None
