"""Concurrent work begins in another order in a process of one's own, and nothing else is changed."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from pytest_invariants.probe.shuffle import DELAYED, shuffled, shuffled_ends

NAMES = "abcdefgh"


async def came(count: int = len(NAMES)) -> str:
    order: list[str] = []

    async def come(name: str) -> None:
        order.append(name)

    async with asyncio.TaskGroup() as group:
        for name in (NAMES * count)[:count]:
            group.create_task(come(name), name=name)
    return "".join(order)


def test_tasks_begin_in_another_order_and_all_of_them_do() -> None:
    assert asyncio.run(came()) == NAMES
    with shuffled_ends(7):
        assert sorted(other := asyncio.run(came())) == sorted(NAMES)
        assert other != NAMES
    assert asyncio.run(came()) == NAMES


def test_without_a_seed_nothing_happens() -> None:
    before = asyncio.BaseEventLoop.create_task, ThreadPoolExecutor.submit
    with shuffled(0):
        assert (asyncio.BaseEventLoop.create_task, ThreadPoolExecutor.submit) == before
        assert asyncio.run(came()) == NAMES


def test_it_is_put_back() -> None:
    before = asyncio.BaseEventLoop.create_task, ThreadPoolExecutor.submit
    with shuffled(7):
        assert ThreadPoolExecutor.submit is not before[1]
    assert (asyncio.BaseEventLoop.create_task, ThreadPoolExecutor.submit) == before


def test_only_the_first_ones_are_delayed() -> None:
    with shuffled_ends(7):
        order = asyncio.run(came(2 * DELAYED))
    assert len(order) == 2 * DELAYED


def test_threads_give_what_they_gave() -> None:
    with shuffled_ends(7), ThreadPoolExecutor(2) as pool:
        assert pool.submit(int, "ff", base=16).result() == 255
        assert list(pool.map(str.upper, NAMES)) == list(NAMES.upper())


def test_a_task_that_is_cancelled_before_it_begins_leaves_no_trace() -> None:
    async def cancel() -> bool:
        task = asyncio.create_task(came())
        await asyncio.sleep(0)
        task.cancel()
        results = await asyncio.gather(task, return_exceptions=True)
        return isinstance(results[0], asyncio.CancelledError)

    with shuffled_ends(7):
        assert asyncio.run(cancel())
