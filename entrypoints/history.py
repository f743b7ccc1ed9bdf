"""Threads and their messages in SQLite. They survive a restart; what they say of access is asked again every time."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from entrypoints.messages import Message, Role, ToolCall
from entrypoints.turn import Thread
from skills.database import opened

_SCHEMA = """
create table if not exists thread (id text primary key, category text, scene text);
create table if not exists writing (thread text not null, skill text not null, primary key (thread, skill));
create table if not exists held (id text primary key, thread text not null, call text not null);
create table if not exists message (id integer primary key, thread text not null references thread, body text not null);
"""


@dataclass(frozen=True, slots=True)
class History:
    path: Path

    def open_thread(self, id: str, category: str | None = None, scene: str | None = None) -> Thread:
        """Begin a thread, or set category and scene of one that exists."""
        with self._open() as db:
            db.execute("insert or replace into thread (id, category, scene) values (?, ?, ?)", (id, category, scene))
        return self.thread(id)

    def open_writing(self, thread: Thread, *skills: str) -> Thread:
        """Open the writing sides of skills for this thread: a decision of the session, not of the model."""
        with self._open() as db:
            db.executemany("insert or ignore into writing values (?, ?)", [(thread.id, skill) for skill in skills])
        return self.thread(thread.id)

    def thread(self, id: str) -> Thread:
        """The thread as it is on record; one that is not on record is plain, and no writing side is open in it."""
        with self._open() as db:
            row = db.execute("select category, scene from thread where id = ?", (id,)).fetchone() or (None, None)
            opened = db.execute("select skill from writing where thread = ?", (id,)).fetchall()
        return Thread(id, row[0], row[1], frozenset(skill for (skill,) in opened))

    def append(self, thread: Thread, *messages: Message) -> None:
        with self._open() as db:
            rows = [(thread.id, message.to_json()) for message in messages]
            db.executemany("insert into message (thread, body) values (?, ?)", rows)

    def messages(self, thread: Thread) -> tuple[Message, ...]:
        with self._open() as db:
            rows = db.execute("select body from message where thread = ? order by id", (thread.id,)).fetchall()
        return tuple(Message.from_json(body) for (body,) in rows)

    def compact(self, thread: Thread, keep: int, summary: str) -> None:
        """Replace all but the last `keep` messages by one summary, which carries no mark of what had been loaded."""
        kept = self.messages(thread)[-keep:] if keep else ()
        with self._open() as db:
            db.execute("delete from message where thread = ?", (thread.id,))
            rows = [(thread.id, message.to_json()) for message in (Message(Role.SUMMARY, summary), *kept)]
            db.executemany("insert into message (thread, body) values (?, ?)", rows)

    def hold(self, thread: Thread, call: ToolCall) -> None:
        """Keep a call that waits for approval."""
        row = (call.id, thread.id, call.to_json())
        with self._open() as db:
            db.execute("insert or ignore into held (id, thread, call) values (?, ?, ?)", row)

    def amend(self, thread: Thread, call: ToolCall) -> None:
        """Put another call in the place of the one that waits under this id in this thread."""
        with self._open() as db:
            db.execute("update held set call = ? where id = ? and thread = ?", (call.to_json(), call.id, thread.id))

    def release(self, thread: Thread, call_id: str) -> ToolCall | None:
        """Take out a call that waits in this thread; None where none of this id is left."""
        here = (call_id, thread.id)
        with self._open() as db:
            row = db.execute("select call from held where id = ? and thread = ?", here).fetchone()
            taken = db.execute("delete from held where id = ? and thread = ?", here).rowcount == 1
        return ToolCall.from_json(row[0]) if row and taken else None

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return opened(self.path, _SCHEMA, durable=False)
