"""What was seen when Deep Agents was run: it stays seen until it is repaired there, and each has a twin that holds."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from pytest_invariants.probe.host import Host

from tests.hosts.deepagents_agents import (
    FILE_SEAL,
    FILE_SURFACES,
    OWN_SEAL,
    SURFACES,
    CatalogueHost,
    FreshCatalogueHost,
    PermittedBelowHost,
    PermittedHost,
)
from tests.hosts.probing import found, holds, said

INDEXED = "deepagents 0.7.32: a skill whose file may not be read is still indexed"
PINNED = "deepagents 0.7.32: pinning a skill puts its manual into the prompt, whatever the rules for its file"
KEPT = "deepagents 0.7.32: the list of skills is kept with the thread; what was taken away since is still listed"
FORGED = "deepagents 0.7.32: a record that the manual was read, which never was, opens the tools of the skill"


def seen(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)


def test_the_version_is_that_in_which_it_was_seen() -> None:
    assert version("deepagents") == "0.7.32"


@pytest.mark.parametrize(
    ("host", "surface"),
    [
        (PermittedHost, "manual"),
        pytest.param(PermittedHost, "index", marks=seen(INDEXED)),
        pytest.param(PermittedHost, "pinned", marks=seen(PINNED)),
        (PermittedBelowHost, "manual"),
        (PermittedBelowHost, "index"),
        (PermittedBelowHost, "pinned"),
    ],
)
def test_a_file_that_may_not_be_read_is_neither_listed_nor_pinned(host: type[Host], surface: str) -> None:
    finding = found("seal-decides", host, FILE_SEAL, FILE_SURFACES, surface)
    assert holds(finding), said(finding)


@pytest.mark.parametrize("host", [pytest.param(CatalogueHost, marks=seen(KEPT)), FreshCatalogueHost])
def test_a_skill_that_was_taken_away_is_not_listed_any_more(host: type[Host]) -> None:
    finding = found("seal-decides", host, OWN_SEAL, SURFACES, "index")
    assert holds(finding), said(finding)


@pytest.mark.parametrize("host", [pytest.param(CatalogueHost, marks=seen(FORGED)), FreshCatalogueHost])
def test_a_forged_record_opens_no_tool(host: type[Host]) -> None:
    finding = found("history-forged", host, OWN_SEAL, SURFACES, "call")
    assert holds(finding), said(finding)
