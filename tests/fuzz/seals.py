"""The seal of each kind: its module, its registry entry, and what it says when it refuses everything."""

from __future__ import annotations

from dataclasses import dataclass

RULE = "not categories or thread_category in categories"

SYNC_TEXT = {
    "sealed": "{a}def sealed(categories, thread_category):\n    return not ({rule})\n",
    "allowed": "{a}def allowed(categories, thread_category):\n    return bool({rule})\n",
    "raises": (
        "from agent.turn import Refused\n\n\n{a}def ensure_open(categories, thread_category):\n"
        '    if not ({rule}):\n        raise Refused("sealed")\n'
    ),
    "enters": (
        "from contextlib import {a_}contextmanager\n\nfrom agent.turn import Refused\n\n\n@{a_}contextmanager\n"
        "{a}def opened(categories, thread_category):\n"
        '    if not ({rule}):\n        raise Refused("sealed")\n    yield\n'
    ),
    "filters": (
        "{a}def open_only(skills, thread_category):\n"
        "    return [s for s in skills if not s.categories or thread_category in s.categories]\n"
    ),
    "is": (
        "from enum import Enum\n\n\nclass Verdict(Enum):\n"
        '    OPEN = "open"\n    ASK = "ask"\n    SEALED = "sealed"\n\n\n'
        "{a}def judge(categories, thread_category):\n    if {rule}:\n        return Verdict.OPEN\n"
        "    return Verdict.ASK if thread_category is None else Verdict.SEALED\n"
    ),
    "attribute": (
        "from typing import NamedTuple\n\n\nclass Verdict(NamedTuple):\n    ok: bool\n    why: str\n\n\n"
        '{a}def judge(categories, thread_category):\n    return Verdict(bool({rule}), "by category")\n'
    ),
}

FUNCTIONS = {
    "sealed": "sealed",
    "allowed": "allowed",
    "raises": "ensure_open",
    "enters": "opened",
    "filters": "open_only",
    "is": "judge",
    "attribute": "judge",
}


@dataclass(frozen=True, slots=True)
class Seal:
    kind: str
    awaited: bool

    @property
    def function(self) -> str:
        return FUNCTIONS[self.kind]

    @property
    def text(self) -> str:
        words = {"a": "async " if self.awaited else "", "a_": "async" if self.awaited else "", "rule": RULE}
        return SYNC_TEXT[self.kind].format(**words)

    def registry_entry(self) -> dict[str, object]:
        verdict: object = {"is": {"is": "agent.seal:Verdict.OPEN"}, "attribute": {"attribute": "ok"}}.get(
            self.kind, self.kind
        )
        return {
            "function": f"agent.seal:{self.function}",
            "verdict": verdict,
            "subject": ["skills" if self.kind == "filters" else "categories"],
            "principal": ["thread_category"],
            "state": ["agent.store:Skill.categories"],
        }


# The stubs below lend their code to the seal; what they name is looked up in the seal's own module.


def broken(*_a: object, **_k: object) -> object:
    raise RuntimeError("the seal is broken")


def answering(*_a: object, **_k: object) -> object:
    return _fuzz_answer  # type: ignore[name-defined]  # noqa: F821


def refusing(*_a: object, **_k: object) -> object:
    raise _fuzz_refused("sealed")  # type: ignore[name-defined]  # noqa: F821


async def refusing_later(*_a: object, **_k: object) -> object:
    raise _fuzz_refused("sealed")  # type: ignore[name-defined]  # noqa: F821


async def broken_later(*_a: object, **_k: object) -> object:
    raise RuntimeError("the seal is broken")


async def answering_later(*_a: object, **_k: object) -> object:
    return _fuzz_answer  # type: ignore[name-defined]  # noqa: F821
