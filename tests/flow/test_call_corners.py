"""Ways to have a capability called by somebody else, now or later: with the guard never an alarm, without it never a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.test_carrier_corners import GUARD
from tests.flow.test_named_corners import prover
from tests.flow.test_named_corners import verdict as judged
from tests.flow.test_sole_forms import REGISTRY

TOP = """\
import asyncio
import atexit
import contextlib
import functools
import itertools
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import outside


def run(name):
    print(name)


async def later(name):
    run(name)


def each(name):
    yield run(name)


class Runner:
    def __init__(self, name):
        self.name = name

    def __call__(self):
        run(self.name)

    def go(self):
        run(self.name)


KEPT = {}


"""
RUN = REGISTRY.replace("agent.store:Skill.body", "agent.door:run").replace("grant: value", "grant: call")
FIELD = REGISTRY.replace("grant: value", "grant: call")
FORMS = {
    "handed": "outside.submit(run, skill.name)",
    "a lambda": "outside.submit(lambda: run(skill.name))",
    "a partial": "outside.submit(functools.partial(run, skill.name))",
    "a coroutine": "outside.submit(later(skill.name))",
    "a generator": "outside.submit(each(skill.name))",
    "a map": "outside.submit(map(run, [skill.name]))",
    "a filter": "outside.submit(filter(run, [skill.name]))",
    "those while": "outside.submit(itertools.takewhile(run, [skill.name]))",
    "those after": "outside.submit(itertools.dropwhile(run, [skill.name]))",
    "those for which not": "outside.submit(itertools.filterfalse(run, [skill.name]))",
    "a tuple": "outside.submit((1, lambda: run(skill.name)))",
    "a list": "outside.submit([lambda: run(skill.name)])",
    "a dictionary": "outside.submit({'do': lambda: run(skill.name)})",
    "an object": "outside.submit(Runner(skill.name))",
    "a method": "outside.submit(Runner(skill.name).go)",
    "a keyword": "outside.submit(do=lambda: run(skill.name))",
    "a task": "asyncio.create_task(later(skill.name))",
    "a list of coroutines": "asyncio.run(outside.all([later(skill.name)]))",
    "run by the loop": "asyncio.run(later(skill.name))",
    "gathered": "outside.submit(asyncio.gather(later(skill.name)))",
    "a thread": "threading.Thread(target=run, args=(skill.name,)).start()",
    "another thread": "outside.submit(asyncio.to_thread(run, skill.name))",
    "a pool": "with ThreadPoolExecutor() as pool:\n        pool.submit(run, skill.name)",
    "a pool's map": "with ThreadPoolExecutor() as pool:\n        list(pool.map(run, [skill.name]))",
    "at the end": "atexit.register(run, skill.name)",
    "when it is gone": "weakref.finalize(skill, run, skill.name)",
    "when the stack is left": "with contextlib.ExitStack() as stack:\n        stack.callback(run, skill.name)",
    "all of a map": "list(map(run, [skill.name]))",
    "a sort": "sorted([skill.name], key=run)",
    "a reduction": "functools.reduce(lambda _, one: run(one), [skill.name], None)",
    "a loop": "for one in [skill]:\n        run(one.name)",
    "a comprehension": "[run(one.name) for one in [skill]]",
    "in a table": "{'do': run}['do'](skill.name)",
    "by its name": "globals()['run'](skill.name)",
    "by an attribute": "getattr(Runner(skill.name), 'go')()",
    "a decorated one": "functools.wraps(run)(lambda: run(skill.name))()",
    "the greatest": "max([skill.name], key=run)",
    "a sort in place": "rows = [skill.name]\n    rows.sort(key=run)",
    "groups": "[1 for _ in itertools.groupby([skill.name], run)]",
}
GIVEN = {
    "a generator and a coroutine": "return (each(skill.name), later(skill.name))",
    "a generator": "return each(skill.name)",
    "a coroutine": "return later(skill.name)",
    "a map": "return map(run, [skill.name])",
}
FIELDS = {
    "called": "skill.body()",
    "handed": "outside.submit(skill.body)",
    "mapped": "list(map(skill.body, [1]))",
    "a thread": "threading.Thread(target=skill.body).start()",
    "given to a partial": "functools.partial(skill.body)()",
    "awaited": "async def inner():\n        await skill.body()\n\n    return inner()",
}


def verdict(root: Path, body: str, registry: str) -> Verdict:
    text = f"{TOP}def door(name, category):\n    skill = STORE[name]\n{body}\n"
    return judged(prover(root, text, registry))


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS)
def test_with_the_guard_a_call_is_no_alarm(tmp_path: Path, body: str) -> None:
    assert verdict(tmp_path, f"{GUARD}    {body}", RUN) is Verdict.PROVED


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS)
def test_without_the_guard_a_call_is_no_proof(tmp_path: Path, body: str) -> None:
    assert verdict(tmp_path, f"    {body}", RUN) in (Verdict.REFUTED, Verdict.UNDECIDED)


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS)
def test_before_the_guard_a_call_is_no_proof(tmp_path: Path, body: str) -> None:
    """Another call behind the guard hides nothing."""
    assert verdict(tmp_path, f"    {body}\n{GUARD}    return run(skill.name)", RUN) is not Verdict.PROVED


@pytest.mark.parametrize("body", GIVEN.values(), ids=GIVEN)
def test_what_runs_once_the_caller_has_it(tmp_path: Path, body: str) -> None:
    assert verdict(tmp_path, f"{GUARD}    {body}", RUN) is Verdict.PROVED
    assert verdict(tmp_path, f"    {body}", RUN) is Verdict.REFUTED


@pytest.mark.parametrize("body", FIELDS.values(), ids=FIELDS)
def test_a_field_that_can_be_called(tmp_path: Path, body: str) -> None:
    assert verdict(tmp_path, f"{GUARD}    {body}", FIELD) is Verdict.PROVED
    assert verdict(tmp_path, f"    {body}", FIELD) is Verdict.REFUTED
