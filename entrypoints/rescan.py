"""Surface: tools called earlier stay in the table, or their results would become orphans. The seal goes first."""

from __future__ import annotations

from collections.abc import Sequence

from entrypoints.gate import open_schemas
from entrypoints.messages import Message, called_tools
from entrypoints.turn import Turn
from skills.model import Schema


def rescan(turn: Turn, messages: Sequence[Message]) -> tuple[Schema, ...]:
    """The schemas of the tools that have a result in the messages, in the order of their first call.

    Only those whose group is open in this turn: that a call was allowed once says nothing about today.
    """
    return open_schemas(turn, called_tools(messages))
