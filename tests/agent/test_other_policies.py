"""The agent under policies that its registry does not declare: what is loaded grows, and built-in tools come first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.catalogue.masking import mask_follows_policy, masked_until_loaded, shared_tool_any_owner
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.catalogue.table import (
    listed_is_callable,
    loaded_follows_history,
    loaded_grows,
    step_frozen,
    tail_only,
)
from pytest_invariants.probe.host import Host
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Reference
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding, Reason, Verdict

from entrypoints.growing import Grown
from entrypoints.step import Assembly
from tests.agent.growing import GrowingHost
from tests.agent.host import ReferenceHost

REGISTRY = read(Path(__file__).parents[2] / "entrypoints" / "registry.yaml")
GROWS = {"loaded": "grows", "compaction": "keeps"}


class UnloadingHost(GrowingHost):
    """A mutant: a skill gives way to the next one but two."""

    def load(self, skill: str) -> None:
        super().load(skill)
        self.run = Grown(self.run.names[-2:])


class BuiltinFirstHost(ReferenceHost):
    assembly = Assembly(builtin_first=True)


def play(invariant: Invariant, host: type[Host], **policies: str) -> Finding:
    rows = replace(
        REGISTRY, host=Reference(host.__module__, host.__qualname__), policies={**REGISTRY.policies, **policies}
    )
    assert invariant.play is not None
    return invariant.play(ProbeSession(rows), None)


@pytest.mark.parametrize(
    "invariant",
    [
        module.INVARIANT
        for module in (
            loaded_grows,
            tail_only,
            step_frozen,
            listed_is_callable,
            masked_until_loaded,
            shared_tool_any_owner,
            mask_follows_policy,
        )
    ],
    ids=lambda invariant: invariant.id,
)
def test_a_session_that_grows_holds(invariant: Invariant) -> None:
    finding = play(invariant, GrowingHost, **GROWS)
    assert finding.verdict is Verdict.HELD, finding


@pytest.mark.parametrize(
    ("invariant", "reason"),
    [
        (loaded_grows.INVARIANT, Reason.AGAINST_POLICY),
        (tail_only.INVARIANT, Reason.MOVED),
    ],
    ids=["loaded-grows", "tail-only"],
)
def test_one_that_unloads_does_not(invariant: Invariant, reason: Reason) -> None:
    assert play(invariant, UnloadingHost, **GROWS).reason is reason


def test_to_follow_the_history_is_another_policy() -> None:
    follows = play(loaded_follows_history.INVARIANT, GrowingHost, loaded="follows-history")
    assert follows.reason is Reason.AGAINST_POLICY
    assert play(loaded_grows.INVARIANT, ReferenceHost, **GROWS).reason is Reason.AGAINST_POLICY


def test_built_in_tools_come_first_where_that_is_the_order() -> None:
    assert play(tail_only.INVARIANT, BuiltinFirstHost, order="builtin-first").verdict is Verdict.HELD
    assert play(tail_only.INVARIANT, ReferenceHost, order="builtin-first").reason is Reason.MOVED
    assert play(tail_only.INVARIANT, BuiltinFirstHost, order="appended").reason is Reason.MOVED
