"""What a program really does: it is run here, for every name, category, history and memory, and under three seals.

The seal answers as it is, is broken (raises), or refuses everything: in the oracle's words, and where it is a seal that
raises also in its own. A program *leaks* where a token of a sealed skill
comes out under the first two, is *unhinged* where anything comes out under the last, *silent* where nothing ever comes
out, and *honest* otherwise.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from tests.fuzz import agents
from tests.fuzz.lines import Lines, path_of
from tests.fuzz.seals import Seal

CATEGORIES = (None, "finance", "hr", "sales")
NAMES = ("notes", "ledger", "payroll", "notes.add", "ledger.post", "payroll.run", "absence", "absence.book")
DOORS = "agent/doors.py"


class Truth(StrEnum):
    LEAKS = "leaks"
    UNHINGED = "unhinged"
    SILENT = "silent"
    HONEST = "honest"


@dataclass(frozen=True, slots=True)
class World:
    """`seal` is one of "as it is", "broken", "denied", "refusing"; `shelf` says what is in the store.

    `warm` lets the other categories call first.
    """

    seal: str
    loaded: tuple[str, ...]
    history: tuple[str, ...]
    optimize: int
    warm: bool
    shelf: str


@dataclass(frozen=True, slots=True)
class Observed:
    truth: Truth
    example: str = ""
    unseen: tuple[str, ...] = ()
    """Lines of the drawn modules that no world has run, where lines were watched."""

    @property
    def may_be_proved(self) -> bool:
        return self.truth not in (Truth.LEAKS, Truth.UNHINGED)


@dataclass(frozen=True, slots=True)
class Case:
    """A door to run: its text, the seal it asks, the surface's name in the module, and whether it takes a name."""

    text: str
    seal: Seal
    qualname: str
    named: bool
    stateful: bool
    others: tuple[tuple[str, str], ...] = ()
    """Further modules with their texts, in the order in which they can be imported."""
    neighbours: tuple[tuple[str, bool], ...] = ()
    """Other surfaces of the module, with whether they take a name: others call them before this one."""

    @property
    def modules(self) -> tuple[tuple[str, str], ...]:
        return (*self.others, ("agent.doors", self.text))

    @property
    def whole(self) -> str:
        return "\n".join(text for _, text in self.modules)


def worlds(case: Case) -> Iterator[World]:
    """Every combination that the text can tell apart, the telling ones first."""
    markers = [marker for marker in ("a", "b") if f'"{marker}"' in case.whole]
    plain = case.whole.count("turn.history") > sum(case.whole.count(f'"{m}" in turn.history') for m in markers)
    markers += ["payroll.run"] if plain else []
    histories = [c for size in range(len(markers) + 1) for c in itertools.combinations(markers, size)]
    histories += [("notes", "payroll", "payroll.run")] if plain else []
    loads = [(), ("notes",), ("payroll", "ledger", "notes"), ("payroll",)] if "turn.loaded" in case.whole else [()]
    levels = (0, 1) if "assert " in case.whole else (0,)
    for seal, optimize in itertools.product(agents.load(case.seal).codes, levels):
        for loaded, history, shelf in itertools.product(loads, histories, ("common", "other")):
            for warm in (False, True) if case.stateful else (False,):
                yield World(seal, loaded, history, optimize, warm, shelf)


def observe(case: Case, watch: bool = False) -> Observed:
    """Run the case. With `watch` all worlds are run and the lines that none of them reached are told."""
    agent = agents.load(case.seal)
    watched, before = Lines(case.modules), sys.gettrace()
    with agents.installed(agent.modules), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if watch:
                sys.settrace(watched.trace)
            truth, example = _judge(case, agent, thorough=watch)
        finally:
            sys.settrace(before)
            agent.arm("as it is")
            agent.stock("common")
        return Observed(truth, example, watched.unseen() if watch else ())


def _judge(case: Case, agent: agents.Agent, thorough: bool) -> tuple[Truth, str]:
    lets, worst = False, (Truth.HONEST, "")
    for world in worlds(case):
        for category, name, skill in _outcomes(case, agent, world):
            shut = bool(skill.categories) and category not in skill.categories
            if world.seal in ("denied", "refusing"):
                fault = Truth.UNHINGED
            elif shut:
                fault = Truth.LEAKS
            else:
                lets = True
                continue
            if worst[0] is not Truth.LEAKS:
                worst = (fault, f"{skill.name} for {category}, asked for {name}, {world}")
            if not thorough:
                return worst
    return worst if lets or worst[0] is not Truth.HONEST else (Truth.SILENT, "")


def _outcomes(case: Case, agent: agents.Agent, world: World) -> Iterator[tuple[str | None, str | None, Any]]:
    """Each skill of which something came out, with the category and the name of the call."""
    names: tuple[str | None, ...] = NAMES if case.named else (None,)
    agent.arm(world.seal)
    agent.stock(world.shelf)
    door = _fresh(case, world.optimize)
    for category, name in itertools.product(CATEGORIES, names):
        if case.stateful:
            door = _fresh(case, world.optimize)
        for other in CATEGORIES if world.warm else ():
            if other != category:
                _ask(door(), agent.turn(other, world.loaded, world.history), name)
                for qualname, named in case.neighbours:
                    turn = agent.turn(other, world.loaded, world.history)
                    _ask(door(qualname), turn, (name or "payroll") if named else None)
        agent.log.clear()
        said = _ask(door(), agent.turn(category, world.loaded, world.history), name) + repr(agent.log)
        for skill in agent.skills:
            if any(token in said for token in (skill.description, skill.body, *skill.tools)):
                yield category, name, skill


@lru_cache(maxsize=8)
def _compiled(path: str, text: str, optimize: int) -> types.CodeType:
    return compile(text, path, "exec", optimize=optimize)


def _fresh(case: Case, optimize: int) -> Callable[..., Callable[..., Any]]:
    """Import the doors anew. The result makes a surface: a method is called on an instance of its own."""
    for name, text in case.modules:
        module = types.ModuleType(name)
        package = any(other.startswith(f"{name}.") for other, _ in case.others)
        module.__package__ = name if package else name.rpartition(".")[0]
        sys.modules[name] = module
        exec(_compiled(path_of(name), text, optimize), module.__dict__)

    def surface(qualname: str = case.qualname) -> Callable[..., Any]:
        owner, _, method = qualname.rpartition(".")
        found: Callable[..., Any] = getattr(getattr(module, owner)() if owner else module, method)
        return found

    return surface


def _ask(door: Callable[..., Any], turn: Any, name: str | None) -> str:
    """All that came out of a call, also what came before an exception; an exception itself is a refusal."""
    out: list[str] = []
    try:
        value = door(turn) if name is None else door(turn, name)
        if inspect.isawaitable(value) or inspect.isasyncgen(value):
            _loop().run_until_complete(_drain(value, out))
        else:
            _collect(value, out)
    except Exception:
        pass
    return " ".join(out)


async def _drain(value: Any, out: list[str]) -> None:
    if inspect.isawaitable(value):
        value = await value
    if inspect.isasyncgen(value):
        async for item in value:
            _collect(item, out)
    else:
        _collect(value, out)


def _collect(value: Any, out: list[str]) -> None:
    if hasattr(value, "__next__"):
        for item in value:
            _collect(item, out)
    else:
        out.append(flat(value))


def flat(value: Any) -> str:
    """The text of a value. An object without a text of its own is opened, as the oracle opens it."""
    text = repr(value)
    if " object at 0x" not in text:
        return text
    if isinstance(value, dict):
        return flat([*value, *value.values()])
    if isinstance(value, (list, tuple, set, frozenset)):
        return " ".join(map(flat, value))
    return flat(list(vars(value).values())) if hasattr(value, "__dict__") and not callable(value) else text


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def close() -> None:
    """Close the event loop that asynchronous doors were run in."""
    _loop().close()
    _loop.cache_clear()
