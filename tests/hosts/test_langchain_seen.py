"""What was seen when LangChain was run: it stays seen until it is repaired there, and each has a twin that holds."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from pytest_invariants.probe.host import Host

from tests.hosts.langchain_agents import (
    SEAL,
    SURFACES,
    EarlyApprovals,
    ListingApprovals,
    ListingHost,
    SealedApprovals,
    SealedHost,
)
from tests.hosts.probing import found, holds, said

LISTED = "langchain 1.5.2: what `wrap_model_call` hides stays in the tool node, and runs by its exact name"
STORED = "langchain 1.5.2: a stored call of a tool that is hidden by now is carried out"
UNKNOWN = "langgraph 1.2.24: the answer to an unknown name enumerates every tool of the node, hidden ones included"
APPROVED = (
    "langchain 1.5.2: a call that waited is carried out though its tool is hidden by now, and so is an edited one"
)
EDITED = (
    "langchain 1.5.2: a middleware before `HumanInTheLoopMiddleware` is asked about the call as it was before the edit"
)


def seen(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)


def test_the_versions_are_those_in_which_it_was_seen() -> None:
    assert (version("langchain"), version("langgraph")) == ("1.5.2", "1.2.24")


@pytest.mark.parametrize(
    ("host", "surface"),
    [
        pytest.param(ListingHost, "call", marks=seen(LISTED)),
        pytest.param(ListingHost, "async_call", marks=seen(LISTED)),
        pytest.param(ListingHost, "stored_call", marks=seen(STORED)),
        pytest.param(ListingHost, "misspelt", marks=seen(UNKNOWN)),
        (SealedHost, "call"),
        (SealedHost, "async_call"),
        (SealedHost, "stored_call"),
        (SealedHost, "misspelt"),
    ],
)
def test_what_the_model_is_not_shown_does_not_come_out(host: type[Host], surface: str) -> None:
    finding = found("seal-decides", host, SEAL, SURFACES, surface)
    assert holds(finding), said(finding)


@pytest.mark.parametrize(
    "host",
    [
        pytest.param(ListingApprovals, marks=seen(APPROVED)),
        pytest.param(EarlyApprovals, marks=seen(EDITED)),
        SealedApprovals,
    ],
)
def test_an_approval_carries_out_only_what_is_open_by_then(host: type[Host]) -> None:
    finding = found("approval-reseals", host, SEAL, SURFACES)
    assert holds(finding), said(finding)
