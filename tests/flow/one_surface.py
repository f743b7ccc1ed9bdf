"""A program of one module with one surface, for tests that ask the prover itself."""

from __future__ import annotations

from pathlib import Path

from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

GATE = """
def sealed(name, asker):
    return name == "payroll" and asker != "boss"


def secret(name):
    return name


"""
"""The seal and the capability that the registry names."""
REGISTRY = """
version: 1
code: [app]
seal: {function: "app.agent:sealed", verdict: sealed, subject: [name], principal: [asker]}
capabilities:
  - {of: "app.agent:secret", grant: value}
surfaces:
  look: {function: "app.agent:look", manner: named}
"""


def verdict_of(folder: Path, agent: str) -> Verdict:
    """What the prover says of the function `look` of such a program."""
    prover = prover_of(folder, agent)
    return prover.consulted(prover.registry.surfaces[0]).verdict


def prover_of(folder: Path, agent: str, registry: str = REGISTRY) -> Prover:
    """The prover of a program whose only module is `agent`, with `GATE` and a function `look` in it."""
    files = {"app/__init__.py": "", "app/agent.py": agent, "pyproject.toml": "", "registry.yaml": registry}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Prover(read(folder / "registry.yaml"))
