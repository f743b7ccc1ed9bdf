"""In a large surface a callee is followed once for all paths through an expression: they are joined where they come to the call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pytest_invariants.flow.domain.outcomes import Arguments
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Bound, Class, Func, Value
from pytest_invariants.flow.machine.merging import answers, join

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Call: TypeAlias = tuple[Value, Arguments, State]
FRAME = "call"
"""The frame in which the receiver and the arguments stand while paths are joined."""


def together(m: Analysis, calls: list[Call]) -> list[Call]:
    """One call for all those of one callee that are given arguments in the same way; each value is one of theirs."""
    groups: dict[object, list[Call]] = {}
    for number, call in enumerate(calls):
        groups.setdefault(_kind(m, call, number), []).append(call)
    return [_joined(m, group) if len(group) > 1 else group[0] for group in groups.values()]


def _kind(m: Analysis, call: Call, number: int) -> object:
    """What has to be the same, the answers of the seal among it. Questions and grants are never joined: what they are about is
    told by their arguments."""
    function, arguments, state = call
    callee = function.function if isinstance(function, Bound) else function
    if not isinstance(callee, Func | Class) or _is_told_apart(m, callee):
        return number
    names = tuple(name for name, _ in arguments.keywords)
    spread = (arguments.more is None, arguments.options is None)
    return type(function), function.labels, callee, len(arguments.positional), names, spread, answers(state)


def _is_told_apart(m: Analysis, callee: Func | Class) -> bool:
    return isinstance(callee, Func) and (
        callee.info in m.seal.functions or callee.info in m.capabilities.functions or callee.info in m.stops
    )


def _joined(m: Analysis, group: list[Call]) -> Call:
    for function, arguments, state in group:
        state.frames[FRAME] = {str(at): value for at, value in enumerate(_values(function, arguments))}
    joined = join(m, [state for *_, state in group])
    frame = joined.frames.pop(FRAME)
    values = iter([frame[str(at)] for at in range(len(frame))])
    function, arguments, _ = group[0]
    if isinstance(function, Bound):
        function = replace(function, receiver=next(values))
    return function, _with(arguments, values), joined


def _values(function: Value, arguments: Arguments) -> Iterable[Value]:
    return (*([function.receiver] if isinstance(function, Bound) else []), *arguments.every())


def _with(arguments: Arguments, values: Iterator[Value]) -> Arguments:
    """The same arguments with other values, in the order of `Arguments.every`."""
    return Arguments(
        tuple(next(values) for _ in arguments.positional),
        tuple((name, next(values)) for name, _ in arguments.keywords),
        next(values) if arguments.more is not None else None,
        next(values) if arguments.options is not None else None,
    )


__all__ = ["Call", "together"]
