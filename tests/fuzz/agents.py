"""The agent around a generated door, loaded into this process once for each seal, with a lever that swaps the seal."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from tests.flow import specs
from tests.fuzz import seals
from tests.fuzz.seals import Seal

RUN = '''LOG: list[str] = []


def call(tool: str) -> str:
    """Run a tool. From here on it has happened."""
    LOG.append(tool)
    return "done"
'''


@lru_cache(maxsize=1)
def common_files() -> dict[str, str]:
    return dict(specs.load_oracle().common_agent())


def files(seal: Seal) -> dict[str, str]:
    """The agent without its doors."""
    common = {path: text for path, text in common_files().items() if path.endswith(".py")}
    return {**common, "agent/seal.py": seal.text, "agent/run.py": RUN, "agent/__init__.py": ""}


def registry(seal: Seal, function: str, manner: str, deeds: bool) -> str:
    rows = yaml.safe_load(common_files()["entrypoints/registry.yaml"])
    rows["seal"] = seal.registry_entry()
    rows["surfaces"] = {"door": {"function": function, "manner": manner}}
    if deeds:
        rows["capabilities"].append({"of": "agent.run:call", "grant": "call"})
    return yaml.safe_dump(rows, sort_keys=False)


def write(folder: Path, contents: dict[str, str]) -> None:
    for path, text in contents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Agent:
    modules: dict[str, types.ModuleType]
    seal: types.FunctionType
    codes: dict[str, types.CodeType]

    shelves: dict[str, dict[str, Any]]

    def arm(self, world: str) -> None:
        self.seal.__code__ = self.codes[world]

    def stock(self, shelf: str) -> None:
        """Fill the store: as it is written, or in another order and with a skill more. What is safe is so with any stock."""
        self.modules["agent.store"].STORE._skills = dict(self.shelves[shelf])

    @property
    def log(self) -> list[str]:
        return self.modules["agent.run"].LOG

    @property
    def skills(self) -> list[Any]:
        return self.modules["agent.store"].STORE.all()

    def turn(self, category: str | None, loaded: tuple[str, ...], history: tuple[str, ...]) -> Any:
        return self.modules["agent.turn"].Turn(category, list(history), list(loaded))


@cache
def load(seal: Seal) -> Agent:
    modules = {"agent": types.ModuleType("agent")}
    modules["agent"].__path__ = []
    texts = files(seal)
    with installed(modules):
        for name in ("turn", "seal", "store", "run"):
            module = types.ModuleType(f"agent.{name}")
            modules[module.__name__] = sys.modules[module.__name__] = module
            exec(compile(texts[f"agent/{name}.py"], f"agent/{name}.py", "exec"), module.__dict__)
            setattr(modules["agent"], name, module)
    return Agent(modules, *_levers(seal, modules), _shelves(modules["agent.store"]))


def _shelves(store: types.ModuleType) -> dict[str, dict[str, Any]]:
    common = dict(store.STORE._skills)
    further = store.Skill("absence", "keeps the calendar", ("hr",), "how to be absent", ("absence.book",))
    return {"common": common, "other": {"absence": further, **dict(reversed(common.items()))}}


def _levers(seal: Seal, modules: dict[str, types.ModuleType]) -> tuple[types.FunctionType, dict[str, types.CodeType]]:
    """The seal's function and its code in each world. As in the oracle code is swapped, so that every alias runs it."""
    module, refused = modules["agent.seal"], modules["agent.turn"].Refused
    function = inspect.unwrap(getattr(module, seal.function))
    module.__dict__.update(_fuzz_answer=_refusal(seal, module), _fuzz_refused=refused)
    later = inspect.iscoroutinefunction(function)
    broken = seals.broken_later if later else seals.broken
    answering = seals.answering_later if later else seals.answering
    denied = broken if seal.kind in ("raises", "enters") else answering
    codes = {"as it is": function.__code__, "broken": broken.__code__, "denied": denied.__code__}
    if seal.kind in ("raises", "enters"):
        codes["refusing"] = (seals.refusing_later if later else seals.refusing).__code__
    return function, codes


def _refusal(seal: Seal, module: types.ModuleType) -> object:
    plain = {"sealed": True, "allowed": False, "filters": [], "raises": None, "enters": None}
    if seal.kind in plain:
        return plain[seal.kind]
    return module.Verdict.SEALED if seal.kind == "is" else module.Verdict(False, "")


@contextmanager
def installed(modules: dict[str, types.ModuleType]) -> Iterator[None]:
    """Put the agent's modules where imports look for them, and take them out again."""
    before = {name: module for name, module in sys.modules.items() if name == "agent" or name.startswith("agent.")}
    for name in before:
        del sys.modules[name]
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
            del sys.modules[name]
        sys.modules.update(before)
