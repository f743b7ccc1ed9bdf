"""Level 5: whether a door may wait between the seal's answer and the grant; where it does, the proof says so and is of level 4."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding, Verdict

from tests.flow.test_carrier_forms import STORE
from tests.flow.test_sole_forms import REGISTRY, SEAL

HEAD = """\
import asyncio
import contextlib

import streams

from agent.seal import sealed
from agent.store import STORE

LOCK = asyncio.Lock()


async def quiet():
    return 1


async def slow():
    await asyncio.sleep(1)


async def feed():
    for number in range(3):
        await asyncio.sleep(1)
        yield number


@contextlib.asynccontextmanager
async def held():
    await asyncio.sleep(1)
    yield 1


@contextlib.asynccontextmanager
async def free():
    yield 1


"""
LONG = (
    "async def weigh(n):\n    total = 0\n    for i in range(n):\n"
    + "".join(
        f"        if i > {at}:\n            total += {at}\n        elif i == n:\n            total -= 1\n"
        for at in range(40)
    )
    + "    await asyncio.sleep(total)\n    return total\n\n\n"
)
DOOR = """\
async def door(name, category):
    skill = STORE[name]
    if sealed(skill.categories, category):
        return None
    {waits}
    return skill.body
"""
WAITS = {
    "another package's coroutine": "await asyncio.sleep(0)",
    "one of the program that waits": "await slow()",
    "a long one": "await weigh(3)",
    "a lock": "async with LOCK:\n        pass",
    "a context manager of the program": "async with held():\n        pass",
    "a group of tasks": "async with asyncio.TaskGroup() as group:\n        group.create_task(quiet())",
    "gathering": "await asyncio.gather(quiet(), quiet())",
    "a task": "await asyncio.create_task(quiet())",
    "a time limit": "await asyncio.wait_for(quiet(), 3)",
    "waiting for several": "await asyncio.wait([quiet()])",
    "a stream": "async for line in streams.lines(name):\n        print(line)",
    "a stream that brings nothing": "async for line in streams.lines(name):\n        return None",
    "a generator of the program": "async for number in feed():\n        print(number)",
    "a comprehension": "print([line async for line in streams.lines(name)])",
}
STAYS = {
    "nothing": "pass",
    "a coroutine that does not wait": "await quiet()",
    "a coroutine that is made": "slow().close()",
    "a context manager that does not wait": "async with free():\n        pass",
    "one that is not asynchronous": "with contextlib.suppress(ValueError):\n        pass",
    "a loop": "for line in streams.lines(name):\n        print(line)",
}


def prover_of(root: Path, door: str) -> Prover:
    """The prover of an agent whose one door is this."""
    files = {
        "agent/__init__.py": "",
        "agent/seal.py": SEAL,
        "agent/store.py": STORE,
        "agent/door.py": door,
        "entrypoints/registry.yaml": REGISTRY,
        "pyproject.toml": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Prover(read(root / "entrypoints" / "registry.yaml", root))


def consulted(root: Path, waits: str) -> Finding:
    prover = prover_of(root, HEAD + LONG + DOOR.format(waits=waits))
    return prover.consulted(prover.registry.surfaces[0])


@pytest.mark.parametrize("waits", WAITS.values(), ids=list(WAITS))
def test_waiting_between_answer_and_grant_is_an_assumption(waits: str, tmp_path: Path) -> None:
    found = consulted(tmp_path, waits)
    assert (found.verdict, found.level) == (Verdict.PROVED, 4)
    assert any("waits" in text for text in found.assumptions)


@pytest.mark.parametrize("waits", STAYS.values(), ids=list(STAYS))
def test_going_straight_on_is_of_level_5(waits: str, tmp_path: Path) -> None:
    found = consulted(tmp_path, waits)
    assert (found.verdict, found.level) == (Verdict.PROVED, 5)
    assert not any("waits" in text for text in found.assumptions)
