"""Surface: the tools that one inference is shown. Made before each inference, and it lives for that inference only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from entrypoints.arrival import arrivals, unlocked, waiting
from entrypoints.gate import open_schemas
from entrypoints.masking import masked_in
from entrypoints.messages import Message, loaded_skills
from entrypoints.turn import Turn
from skills.model import Schema
from skills.scenes import active_groups


def build_table(turn: Turn, messages: Sequence[Message]) -> tuple[Schema, ...]:
    """The table by what the messages say was loaded: a loading message that is gone masks its tools again."""
    return show_table(turn, loaded_skills(messages), messages)


def show_table(
    turn: Turn, loaded: Sequence[str], messages: Sequence[Message], defer_servers: bool = False, since: int = 0
) -> tuple[Schema, ...]:
    """What is always there, the scene's groups, what was loaded or called; less what is masked or sealed.

    A skill that was loaded and is sealed today counts for nothing. What came later stands further behind; `since` is
    the message at which the run began that has loaded. `defer_servers` leaves to a search what MCP servers offer and
    nobody has loaded.
    """
    masked = masked_in(turn, loaded)
    always = (
        *_resident(turn),
        *(() if defer_servers else _free(turn)),
        *unlocked(turn, active_groups(turn.thread.scene)),
    )
    wanted = dict.fromkeys((*always, *arrivals(turn, loaded, messages, since)))
    return tuple(schema for schema in open_schemas(turn, wanted) if schema.name not in masked)


def fingerprint(table: Sequence[Schema]) -> str:
    """A digest of the table as a provider would cache it: names, descriptions, parameters, and their order."""
    text = json.dumps([schema.to_json() for schema in table], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _resident(turn: Turn) -> Iterator[str]:
    for group in turn.skills.groups:
        yield from (tool.name for tool in group.tools if tool.name in turn.resident)


def _free(turn: Turn) -> Iterator[str]:
    """The MCP tools that no skill claims or lists."""
    listed = waiting(turn)
    for group in turn.skills.groups:
        if turn.skills.find(group.name) is None:
            yield from (tool.name for tool in group.tools if tool.namespace is not None and tool.name not in listed)
