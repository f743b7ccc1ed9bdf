"""A registry that names a class as its seal: nothing is known to decide, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.catalogue.doors import seal_sole
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.inputs.repository import REGISTRY, lay

SEAL = '"agent.seal:sealed"'


def sole(root: Path, seal: str) -> Finding:
    path = lay(root)
    path.write_text(REGISTRY.replace(SEAL, seal), encoding="utf-8")
    assert seal_sole.INVARIANT.prove is not None
    return seal_sole.INVARIANT.prove(Prover(read(path)), None)


@pytest.mark.parametrize("seal", ["agent.store:Store", "agent.host:AgentHost"])
def test_a_class_is_no_function_that_decides(tmp_path: Path, seal: str) -> None:
    finding = sole(tmp_path, seal)
    assert (finding.verdict, finding.reason) == (Verdict.UNDECIDED, Reason.OPAQUE_CALLABLE)
    assert finding.at is not None
    assert (finding.at.path, finding.at.line) == ("entrypoints/registry.yaml", 3)
    assert f"the seal `{seal}` is a class" in finding.message
    assert finding.remedy == "name the function or the method that decides"


def test_a_function_is_one(tmp_path: Path) -> None:
    assert sole(tmp_path, SEAL).verdict is Verdict.PROVED
