"""The truth that random programs are measured by is itself measured: by specifications, by the oracle, by sabotage."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.flow import specs
from tests.fuzz import agents, generate, truth
from tests.fuzz.seals import FUNCTIONS, Seal
from tests.fuzz.truth import Case, Truth

SEALED = Seal("sealed", awaited=False)

HONEST = """
from agent.seal import sealed
from agent.store import STORE
from agent.turn import Refused, Turn


def door(turn: Turn, name: str):
    skill = STORE.get(name)
    if skill is None or sealed(skill.categories, turn.category):
        raise Refused(name)
    return skill.tools
"""


def case(text: str, **changes: Any) -> Case:
    return replace(Case(text, SEALED, "door", named=True, stateful=False), **changes)


@pytest.fixture(autouse=True, scope="module")
def _loop_is_closed() -> Iterator[None]:
    yield
    truth.close()


def test_an_honest_door() -> None:
    assert truth.observe(case(HONEST)).truth is Truth.HONEST


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("or sealed(", "or not sealed(", Truth.LEAKS),
        ("turn.category)", '"finance")', Truth.LEAKS),
        ("or sealed(skill.categories, turn.category)", "", Truth.LEAKS),
        ("or sealed(", "or skill.categories and sealed(", Truth.UNHINGED),
        ("skill is None", "skill is None or True", Truth.SILENT),
        ("or sealed(", 'or "b" not in turn.history and sealed(', Truth.LEAKS),
        ("or sealed(", "or name not in turn.loaded and sealed(", Truth.LEAKS),
        ("raise Refused(name)", "assert False", Truth.LEAKS),
    ],
)
def test_a_sabotaged_door(old: str, new: str, expected: Truth) -> None:
    assert old in HONEST
    assert truth.observe(case(HONEST.replace(old, new))).truth is expected


def test_a_leak_needs_its_world() -> None:
    """A seal that breaks and a memory of former calls are worlds of their own: without them the same texts pass."""
    lax = HONEST.replace("sealed(skill.categories, turn.category)", "lax(skill, turn)") + (
        "\n\ndef lax(skill, turn):\n    try:\n        return sealed(skill.categories, turn.category)\n"
        "    except RuntimeError:\n        return False\n"
    )
    observed = truth.observe(case(lax))
    assert observed.truth is Truth.LEAKS
    assert "seal='broken'" in observed.example
    kept = HONEST.replace("sealed(skill.categories", "KNOWN.setdefault(name, sealed(skill.categories").replace(
        "turn.category)", "turn.category))"
    )
    kept = "KNOWN = {}\n" + kept
    assert (
        truth.observe(case(kept)).truth is Truth.LEAKS or truth.observe(case(kept, stateful=True)).truth is Truth.LEAKS
    )
    assert "warm=True" in truth.observe(case(kept, stateful=True)).example


def test_lines_that_no_world_runs_are_told() -> None:
    text = HONEST.replace("    return skill.tools", '    if "z" == name:\n        return None\n    return skill.tools')
    assert truth.observe(case(text), watch=True).unseen == (
        f"agent/doors.py:{text.splitlines().index('        return None') + 1}",
    )
    assert truth.observe(case(HONEST), watch=True).unseen == ()


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("awaited", [False, True])
def test_every_seal_denies_and_breaks(kind: str, awaited: bool) -> None:
    """Each kind of seal in an honest program of its own: a denied seal shuts it, and nothing leaks when it breaks."""
    found = 0
    for seed in range(4000):
        program = generate.draw(seed)
        if program.kind == kind and ("seal-async" in program.mode) == awaited and not faulty(program):
            found += truth.observe(generate.case(program)).truth is Truth.HONEST
        if found == 3:
            return
    pytest.fail(f"no honest program for {kind}")


def faulty(program: generate.Program) -> bool:
    return any(node.rule.fault or node.rule.sort == "soup" for node in program.root.walk())


def simple_cases() -> Iterator[tuple[str, Case, str]]:
    """The specifications that put one synchronous or asynchronous door into the common agent, with their verdicts."""
    common = agents.common_files()
    for spec in specs.all_cases():
        changed = {path for path, text in spec.files.items() if common.get(path) != text}
        rows = yaml.safe_load(spec.files[specs.REGISTRY])
        if "skip" in spec.oracle or not changed <= {specs.REGISTRY, truth.DOORS} or "exempt" in rows:
            continue
        if "__file__" in spec.files[truth.DOORS]:  # it reads a file beside its own, and here there is none
            continue
        for key, row in spec.expect.items():
            verdict = row.get("seal-consulted")
            if key == "*" or verdict not in ("proved", "refuted"):
                continue
            surface = rows["surfaces"][key]
            module, _, qualname = surface["function"].partition(":")
            if module == "agent.doors":
                stateful = bool({"calls", "flip_between"} & set(spec.oracle))
                named = surface["manner"] == "named"
                neighbours = tuple(_neighbours(rows, key))
                case = Case(spec.files[truth.DOORS], SEALED, qualname, named, stateful, neighbours=neighbours)
                yield f"{spec.id}:{key}", case, verdict


def _neighbours(rows: dict[str, Any], key: str) -> Iterator[tuple[str, bool]]:
    for other, surface in rows["surfaces"].items():
        module, _, qualname = surface["function"].partition(":")
        if other != key and module == "agent.doors":
            yield qualname, surface["manner"] == "named"


SIMPLE = list(simple_cases())


def test_there_are_specifications_to_agree_with() -> None:
    assert len(SIMPLE) > 200


@pytest.mark.parametrize(("name", "simple", "verdict"), SIMPLE, ids=[name for name, _, _ in SIMPLE])
def test_it_agrees_with_the_specifications(name: str, simple: Case, verdict: str) -> None:
    observed = truth.observe(simple)
    expected = (Truth.HONEST,) if verdict == "proved" else (Truth.LEAKS, Truth.UNHINGED)
    assert observed.truth in expected, f"{name}: {observed}"


def test_it_agrees_with_the_oracle() -> None:
    """Drawn programs, run by the oracle in a process of their own."""
    oracle = specs.load_oracle()
    seen = set()
    for seed in range(9000, 9012):
        program = generate.draw(seed)
        observed = truth.observe(generate.case(program))
        label = "refuted" if observed.truth is Truth.LEAKS else "proved"
        expect = {"door": {"seal-consulted": label, "reason": ["path-without-seal"]}}
        told = {"turn": {"loaded": ["payroll", "ledger", "notes"], "history": ["a", "payroll.run"]}, "calls": 2}
        with tempfile.TemporaryDirectory() as scratch:
            spec = oracle.Case(f"drawn/{seed}", generate.files(program), expect, {**told, "raise_in": seal_of(program)})
            oracle.write(spec, Path(scratch))
            faults = oracle.run(spec, Path(scratch))
        if observed.truth is Truth.HONEST:
            assert not [fault for fault in faults if "never lets" not in fault], generate.doors(program)
            seen.add(observed.truth)
        elif observed.truth is Truth.LEAKS and not faults:
            seen.add(observed.truth)
    assert seen == {Truth.HONEST, Truth.LEAKS}


def seal_of(program: generate.Program) -> str:
    return f"agent.seal:{FUNCTIONS[program.kind]}"
