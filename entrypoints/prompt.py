"""The system prompt of one step: advice on the tools that are there, and the index of skills."""

from __future__ import annotations

from entrypoints.index import render_index
from entrypoints.step import Step

ADVICE = {
    "load_skill": "Plan first: load with `load_skill`, in one go, all skills that the task needs.",
    "tool_search": "A tool that is not in your list may be found with `tool_search`.",
    "get_current_time": "Ask `get_current_time` before you write down a date.",
}
"""Each sentence is given only in a step whose table has the tool that it is about."""


def system_prompt(step: Step) -> str:
    there = {schema.name for schema in step.router.visible}
    advice = [text for name, text in ADVICE.items() if name in there]
    return "\n".join(filter(None, (*advice, render_index(step.turn))))
