"""The voice of the swapped seal: says a world's yes or no as the registry's seal would say it.

Where the agent's own seal gives the same answer, its own words are used. Where it does not, the host's `denial` and
`permission` are asked; failing them, the answer is made up from the verdict's kind.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

from pytest_invariants.probe.hanging import hang_later, hang_now
from pytest_invariants.probe.worlds import Fault
from pytest_invariants.registry.model import VerdictKind

SAID = "sealed, says the probe"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call of the seal ends with: a value, or an exception; or, where it `hangs`, with nothing.

    `asker` is the thread of the probe.
    """

    value: Any = None
    error: BaseException | None = None
    hangs: bool = False
    asker: int = 0

    def give(self) -> Any:
        if self.hangs:
            hang_now(self.asker)
        if self.error is not None:
            raise self.error
        return self.value

    async def give_later(self) -> Any:
        if self.hangs:
            await hang_later()
        return self.give()


class Gate:
    """The context manager that a seal of the kind `enters` returns, for `with` and for `async with`."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __enter__(self) -> Any:
        return self._answer.give()

    def __exit__(self, *exception: object) -> None:
        return None

    async def __aenter__(self) -> Any:
        return await self._answer.give_later()

    async def __aexit__(self, *exception: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Voice:
    """How one seal speaks. `innermost` is the seal below its decorators, whose code shows the exception it raises."""

    kind: VerdictKind
    innermost: object
    allowed_value: object = None
    attribute: str = ""
    denial: Callable[[str], object] | None = None
    permission: Callable[[str], object] | None = None
    asker: int = 0
    """The thread of the probe."""

    def say(self, allowed: bool, skill: str | None, real: Answer | None) -> Answer:
        """Yes or no about a skill (None where the seal was asked about something unknown)."""
        if real is not None and self._speaks(real) and self.means_yes(real) is allowed:
            return real
        told = self.permission if allowed else self.denial
        made = as_answer(told(skill)) if told and skill is not None else self._make(allowed, real)
        return Answer(Gate(made)) if self.kind is VerdictKind.ENTERS else made

    def _speaks(self, real: Answer) -> bool:
        """Whether this is an answer at all: an error is one of a seal that raises, and of no other."""
        return self.kind is VerdictKind.RAISES or (real.error is None and self.kind is not VerdictKind.ENTERS)

    def means_yes(self, answer: Answer) -> bool:
        """Whether an answer of the agent's own seal allows."""
        if answer.error is not None:
            return False
        match self.kind:
            case VerdictKind.SEALED:
                return not answer.value
            case VerdictKind.IS:
                return bool(answer.value == self.allowed_value)
            case VerdictKind.ATTRIBUTE:
                return bool(getattr(answer.value, self.attribute, False))
            case VerdictKind.ALLOWED:
                return bool(answer.value)
        return True

    def _make(self, allowed: bool, real: Answer | None) -> Answer:
        like = None if real is None or real.error is not None else real.value
        match self.kind:
            case VerdictKind.SEALED:
                return Answer(_empty_like(like) if allowed else _full_like(like))
            case VerdictKind.ALLOWED:
                return Answer(allowed)
            case VerdictKind.IS:
                return Answer(self.allowed_value if allowed else _other_than(self.allowed_value))
            case VerdictKind.ATTRIBUTE:
                return Answer(_with_attribute(like, self.attribute, allowed))
        return Answer() if allowed else Answer(error=self.refusal())

    def refusal(self) -> BaseException:
        """An exception of the first class that the seal's own code names, or a PermissionError."""
        kind = next(_named_exceptions(self.innermost), PermissionError)
        with suppress(Exception):
            return kind(SAID)
        return kind.__new__(kind)

    def fail(self, fault: Fault) -> Answer:
        """The answer of a seal that fails in this way."""
        match fault:
            case Fault.RAISES:
                return Answer(error=RuntimeError("the seal broke, says the probe"))
            case Fault.TIMES_OUT:
                return Answer(error=TimeoutError("the seal timed out, says the probe"))
            case Fault.CANCELLED:
                return Answer(error=CancelledError())
            case Fault.HANGS:
                hung = Answer(hangs=True, asker=self.asker)
                return Answer(Gate(hung)) if self.kind is VerdictKind.ENTERS else hung
        values = {Fault.NONE: None, Fault.TRUE: True, Fault.TRUTHY: SAID, Fault.EMPTY: "", Fault.BARE: object()}
        return Answer(values[fault])


def as_answer(told: object) -> Answer:
    """What a host's `denial` or `permission` stands for: a value, or an exception."""
    if isinstance(told, type) and issubclass(told, BaseException):
        return Answer(error=told(SAID))
    return Answer(error=told) if isinstance(told, BaseException) else Answer(told)


def _empty_like(value: object) -> object:
    """Falsy, and of the kind of thing that the seal returns."""
    if isinstance(value, str | list | tuple | set | frozenset | dict):
        return type(value)()
    return False if value is None or isinstance(value, bool) else None


def _full_like(value: object) -> object:
    """Truthy, and of the kind of thing that the seal returns."""
    if isinstance(value, str):
        return SAID
    return type(value)([SAID]) if isinstance(value, list | tuple | set | frozenset) else True


def _other_than(value: object) -> object:
    """Another member of the same enumeration; None where it is none."""
    members = type(value) if isinstance(value, Enum) else ()
    return next((member for member in members if member is not value), None)


def _with_attribute(value: object, name: str, truth: bool) -> object:
    """The seal's own verdict with one attribute changed; a bare object where it cannot be changed."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        with suppress(Exception):
            return dataclasses.replace(value, **{name: truth})
    if value is not None:
        with suppress(Exception):
            other = copy.copy(value)
            setattr(other, name, truth)
            return other
    return SimpleNamespace(**{name: truth})


def _named_exceptions(function: Any) -> Iterator[type[Exception]]:
    """The exception classes that the code names, as a global, a builtin or a module's attribute, in its order."""
    code = getattr(function, "__code__", None)
    names = code.co_names if code is not None else ()
    space = {**vars(builtins), **getattr(function, "__globals__", {})}
    modules = [space[name] for name in names if isinstance(space.get(name), ModuleType)]
    for name in names:
        for found in (space.get(name), *(getattr(module, name, None) for module in modules)):
            if isinstance(found, type) and issubclass(found, Exception):
                yield found
