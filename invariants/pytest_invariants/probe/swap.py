"""Swapping the seal where it is defined, and spying on every call of it."""

from __future__ import annotations

import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import FunctionType
from typing import Any

from pytest_invariants.probe.matching import fits, reshaped
from pytest_invariants.probe.target import Importer, Target, find_target, resolve
from pytest_invariants.probe.trampoline import kind_of, trampoline
from pytest_invariants.probe.voice import Answer, Voice
from pytest_invariants.probe.worlds import ALLOW, World
from pytest_invariants.registry.model import Seal, VerdictKind

Arguments = Mapping[str, Mapping[str, object]]
"""For every skill, what the seal will be asked about: parameter to value."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the swapped seal: which function ran, and about whom it was asked what.

    `skills` are those that the subject fits, by the host's `seal_arguments`.
    """

    function: str
    skills: frozenset[str]
    subject: Mapping[str, object]
    principal: Mapping[str, object]


@dataclass(slots=True)
class Swapped:
    """The seal while it is swapped. Set the world with `enter`; read `calls` to see what it was asked."""

    seal: Seal
    voice: Voice
    targets: tuple[Target, ...]
    world: World = ALLOW
    arguments: Arguments = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    meanwhile: Callable[[], Any] | None = None
    """What takes place, once, while a call of the seal waits for its answer."""

    def happen(self) -> Any:
        """Let it take place; what there is to await, where there is anything."""
        act, self.meanwhile = self.meanwhile, None
        return act() if act is not None else None

    @property
    def awaited(self) -> bool:
        return any(target.awaited for target in self.targets)

    def enter(self, world: World) -> None:
        """Change what the seal says, and make the caches above the seal forget what it said before."""
        self.world = world
        for target in self.targets:
            for forget in target.forget:
                forget()

    @property
    def hears_the_original(self) -> bool:
        """Whether the agent's own seal is asked as well: its words are used where it gives the same answer."""
        return self.world.real or (self.world.fault is None and self.seal.kind is not VerdictKind.ENTERS)

    def answer(self, target: Target, bound: inspect.BoundArguments, real: Answer | None) -> Answer:
        """What the seal says to one call in this world; `real` is what the agent's own seal said to it."""
        call = self._record(target, bound)
        if self.world.fault is not None:
            return self.voice.fail(self.world.fault)
        strange = self.world.real_to_strangers and not call.skills
        if (self.world.real or strange) and real is not None:
            return real
        if self.seal.kind is VerdictKind.FILTERS:
            return Answer(self._filtered(bound.arguments[self.seal.subject[0]], call, real))
        skill = min(call.skills, default=None)
        return self.voice.say(not self._refuses(call, call.skills), skill, real)

    def _record(self, target: Target, bound: inspect.BoundArguments) -> Call:
        given = bound.arguments
        subject = {name: given[name] for name in self.seal.subject}
        principal = {name: given[name] for name in self.seal.principal}
        call = Call(target.name, self._matching(subject), subject, principal)
        self.calls.append(call)
        return call

    def _matching(self, subject: Mapping[str, object]) -> frozenset[str]:
        if self.seal.kind is VerdictKind.FILTERS:
            elements: Any = subject[self.seal.subject[0]]
            return frozenset(skill for element in elements for skill in self._skills_of(element))
        return frozenset(skill for skill, expected in self.arguments.items() if fits(expected, subject))

    def _skills_of(self, element: object) -> frozenset[str]:
        name = self.seal.subject[0]
        return frozenset(skill for skill, expected in self.arguments.items() if fits(expected, {name: element}))

    def _refuses(self, call: Call, skills: frozenset[str]) -> bool:
        return self.world.binds(call.principal) and self.world.refuses(skills)

    def _filtered(self, subject: Any, call: Call, real: Answer | None) -> object:
        kept = [element for element in subject if not self._refuses(call, self._skills_of(element))]
        return reshaped(kept, subject, subject if real is None or real.error is not None else real.value)


@contextmanager
def swap(seal: Seal, importer: Importer = import_module) -> Iterator[Swapped]:
    """Put the probe in the place of the seal, and the seal back at the end, whatever happens.

    Raises SwapError where the seal cannot be swapped, or is swapped already.
    """
    swapped = _prepare(seal, importer)
    restored = [(target.function, target.function.__code__) for target in swapped.targets]
    try:
        for target in swapped.targets:
            _install(target, swapped)
        swapped.enter(ALLOW)
        yield swapped
    finally:
        for function, code in restored:
            function.__code__ = code
        swapped.enter(World(real=True))


def _prepare(seal: Seal, importer: Importer) -> Swapped:
    names = (*seal.subject, *seal.principal)
    targets: dict[int, Target] = {}
    for reference in (seal.function, *seal.aliases):
        target = find_target(reference, names, importer)
        targets.setdefault(id(target.function), target)
    every = tuple(targets.values())
    voice = Voice(
        kind=seal.kind,
        innermost=_innermost(every[0].function),
        allowed_value=None if seal.allowed_value is None else resolve(seal.allowed_value, importer),
        attribute=seal.attribute or "",
        asker=threading.get_ident(),
    )
    return Swapped(seal, voice, every)


def _innermost(function: FunctionType) -> object:
    """The seal's own code, which stays what it is while the function is swapped."""
    inner = inspect.unwrap(function)
    return _copy(inner) if isinstance(inner, FunctionType) else inner


def _install(target: Target, swapped: Swapped) -> None:
    stand_in = _StandIn(target, _copy(target.function), swapped)
    awaits = target.awaited or kind_of(target.function) == "async generator"
    target.function.__code__ = trampoline(target.function, stand_in.answer_later if awaits else stand_in.answer_now)


def _copy(function: FunctionType) -> FunctionType:
    """The function as it is, in another object, which keeps its code."""
    twin = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


@dataclass(frozen=True, slots=True)
class _StandIn:
    """What the trampoline of one function calls."""

    target: Target
    original: FunctionType
    swapped: Swapped

    def answer_now(self, *args: object, **kwargs: object) -> object:
        bound = self._bind(args, kwargs)
        if bound is None:
            return self.original(*args, **kwargs)
        real = None
        if self.swapped.hears_the_original:
            try:
                real = Answer(self.original(*bound.args, **bound.kwargs))
            except Exception as error:
                real = Answer(error=error)
        answer = self.swapped.answer(self.target, bound, real)
        self.swapped.happen()
        return answer.give()

    async def answer_later(self, *args: object, **kwargs: object) -> object:
        bound = self._bind(args, kwargs)
        if bound is None:
            return await _settled(self.original(*args, **kwargs))
        real = None
        if self.swapped.hears_the_original:
            try:
                real = Answer(await _settled(self.original(*bound.args, **bound.kwargs)))
            except Exception as error:
                real = Answer(error=error)
        answer = self.swapped.answer(self.target, bound, real)
        waiting = self.swapped.happen()
        if inspect.isawaitable(waiting):
            await waiting
        return await answer.give_later()

    def _bound(self, args: tuple[object, ...], kwargs: dict[str, object]) -> inspect.BoundArguments | None:
        """Most calls give every parameter by its position, and a probe makes hundreds of thousands of them."""
        signature = self.target.signature
        plain = self.target.plain
        if plain and not kwargs and len(args) == len(plain):
            return inspect.BoundArguments(signature, OrderedDict(zip(plain, args, strict=True)))
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        return bound

    def _bind(self, args: tuple[object, ...], kwargs: dict[str, object]) -> inspect.BoundArguments | None:
        """The arguments by name; None where the call is another instance's, or has not the seal's parameters."""
        if self.target.instance is not None and (not args or args[0] is not self.target.instance):
            return None
        bound = self._bound(args, kwargs)
        if bound is None:
            return None
        for name in self.swapped.seal.subject:
            if isinstance(bound.arguments[name], Iterator):
                bound.arguments[name] = list(bound.arguments[name])
        return bound


async def _settled(value: Any) -> object:
    """The value behind an awaitable, or the items of an async generator."""
    if hasattr(value, "__aiter__"):
        return [item async for item in value]
    return await value if inspect.isawaitable(value) else value
