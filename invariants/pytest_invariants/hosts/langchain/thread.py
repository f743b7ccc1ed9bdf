"""Where the agent's threads are kept: in memory, with copies, so that a question leaves no trace in the thread."""

from __future__ import annotations

from langgraph.checkpoint.memory import InMemorySaver


class Threads(InMemorySaver):
    """Keeps everything in its stored form, as a database would."""

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy every checkpoint of a thread, with what was written into it; nothing where there is no such thread."""
        source, target = source_thread_id, target_thread_id
        for space, checkpoints in list(self.storage.get(source, {}).items()):
            self.storage[target][space] = dict(checkpoints)
        for (thread, space, checkpoint), writes in list(self.writes.items()):
            if thread == source:
                self.writes[target, space, checkpoint] = dict(writes)
        for (thread, *rest), blob in list(self.blobs.items()):
            if thread == source:
                self.blobs[target, *rest] = blob  # type: ignore[index]
