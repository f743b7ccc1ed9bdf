"""A code object that hands every call on to another function, and stands in for the code of any Python function.

The function object stays the same, so that every reference that was captured (`from m import f`, partials, decorators,
method tables, default arguments) sees the swap. A code object fits where it has as many free variables as the one that
it replaces; it reaches its receiver through its own constants, because the globals and cells belong to the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType

FILE = "<pytest-invariants: swapped seal>"
SLOT = "the receiver"

BODIES = {
    "plain": ("def", "return receiver(*args, **kwargs)"),
    "coroutine": ("async def", "return await receiver(*args, **kwargs)"),
    "generator": ("def", "yield from receiver(*args, **kwargs)"),
    "async generator": ("async def", "for item in await receiver(*args, **kwargs): yield item"),
}


def kind_of(function: FunctionType) -> str:
    """Which of the four bodies keeps what `inspect` says about the function."""
    if inspect.isasyncgenfunction(function):
        return "async generator"
    if inspect.iscoroutinefunction(function):
        return "coroutine"
    return "generator" if inspect.isgeneratorfunction(function) else "plain"


def is_trampoline(code: CodeType) -> bool:
    return code.co_filename == FILE


def trampoline(function: FunctionType, receiver: Callable[..., object]) -> CodeType:
    """Code for `function` that calls `receiver` with the same arguments.

    The receiver returns the answer; for a coroutine or an async generator it is a coroutine function.
    """
    free = function.__code__.co_freevars
    template = _template(kind_of(function), len(free))
    return template.replace(
        co_consts=tuple(receiver if constant == SLOT else constant for constant in template.co_consts),
        co_name=function.__code__.co_name,
        co_qualname=function.__code__.co_qualname,
    )


def _template(kind: str, free: int) -> CodeType:
    """Compiled from source, so that the interpreter itself writes the prologue that the free variables need."""
    head, body = BODIES[kind]
    cells = ", ".join(f"cell{index}" for index in range(free))
    lines = [
        f"def factory({cells}):",
        f"    {head} swapped(*args, **kwargs):",
        f"        receiver = {SLOT!r}",
        *([f"        if 0: ({cells},)"] if free else []),
        f"        {body}",
        "    return swapped",
    ]
    space: dict[str, Callable[..., FunctionType]] = {}
    exec(compile("\n".join(lines), FILE, "exec"), space)
    return space["factory"](*range(free)).__code__
