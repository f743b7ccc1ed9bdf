"""How much of this repository's hand-written registry `init` finds again, once the registry is taken away."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.reader import read
from pytest_invariants.scaffold.proposal import Proposal, Wish, propose

ROOT = Path(__file__).resolve().parents[2]
HAND = ROOT / "entrypoints" / "registry.yaml"


@pytest.fixture(scope="module")
def hand() -> Registry:
    return read(HAND, ROOT)


@pytest.fixture(scope="module")
def proposal(tmp_path_factory: pytest.TempPathFactory) -> Proposal:
    root = tmp_path_factory.mktemp("own")
    for folder in ("entrypoints", "skills"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "registry.yaml"))
    return propose(root, Wish(), ("entrypoints", "skills"), prove=False)


def test_the_seal_is_found_as_it_is_written_by_hand(hand: Registry, proposal: Proposal) -> None:
    draft, seal = proposal.draft, hand.seal
    assert draft is not None
    assert (draft.seal, draft.verdict, draft.subject) == (str(seal.function), seal.kind, seal.subject)
    assert draft.principal == {name: str(origin) if origin else None for name, origin in seal.principal.items()}
    assert draft.state == tuple(map(str, seal.state))


def test_every_capability_is_found_with_its_grant(hand: Registry, proposal: Proposal) -> None:
    assert proposal.draft is not None
    found = {(one.ref, one.grant) for one in proposal.draft.capabilities if one.sure}
    assert {(str(one.of), str(one.grant)) for one in hand.capabilities} <= found


def test_nearly_every_surface_is_found_and_most_with_their_manner(hand: Registry, proposal: Proposal) -> None:
    found = {one.row.function: one.row.manner for one in proposal.found.surfaces}
    by_hand = {str(one.function): str(one.manner) for one in hand.surfaces}
    again = [function for function in by_hand if function in found]
    assert len(again) >= 0.9 * len(by_hand), sorted(set(by_hand) - set(found))
    assert sum(found[function] == by_hand[function] for function in again) >= 0.8 * len(again)


def test_what_is_proposed_beyond_it_can_be_read_at_a_glance(hand: Registry, proposal: Proposal) -> None:
    by_hand = {str(one.function) for one in hand.surfaces}
    more = [one.row.function for one in proposal.found.surfaces if one.sure and one.row.function not in by_hand]
    assert len(more) <= len(by_hand) / 2, more
