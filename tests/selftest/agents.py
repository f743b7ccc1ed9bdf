"""Small agents on disk, with a seal of each kind, for the self-test to spoil."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.reader import read

STORE = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Skill:
    name: str
    categories: tuple[str, ...]
    body: str

    def run(self) -> str:
        return self.name


class Store:
    def __init__(self, skills):
        self._skills = {skill.name: skill for skill in skills}

    def get(self, name) -> Skill | None:
        return self._skills.get(name)

    def all(self) -> list[Skill]:
        return list(self._skills.values())


STORE = Store([Skill("notes", (), "how to take notes"), Skill("payroll", ("hr",), "how to pay")])
"""

RULE = "bool(categories) and category not in categories"
SEALS = {
    "sealed": f"def sealed(categories, category):\n    return {RULE}\n",
    "allowed": f"def sealed(categories, category):\n    return not ({RULE})\n",
    "raises": f"def sealed(categories, category):\n    if {RULE}:\n        raise PermissionError(category)\n",
    "filters": "def sealed(categories, category):\n    return [s for s in categories if category in s.categories]\n",
    "enters": (
        "from contextlib import contextmanager\n\n\n@contextmanager\ndef sealed(categories, category):\n"
        f"    if {RULE}:\n        raise PermissionError(category)\n    yield\n"
    ),
    '{is: "agent.seal:Verdict.OPEN"}': (
        "from enum import Enum\n\n\nclass Verdict(Enum):\n    OPEN = 1\n    CLOSED = 2\n\n\n"
        f"def sealed(categories, category):\n    return Verdict.CLOSED if {RULE} else Verdict.OPEN\n"
    ),
    "{attribute: ok}": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Answer:\n    ok: bool\n\n\n"
        f"def sealed(categories, category):\n    return Answer(not ({RULE}))\n"
    ),
}

HEAD = "from agent.seal import sealed\nfrom agent.store import STORE, Skill\n\n\n"


def write(root: Path, doors: str, surfaces: Mapping[str, str], verdict: str = "sealed", seal: str = "") -> Registry:
    """An agent whose `agent/doors.py` begins with HEAD. `surfaces` gives each function of it a manner."""
    rows = "".join(f'  {name}: {{function: "agent.doors:{name}", manner: {how}}}\n' for name, how in surfaces.items())
    registry = (
        "version: 1\ncode: [agent]\n"
        f"seal:\n  function: agent.seal:sealed\n  verdict: {verdict}\n"
        '  subject: [categories]\n  principal: [category]\n  state: ["agent.store:Skill.categories"]\n'
        'capabilities:\n  - {of: "agent.store:Skill.body", grant: value}\n'
        '  - {of: "agent.store:Skill.run", grant: call}\n'
        f"surfaces:\n{rows}"
    )
    files = {
        "agent/__init__.py": "",
        "agent/seal.py": seal or SEALS[verdict],
        "agent/store.py": STORE,
        "agent/doors.py": HEAD + doors,
        "entrypoints/registry.yaml": registry,
        "pyproject.toml": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return read(root / "entrypoints" / "registry.yaml")
