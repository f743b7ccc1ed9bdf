"""Opening SQLite files: a connection for each piece of work, so that none is shared between threads or left open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened(path: Path, schema: str, durable: bool = True) -> Iterator[sqlite3.Connection]:
    """One transaction. Other processes may have the file open too; waiting for them is bounded.

    What is not `durable` survives the end of the process, and may be lost where the machine loses power.
    """
    with closing(sqlite3.connect(path, timeout=10)) as db, db:
        if not durable:
            db.execute("pragma synchronous = off")
        db.executescript(schema)
        yield db
