"""Loading paths: the same facts with and without a loader, and every other path that the registry names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_invariants.probe.agent import Loop
from pytest_invariants.probe.host import Facts, HostError
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import describe
from pytest_invariants.registry.model import Reference

USUAL = ("loader", "loaderless")

STATES = {
    "step": "after the next step",
    "load": "after loading a skill",
    "reload": "after reloading",
    "resume": "after resuming",
    "restart": "after a restart",
    "compact": "after compaction",
    "connect": "after a server connects",
}


def states(stage: Stage) -> Iterator[str]:
    """Moves the stage through the loading states that its host can be brought into, and names each."""
    yield "when it opens"
    arguments: dict[str, tuple[object, ...]] = {"load": stage.session.skills[:1], "resume": (True,)}
    for lever, words in STATES.items():
        if stage.session.has(lever):
            stage.pull(lever, *arguments.get(lever, ()))
            yield words


def names(session: ProbeSession) -> tuple[str, ...]:
    """The loading paths that the registry names; with and without a loader, where it names none."""
    residency = session.registry.residency
    return tuple(residency.paths) if residency is not None and residency.paths else USUAL


def on_path(facts: Facts, path: str) -> Facts:
    """The facts of a turn on one loading path."""
    named = None if path in USUAL else path
    return replace(facts, with_loader=path != "loaderless", path=named)


def bases(session: ProbeSession) -> tuple[Facts, ...]:
    """The host's facts without regard to the loading path, each once."""
    return tuple(dict.fromkeys(replace(facts, with_loader=True, path=None) for facts in session.facts))


def everywhere(session: ProbeSession) -> tuple[Facts, ...]:
    """The host's facts on every loading path."""
    return tuple(dict.fromkeys(on_path(facts, path) for facts in bases(session) for path in names(session)))


def called(session: ProbeSession, reference: Reference) -> object | None:
    """What the registry names: a value, or what a function without arguments returns; None where it wants some."""
    found = session.resolve(reference)
    if not callable(found):
        return found
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return None
    try:
        result: object = found()
        return _awaited(result) if inspect.isawaitable(result) else result
    except Exception as error:
        raise HostError(f"`{reference}` raised {describe(error)}; repair it, or correct the registry") from error


def _awaited(result: Any) -> object:
    loop = Loop()
    try:
        settled: object = loop.run(result)
    finally:
        loop.close()
    return settled


def tool_names(value: object, reference: object) -> frozenset[str]:
    """A collection of names: a set, a list, or the keys of a table."""
    if isinstance(value, Mapping) or (isinstance(value, Iterable) and not isinstance(value, str | bytes)):
        found = frozenset(value)
        if all(isinstance(name, str) for name in found):
            return frozenset(str(name) for name in found)
    raise HostError(f"`{reference}` is {value!r:.60}; name a collection of tool names")


def declared(session: ProbeSession) -> dict[str, frozenset[str]]:
    """The resident names by the functions of `residency.paths`, as far as they can be called without arguments."""
    residency = session.registry.residency
    found: dict[str, frozenset[str]] = {}
    for path, reference in (residency.paths if residency is not None else {}).items():
        value = called(session, reference)
        if value is not None:
            found[path] = tool_names(value, reference)
    return found


def central(session: ProbeSession) -> frozenset[str]:
    """The names of the central list; none where the registry names no list."""
    residency = session.registry.residency
    if residency is None or residency.central is None:
        return frozenset()
    value = called(session, residency.central)
    if value is None:
        raise HostError(f"`{residency.central}` wants arguments; name the collection itself under `central`")
    return tool_names(value, residency.central)
