"""A small repository that holds: an agent with one guarded door, its host, a skill, a mutant, and the registry."""

from __future__ import annotations

from pathlib import Path

SEAL = "def sealed(name, who):\n    return name != who\n"
STORE = (
    "TABLE = {}\nALWAYS = ('read',)\n\n\nclass Store:\n    def read(self, name: str) -> str:\n        return name\n\n\n"
    "STORE = Store()\n\n\ndef tables(loader=None):\n    return ALWAYS\n"
)
DOOR = (
    "from agent.seal import sealed\nfrom agent.store import STORE\n\n\n"
    "def door(name: str, who: str):\n    if sealed(name, who):\n        return None\n    return STORE.read(name)\n\n\n"
    "def listing(who: str):\n    return [name for name in ('ann', 'bob') if not sealed(name, who)]\n"
)
HOST = (
    "from pytest_invariants import Facts, Host, Outcome\n\nfrom agent import door\n\n\n"
    "class AgentHost(Host):\n    skills = ('ann', 'bob')\n    facts = (Facts(category='ann'), Facts(category='bob'))\n\n"
    "    def open(self, facts):\n        self.who = facts.category\n\n"
    "    def seal_arguments(self, skill):\n        return {'name': skill, 'who': self.who}\n\n"
    "    def door(self, name):\n        came = door.door(name, self.who)\n"
    "        return Outcome(came is not None, str(came))\n\n"
    "    def listing(self):\n        return door.listing(self.who)\n"
)
REGISTRY = """\
version: 1
code: [agent]
seal: {function: "agent.seal:sealed", verdict: sealed, subject: [name], principal: [who]}
capabilities:
  - {of: "agent.store:Store.read", grant: value}
surfaces:
  door: {function: "agent.door:door", manner: named}
  listing: {function: "agent.door:listing", manner: browse}
relations: [{of: "agent.store:Store.read", key: name}]
exempt: [{function: "agent.door:listing", reason: "names alone", expires: 2099-01-01}]
caches: [{of: "agent.store:TABLE", key: [subject, principal]}]
host: agent.host:AgentHost
residency: {central: "agent.store:ALWAYS", paths: {one: "agent.store:tables", other: "agent.store:tables"}}
snapshots: {table: "agent.store:tables"}
policies: {refusal: truthful, loaded: grows, table: per-step}
skills: [skills]
"""
MANUAL = """\
---
name: notes
description: "Keeps notes: short ones."
license: MIT
metadata:
  author: us
categories: [finance, hr]
availability: resident
availability_reason: Every turn may need a note.
mcp: [notes_server]
tool-ids: [note_add]
---

# Notes

How to take notes.
"""
MUTANTS = """\
mutants:
  opened:
    what: Nobody is asked.
    invariant: seal-consulted
    surface: door
    file: agent/door.py
    old: "    if sealed(name, who):\\n        return None\\n"
    new: "    who = name\\n"
    also: [{file: agent/seal.py, old: "!=", new: "=="}]
"""


def lay(root: Path) -> Path:
    """Write the repository into an empty folder, and return its registry's path."""
    texts = {
        "agent/__init__.py": "",
        "agent/seal.py": SEAL,
        "agent/store.py": STORE,
        "agent/door.py": DOOR,
        "agent/host.py": HOST,
        "entrypoints/registry.yaml": REGISTRY,
        "skills/notes/SKILL.md": MANUAL,
        "mutants.yaml": MUTANTS,
        "pyproject.toml": "",
    }
    for name, text in texts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root / "entrypoints" / "registry.yaml"
