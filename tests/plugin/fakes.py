"""The scratch project of the plugin's tests: a registry, a prover that says what it is told, and a small agent."""

from __future__ import annotations

CONFTEST = '''
"""Puts a prover in the place of the real one that answers from `proofs.json`: {"activate": "refuted", ...}."""
import json
import types
from pathlib import Path

import pytest_invariants.check as check
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.verdict import Finding, Place, Reason, Step, Verdict

CONFIG = Path(__file__).with_name("proofs.json")


class Prover:
    files, lines = 1, 1

    def __init__(self, registry):
        self.proofs = json.loads(CONFIG.read_text()) if CONFIG.is_file() else {}
        at = Place("entrypoints/registry.yaml", 3)
        self.problems = [types.SimpleNamespace(at=at, **each) for each in self.proofs.get("problems", ())]
        self.unreadable = tuple(
            Finding("*", "readable", Verdict.UNDECIDED, at=Place(path, 1), message="cannot be read", remedy="repair it")
            for path in self.proofs.get("unreadable", ())
        )

    def consulted(self, surface):
        verdict = self.proofs.get(surface.id, "proved")
        if verdict == "breaks":
            raise LookupError("the harness has a hole")
        return Finding(
            surface.id, "seal-consulted", Verdict(verdict), level=5 if verdict == "proved" else 2,
            reason=None if verdict == "proved" else Reason.VERDICT_IGNORED,
            at=Place("entrypoints/registry.yaml", 3),
            trace=(Step(Place("entrypoints/registry.yaml", 2), "entered"),),
            message="the verdict is not looked at", remedy="look at it",
        )


consulted = Invariant("seal-consulted", "doors", Scope.SURFACE, "Asks.", prove=lambda half, row: half.consulted(row))
wanted = ("seal-decides", "surfaces-agree")


def pytest_configure(config):
    """Put back at the end: this may be the process of the outer tests."""
    before = check.Prover, check.CATALOGUE
    check.Prover, check.CATALOGUE = Prover, (consulted, *(one for one in CATALOGUE if one.id in wanted))
    config.add_cleanup(lambda: vars(check).update(Prover=before[0], CATALOGUE=before[1]))
'''

REGISTRY = """version: 1
code: [agent]
seal:
  function: agent.seal:sealed
  verdict: sealed
  subject: [categories]
  principal: [category]
  state: ["agent.store:Skill.categories"]
capabilities:
  - {of: "agent.store:Skill.body", grant: value}
surfaces:
  index: {function: "agent.doors:index", manner: browse}
  activate: {function: "agent.doors:activate", manner: named}
"""
HOST = "host: probe_host:AgentHost\n"

AGENT = {
    "agent/__init__.py": "",
    "agent/seal.py": "def sealed(categories, category):\n    return bool(categories) and category not in categories\n",
    "agent/store.py": """from dataclasses import dataclass


@dataclass(frozen=True)
class Skill:
    name: str
    categories: tuple[str, ...]
    body: str


SKILLS = {
    "notes": Skill("notes", ("home",), "Take notes."),
    "payroll": Skill("payroll", ("office",), "Pay people."),
}
""",
    "agent/doors.py": """from agent.seal import sealed
from agent.store import SKILLS


def index(category: str | None) -> list[str]:
    return [f"{skill.name}: {skill.body}" for skill in SKILLS.values() if not sealed(skill.categories, category)]


def activate(name: str, category: str | None) -> str:
    skill = SKILLS.get(name)
    if skill is None or sealed(skill.categories, category):
        return ""
    return skill.body
""",
    "probe_host.py": """from pytest_invariants import Facts, Host, Outcome

from agent import doors
from agent.store import SKILLS


class AgentHost(Host):
    skills = ("notes", "payroll")

    def open(self, facts):
        self.category = facts.category

    def seal_arguments(self, skill):
        return {"categories": SKILLS[skill].categories}

    def index(self):
        return [line.partition(":")[0] for line in doors.index(self.category)]

    def activate(self, name):
        return Outcome(doors.activate(name, self.category) != "")
""",
}
LEAK = """
def activate(name: str, category: str | None) -> str:
    return SKILLS[name].body
"""
