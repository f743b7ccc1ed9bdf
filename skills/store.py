"""Where tools keep their effects: rows of JSON in SQLite, so that a child process and a restart see the same."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from skills.database import opened

_SCHEMA = "create table if not exists effect (id integer primary key, kind text not null, payload text not null);"


@dataclass(frozen=True, slots=True)
class Store:
    """With `durable` a row is there after the machine has lost power, and not only after the process has ended."""

    path: Path
    durable: bool = True

    def add(self, kind: str, payload: object) -> int:
        """Keep a row and return its number."""
        with opened(self.path, _SCHEMA, self.durable) as db:
            row = db.execute("insert into effect (kind, payload) values (?, ?)", (kind, json.dumps(payload)))
            return int(row.lastrowid or 0)

    def rows(self, kind: str) -> list[object]:
        """All rows of a kind, oldest first."""
        with opened(self.path, _SCHEMA, self.durable) as db:
            found = db.execute("select payload from effect where kind = ? order by id", (kind,)).fetchall()
        return [json.loads(payload) for (payload,) in found]
