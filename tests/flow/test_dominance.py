"""The prover against dominance in control-flow graphs, as networkx finds it.

Compared, on random doors without data: whether a grant can be reached past the seal; which questions a proof rests on (with all
others taken for nothing the grant must be within reach, and with this one as well it must be); and that a question that
dominates every grant is one that a proof names.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Place, Verdict

from tests.flow import graphs
from tests.fuzz import agents
from tests.fuzz.seals import Seal

SEEDS = range(1, 81)
SEAL = Seal("sealed", awaited=False)


def prover_of(door: graphs.Door, root: Path) -> Prover:
    registry = agents.registry(SEAL, "agent.doors:door", "named", deeds=False)
    agents.write(root, {**agents.files(SEAL), "agent/doors.py": door.text, "entrypoints/registry.yaml": registry})
    return Prover(read(root / "entrypoints" / "registry.yaml", root))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_grant_is_proved_where_no_path_leads_past_the_seal(seed: int, tmp_path: Path) -> None:
    door = graphs.draw(seed)
    prover = prover_of(door, tmp_path)
    [surface] = prover.registry.surfaces
    finding = prover.consulted(surface)
    reachable = door.lets_out(without=set(door.passes))
    assert finding.verdict is (Verdict.REFUTED if reachable else Verdict.PROVED), f"{finding}\n{door.text}"
    if finding.verdict is not Verdict.PROVED:
        return
    for line in set(door.passes.values()):
        kept = door.lets_out(without={node for node, own in door.passes.items() if own != line})
        assert prover.rests_on(surface, Place("agent/doors.py", line)) == kept, f"line {line}\n{door.text}"
    named = " ".join(finding.guards)
    for line in door.dominating():
        alone = len(set(door.passes.values())) == 1
        assert f"agent/doors.py:{line}" in named or not alone, f"line {line}: {named}\n{door.text}"


def test_the_doors_are_a_mix() -> None:
    doors = [graphs.draw(seed) for seed in SEEDS]
    past = sum(door.lets_out(without=set(door.passes)) for door in doors)
    assert 0.25 * len(doors) < past < 0.8 * len(doors)
    assert sum(bool(door.dominating()) for door in doors) > 0.2 * len(doors)
    assert sum("while" in door.text or "for _" in door.text for door in doors) > 0.3 * len(doors)
