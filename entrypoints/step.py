"""One sampling request, frozen: who asks, with which model, environment and servers, and the finished tool router.

What is advertised and what can be dispatched come from this one object. A server that drops out meanwhile changes
nothing; the next step reads the world anew. The unit is the step, not the user's turn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from entrypoints.core_tools import OF_THE_SESSION
from entrypoints.gate import open_groups, open_schemas
from entrypoints.masking import masked_in
from entrypoints.messages import Message
from entrypoints.ordering import OrderList, builtin_first, denied
from entrypoints.sources import WORKING_MODEL, Asker
from entrypoints.table import show_table
from entrypoints.turn import Turn
from skills.model import Schema, Tool

SEARCH = "tool_search"


class Approvals(StrEnum):
    """When a person is asked before a tool runs."""

    NEVER = "never"
    ON_REQUEST = "on-request"
    """Before every call of a tool that writes."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """How a session puts its tables together. Without `order` and `builtin_first` they stand as they were loaded."""

    order: OrderList | None = None
    builtin_first: bool = False
    deny: tuple[str, ...] = ()
    approvals: Approvals = Approvals.NEVER


AS_LOADED = Assembly()


@dataclass(frozen=True, slots=True)
class ToolRouter:
    """Three sets of tools. `visible` ones are in the request; `searchable` ones are found by `tool_search`.

    `executable` are the names of both, and of the hidden ones that run if they are called by name. `refused` says why
    of those that do not run although no seal is on them: a rule denies them, or this step has no use for them.
    """

    visible: tuple[Schema, ...]
    searchable: frozenset[str]
    executable: frozenset[str]
    refused: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """The context of one sampling request. `searches`: the model supports `tool_search`."""

    turn: Turn
    searches: bool
    assembly: Assembly
    asker: Asker
    servers: tuple[str, ...]
    router: ToolRouter


def freeze(
    turn: Turn,
    loaded: Sequence[str],
    messages: Sequence[Message],
    searches: bool = False,
    assembly: Assembly = AS_LOADED,
    asker: Asker = WORKING_MODEL,
    since: int = 0,
) -> Step:
    """Read the world once and finish the router.

    `loaded` are the skills that count as loaded, in order; `since` is the message at which their run began.
    """
    tools = [tool for skill in open_groups(turn) for tool in skill.tools if skill.offers(tool, turn.thread.writing)]
    servers = tuple(sorted({tool.namespace for tool in tools if tool.namespace is not None}))
    executable = frozenset(tool.name for tool in tools if not denied(assembly.deny, tool.name))
    searching = searches and SEARCH in executable
    table = [
        schema
        for schema in show_table(turn, loaded, messages, searching, since)
        if schema.name in executable and schema.name != SEARCH
    ]
    hidden = masked_in(turn, loaded) | {schema.name for schema in table} | {SEARCH}
    found = frozenset(tool.name for tool in tools if tool.description and tool.name in executable - hidden)
    searchable = found if searching else frozenset()
    shown = (*(open_schemas(turn, [SEARCH]) if searchable else ()), *table)
    runs = executable if searchable else executable - {SEARCH}
    router = ToolRouter(_arranged(turn, assembly, shown), searchable, runs, _refused(tools, executable, runs))
    return Step(turn, searches, assembly, asker, servers, router)


def _refused(tools: Sequence[Tool], undenied: Collection[str], runs: Collection[str]) -> dict[str, str]:
    """Tools of the session are told here, since nobody looks them up in a group."""
    absent = {name: f"There is no tool named {name!r} in this step." for name in OF_THE_SESSION if name not in runs}
    names = (tool.name for tool in tools if tool.name not in undenied)
    return absent | {name: f"{name} is denied by a rule of this session." for name in names}


def _arranged(turn: Turn, assembly: Assembly, table: Sequence[Schema]) -> tuple[Schema, ...]:
    if assembly.order is not None:
        return assembly.order.arrange(table)
    if not assembly.builtin_first:
        return tuple(table)
    foreign = {tool.name for skill in turn.skills.groups for tool in skill.tools if tool.namespace is not None}
    return builtin_first(
        [schema for schema in table if schema.name not in foreign],
        [schema for schema in table if schema.name in foreign],
    )
