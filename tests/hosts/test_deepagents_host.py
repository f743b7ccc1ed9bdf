"""The host for Deep Agents: skills that are folders, the file tools, and sub-agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants import Facts
from pytest_invariants.probe.host import HostError
from pytest_invariants.verdict import Verdict

from tests.hosts.deepagents_agents import (
    FILE_SEAL,
    FILE_SURFACES,
    OWN_SEAL,
    SURFACES,
    CatalogueHost,
    FreshCatalogueHost,
    PermittedHost,
)
from tests.hosts.probing import found, said

USUAL = {name: SURFACES[name] for name in ("index", "call")}


@pytest.mark.parametrize("surface", SURFACES)
def test_an_agent_that_asks_below_its_file_tools_holds_at_every_surface(surface: str) -> None:
    finding = found("seal-decides", FreshCatalogueHost, OWN_SEAL, SURFACES, surface)
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("invariant", ["group-sealed", "surfaces-agree"])
def test_every_file_and_every_lever_obeys(invariant: str) -> None:
    finding = found(invariant, FreshCatalogueHost, OWN_SEAL, USUAL)
    assert finding.verdict is Verdict.HELD, said(finding)


def test_a_file_is_the_same_by_every_spelling_of_its_path() -> None:
    finding = found("aliases-sealed", PermittedHost, FILE_SEAL, FILE_SURFACES)
    assert finding.verdict is Verdict.HELD, said(finding)
    assert "as a path" in finding.message


def test_a_sub_agent_is_asked_through_its_parent() -> None:
    host = CatalogueHost()
    host.open(Facts())
    child = host.spawn_child()
    assert child.index().names == host.skills
    assert child.manual("billing").ran
    assert not child.manual("no-such-skill").ran
    assert not hasattr(child, "pinned")
    child.close()
    assert host.manual("billing").ran
    host.close()


def test_a_manual_counts_as_read_only_where_it_is_newly_told() -> None:
    host = CatalogueHost()
    host.open(Facts())
    host.load("billing")
    assert not host.pinned("no-such-skill").ran
    assert host.pinned("billing").ran
    host.close()


def test_a_folder_without_the_skill_is_a_fault_of_the_host(tmp_path: Path) -> None:
    class Elsewhere(CatalogueHost):
        folder = tmp_path

    host = Elsewhere()
    with pytest.raises(HostError, match="no file of `billing` below"):
        host.open(Facts())
    host.close()
