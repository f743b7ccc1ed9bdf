"""One agent, opened through its host: every answer checked, every coroutine awaited on one event loop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from pytest_invariants.probe.hanging import Unanswered
from pytest_invariants.probe.host import Facts, Host, HostError, Listing, Outcome
from pytest_invariants.probe.levers import REFUSING, REPORTS, method_names
from pytest_invariants.probe.target import describe
from pytest_invariants.probe.waiting import Late, within
from pytest_invariants.registry.model import Manner, Surface

REFUSALS = (Exception, asyncio.CancelledError, Unanswered)
"""What may leave a surface and counts as a refusal."""


@dataclass(frozen=True, slots=True)
class Question:
    """One way to ask one surface: for what it lists, or for one thing by name."""

    surface: str
    lists: bool

    def __str__(self) -> str:
        return f"{self.surface} lists" if self.lists else f"{self.surface} is asked by name"


def questions_of(surface: Surface) -> tuple[Question, ...]:
    """The questions that a surface answers; one of the manner `both` answers two."""
    listed, named = Question(surface.id, lists=True), Question(surface.id, lists=False)
    return {Manner.BROWSE: (listed,), Manner.NAMED: (named,), Manner.BOTH: (listed, named)}[surface.manner]


class Loop:
    """An event loop that starts when the first coroutine has to run."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def run(self, awaitable: Any, seconds: float | None = None) -> Any:
        """:raises Late: where it takes longer than that."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_awaited(awaitable, seconds))

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()


class Agent:
    """An opened host. Methods that do not exist raise HostError: ask `has` first."""

    def __init__(self, host: Host, loop: Loop | None = None) -> None:
        self.host = host
        self.name = type(host).__name__
        self._own = loop is None
        self._loop = loop or Loop()

    def beside(self, host: Host) -> Agent:
        """Another agent that is open already, on the same event loop."""
        return Agent(host, self._loop)

    def open(self, facts: Facts) -> None:
        self.call("open", facts)

    def close(self) -> None:
        """Close the host and the event loop; an agent that cannot be closed is a fault of its host."""
        try:
            self.call("close")
        except REFUSALS as error:
            raise HostError(f"`{self.name}.close` raised {describe(error)}; let it release what there is") from error
        finally:
            if self._own:
                self._loop.close()

    def has(self, name: str) -> bool:
        return callable(getattr(self.host, name, None))

    def call(self, name: str, *arguments: object) -> Any:
        """Call a method of the host, and await it where it has to be.

        Raises HostError where it is not there or does not take these arguments, and whatever the method raises.
        """
        try:
            result = self._begun(name, arguments)
            return self._loop.run(result) if inspect.isawaitable(result) else result
        except HostError:
            raise
        except SystemExit as error:
            said = f"`{self.name}.{name}` would end the process ({describe(error)})"
            raise HostError(f"{said}; let the host catch that, and raise what the agent says") from error
        except REFUSALS as error:
            if name in REPORTS and name not in REFUSING:
                raise HostError(
                    f"`{self.name}.{name}` raised {describe(error)}; let it report, and refuse nothing"
                ) from error
            raise

    def call_within(self, seconds: float, name: str, *arguments: object) -> Any:
        """Call a method of the host that may not come back, and wait for so long.

        Raises Late where it has not come back by then.
        """

        def work() -> Any:
            result = self._begun(name, arguments)
            return self._loop.run(result, seconds) if inspect.isawaitable(result) else result

        return within(2 * seconds, work)

    def _begun(self, name: str, arguments: tuple[object, ...]) -> Any:
        if not self.has(name):
            raise HostError(f"the host `{self.name}` has no method `{name}`; add it")
        method = getattr(self.host, name)
        _check_arguments(self.name, name, method, arguments)
        return method(*arguments)

    def method_of(self, surface: str) -> str | None:
        """The name of the host's method for a surface, or None where it has none."""
        return next(filter(self.has, method_names(surface)), None)

    def takes_many(self, surface: str) -> bool:
        """Whether several names may be given in one order."""
        method = self.method_of(surface)
        parameters = inspect.signature(getattr(self.host, method)).parameters.values() if method else ()
        return any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)

    def listing(self, surface: str) -> Listing:
        """What a browse surface lists; nothing where it raises."""
        try:
            result = self.call(self._required(surface))
        except HostError:
            raise
        except REFUSALS as error:
            return Listing((), describe(error), broke=True)
        return _as_listing(result, self.name, surface)

    async def listing_later(self, surface: str) -> Listing:
        """The same, as a task among others."""
        try:
            result = await self._later(self._required(surface))
        except HostError:
            raise
        except REFUSALS as error:
            return Listing((), describe(error), broke=True)
        return _as_listing(result, self.name, surface)

    async def ask_later(self, surface: str, skill: str) -> Outcome:
        """What becomes of a named request, as a task among others."""
        method = self._required(surface)
        try:
            result = await self._later(method, skill)
        except HostError:
            raise
        except REFUSALS as error:
            return Outcome(False, describe(error))
        return _as_outcome(result, self.name, method)

    async def _later(self, method: str, *arguments: object) -> Any:
        result = self._begun(method, arguments)
        return await result if inspect.isawaitable(result) else result

    def run(self, awaitable: Any) -> Any:
        """Run something on the agent's event loop."""
        return self._loop.run(awaitable)

    def ask(self, surface: str, *skills: str) -> Outcome:
        """What becomes of a named request; an exception is a refusal."""
        return self.outcome(self._required(surface), *skills)

    def outcome(self, method: str, *arguments: object) -> Outcome:
        """The Outcome that a method of the host returns; an exception is a refusal."""
        try:
            result = self.call(method, *arguments)
        except HostError:
            raise
        except REFUSALS as error:
            return Outcome(False, describe(error))
        return _as_outcome(result, self.name, method)

    def names(self, method: str, *arguments: object) -> tuple[str, ...]:
        """The names that a method of the host returns, in its order."""
        return _as_listing(self.call(method, *arguments), self.name, method).names

    def _required(self, surface: str) -> str:
        method = self.method_of(surface)
        if method is None:
            raise HostError(f"the host `{self.name}` has no method for the surface `{surface}`; add it")
        return method


async def _awaited(result: Any, seconds: float | None) -> Any:
    try:
        async with asyncio.timeout(seconds) as limit:
            return await result
    except TimeoutError:
        if limit.expired():
            raise Late(f"it has not come back within {seconds:g} s") from None
        raise


def _check_arguments(host: str, name: str, method: Any, arguments: tuple[object, ...]) -> None:
    """A host whose method cannot be called as it must is wrong; that is no refusal of the agent."""
    try:
        inspect.signature(method).bind(*arguments)
    except TypeError as error:
        given = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}" if arguments else "no arguments"
        raise HostError(f"`{host}.{name}` has to take {given} ({error}); correct its signature") from error
    except ValueError:
        return


def _as_outcome(result: object, host: str, method: str) -> Outcome:
    if not isinstance(result, Outcome):
        raise HostError(f"`{host}.{method}` returned {result!r:.60}; return Outcome(ran, text)")
    return result


def _as_listing(result: object, host: str, method: str) -> Listing:
    if isinstance(result, Listing):
        return result
    if result is None:
        return Listing((), "it returned None", broke=True)
    if isinstance(result, Iterable) and not isinstance(result, str | bytes):
        names = tuple(cast("Iterable[object]", result))
        if all(isinstance(name, str) for name in names):
            return Listing(cast("tuple[str, ...]", names))
    raise HostError(f"`{host}.{method}` returned {result!r:.60}; return the names as a list of strings")
