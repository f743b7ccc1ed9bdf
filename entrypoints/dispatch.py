"""From a call that a model wrote to the message that answers it. Every branch goes through a surface."""

from __future__ import annotations

from collections.abc import Sequence

from entrypoints.activate import activate
from entrypoints.core_tools import OF_THE_SESSION
from entrypoints.direct_call import call_tool
from entrypoints.introspect import introspect
from entrypoints.manual import read_manual
from entrypoints.messages import Message, Role, ToolCall
from entrypoints.refusal import Refused, unknown_text
from entrypoints.step import Step
from entrypoints.tool_search import search_tools


def dispatch(step: Step, call: ToolCall) -> Message:
    """Carry out one call of a step. A refusal is an answer like any other: the model reads why."""
    try:
        return _answer(step, call)
    except Refused as refusal:
        return Message(Role.TOOL, str(refusal), tool=call.name)


def _answer(step: Step, call: ToolCall) -> Message:
    turn = step.turn
    if call.name in step.router.refused:
        raise Refused(step.router.refused[call.name])
    if call.name in OF_THE_SESSION and call.name not in step.router.executable:
        raise Refused(unknown_text("tool", call.name, step.router.executable))
    match call.name:
        case "load_skill":
            loaded = activate(turn, _texts(call, "names"))
            manuals = "\n\n".join(skill.manual for skill in loaded)
            return Message(Role.TOOL, manuals, tool=call.name, loaded_skill=tuple(skill.name for skill in loaded))
        case "read_manual":
            return Message(Role.TOOL, read_manual(turn, _text(call, "name")), tool=call.name)
        case "introspect":
            return Message(Role.TOOL, "\n".join(map(str, introspect(turn))), tool=call.name)
        case "tool_search":
            hits = search_tools(turn, _text(call, "text"), step.router.searchable)
            return Message(Role.TOOL, "\n".join(f"{hit.name}: {hit.description}" for hit in hits), tool=call.name)
        case _:
            called = call_tool(turn, call.name, call.arguments, call.id)
            return Message(Role.TOOL, called.result.to_json(), tool=call.name, loaded_skill=called.opened, ran=True)


def _text(call: ToolCall, key: str) -> str:
    value = call.arguments.get(key)
    if not isinstance(value, str) or not value:
        raise Refused(f"{call.name} needs {key!r}: a text.")
    return value


def _texts(call: ToolCall, key: str) -> Sequence[str]:
    value = call.arguments.get(key)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise Refused(f"{call.name} needs {key!r}: a list of texts.")
    return list(value)
