"""What a class statement calls: `__init_subclass__` of its bases, and `__set_name__` of what stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Class, Const, Descriptor, Func, Value
from pytest_invariants.flow.machine.machine import Arguments
from pytest_invariants.flow.objects import implicit
from pytest_invariants.program.code import ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def class_made(m: Analysis, info: ClassInfo, state: State, scope: Scope) -> State:
    """The state after both: where there are several, any of them stands for what they have in common."""
    states = [state]
    for name, value in list(info.namespace.items()):
        if implicit.defines(value, "__set_name__"):
            given = (Class(info=info), Const(value=name))
            states = [
                end
                for before in states
                for _, end in implicit.special(m, value, "__set_name__", given, before, scope, info.node)
            ]
    hook = _hook(info)
    if hook is not None:
        states = [end for before in states for end in _told(m, info, hook, before, scope)]
    return m.join(states) if states else state


def _hook(info: ClassInfo) -> Value | None:
    found = next(
        (cls.namespace["__init_subclass__"] for cls in info.mro[1:] if "__init_subclass__" in cls.namespace), None
    )
    inner = found.function if isinstance(found, Descriptor) else found
    return inner if isinstance(inner, Func) else None


def _told(m: Analysis, info: ClassInfo, hook: Value, state: State, scope: Scope) -> list[State]:
    keywords = [(k.arg, k.value) for k in info.node.keywords if k.arg is not None and k.arg != "metaclass"]
    ends = []
    for values, ready in m.evaluate_all([value for _, value in keywords], state, scope):
        given = tuple((name, value) for (name, _), value in zip(keywords, values, strict=True))
        ends += [end for _, end in m.call(hook, Arguments((Class(info=info),), given), ready, scope, info.node)]
    return ends
