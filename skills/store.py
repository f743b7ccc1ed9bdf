"""Where tools keep their effects: rows of JSON in SQLite, so that a child process and a restart see the same."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

_SCHEMA = """
create table if not exists effect (id integer primary key, kind text not null, payload text not null)
"""


@dataclass(frozen=True, slots=True)
class Store:
    """A connection is opened for each operation: no handle is shared between threads or left open at the end."""

    path: Path

    def add(self, kind: str, payload: object) -> int:
        """Keep a row and return its number."""
        with self._open() as db:
            row = db.execute("insert into effect (kind, payload) values (?, ?)", (kind, json.dumps(payload)))
            return int(row.lastrowid or 0)

    def rows(self, kind: str) -> list[object]:
        """All rows of a kind, oldest first."""
        with self._open() as db:
            found = db.execute("select payload from effect where kind = ? order by id", (kind,)).fetchall()
        return [json.loads(payload) for (payload,) in found]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=10)) as db, db:
            db.execute(_SCHEMA)
            yield db
