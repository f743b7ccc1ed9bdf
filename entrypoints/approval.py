"""Surface: calls that wait for a person. A yes is no verdict: the seal is asked when the call is carried out."""

from __future__ import annotations

from entrypoints.dispatch import dispatch
from entrypoints.history import History
from entrypoints.messages import Message, Role, ToolCall
from entrypoints.refusal import Refused
from entrypoints.step import Approvals, Step
from skills.category_seal import skill_sealed_for


def waits(step: Step, call: ToolCall) -> bool:
    """Whether a person has to be asked first: about writing calls, and only about those that the seal lets through."""
    group = step.turn.skills.group_of(call.name)
    tool = group.tool(call.name) if group is not None else None
    if group is None or tool is None or skill_sealed_for(group.categories, step.turn.category):
        return False
    return tool.writes and step.assembly.approvals is Approvals.ON_REQUEST


def hold(step: Step, history: History, call: ToolCall) -> Message:
    """Keep a call until somebody says yes; what the model hears meanwhile."""
    history.hold(step.turn.thread, call)
    return Message(Role.TOOL, f"{call.name} waits for the user's approval.", tool=call.name)


def approve(step: Step, history: History, call_id: str) -> Message:
    """Carry out a call that waits, with the facts of now. It is carried out once, whatever becomes of it.

    Raises:
        Refused: no call of this id waits.
    """
    call = history.release(step.turn.thread, call_id)
    if call is None:
        raise Refused(f"No call {call_id!r} waits for approval.")
    return dispatch(step, call)
