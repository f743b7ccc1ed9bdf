"""The same key takes effect once: the record of writing calls, which a restart and a child process share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from skills.database import opened
from skills.results import Code, ToolResult, failed

_SCHEMA = "create table if not exists once (key text primary key, call text not null, result text);"


@dataclass(frozen=True, slots=True)
class OnceRecord:
    path: Path
    durable: bool = True

    def run(self, key: str, tool: str, arguments: Mapping[str, object], act: Callable[[], ToolResult]) -> ToolResult:
        """Act, or give again what the same call gave before.

        A call that began and left no result is not tried again: whether it took effect is not known.
        """
        call = json.dumps([tool, dict(arguments)], sort_keys=True)
        if self._begin(key, call):
            result = act()
            self._end(key, result)
            return result
        return self._again(key, call)

    def _begin(self, key: str, call: str) -> bool:
        """Whether this is the first call with the key; the row is there before anything happens."""
        with opened(self.path, _SCHEMA, self.durable) as db:
            return db.execute("insert or ignore into once (key, call) values (?, ?)", (key, call)).rowcount == 1

    def _end(self, key: str, result: ToolResult) -> None:
        with opened(self.path, _SCHEMA, self.durable) as db:
            db.execute("update once set result = ? where key = ?", (result.to_json(), key))

    def _again(self, key: str, call: str) -> ToolResult:
        with opened(self.path, _SCHEMA, self.durable) as db:
            first, result = db.execute("select call, result from once where key = ?", (key,)).fetchone()
        if first != call:
            return failed(Code.BAD_ARGUMENT, "This idempotency key belongs to another call: use a new one.")
        if result is None:
            return failed(Code.UNKNOWN, "This call has begun before and left no result: look before you repeat it.")
        return ToolResult.from_json(result)
