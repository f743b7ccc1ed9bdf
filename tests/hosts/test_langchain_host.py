"""The host for LangChain: it finds what was put into an agent, and lets the honest one pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.tools import tool
from langsmith.utils import tracing_is_enabled
from pytest_invariants import Facts
from pytest_invariants.hosts.langchain import LangChainHost
from pytest_invariants.probe.host import Host, HostError
from pytest_invariants.registry.model import Manner
from pytest_invariants.verdict import Finding, Reason, Verdict

from tests.hosts.langchain_agents import (
    REALLY,
    SEAL,
    SURFACES,
    EarlyApprovals,
    ForgottenTwinHost,
    RememberingHost,
    SealedApprovals,
    SealedHost,
    export,
    refund,
)
from tests.hosts.probing import found, said

APPROVALS = {"approval": Manner.NAMED, "edited": Manner.NAMED}


@pytest.fixture(autouse=True)
def nothing_really_runs() -> Iterator[None]:
    REALLY.clear()
    yield
    assert REALLY == []


def at(surface: str, host: type[Host], invariant: str = "seal-decides", **policies: str) -> Finding:
    return found(invariant, host, SEAL, {**SURFACES, **APPROVALS}, surface, **policies)


@pytest.mark.parametrize("surface", SURFACES)
def test_an_agent_that_asks_everywhere_holds_at_every_surface(surface: str) -> None:
    finding = at(surface, SealedHost)
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("surface", APPROVALS)
def test_approved_and_edited_calls_are_surfaces(surface: str) -> None:
    finding = at(surface, SealedApprovals)
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("invariant", ["refusal-truthful", "history-forged", "resume-reseals"])
def test_a_call_is_refused_truthfully_and_for_good(invariant: str) -> None:
    finding = at("call", SealedHost, invariant, refusal="truthful")
    assert finding.verdict is Verdict.HELD, said(finding)


@pytest.mark.parametrize("invariant", ["surfaces-agree", "approval-reseals"])
def test_calls_that_wait_and_all_levers_agree(invariant: str) -> None:
    surfaces = {name: manner for name, manner in SURFACES.items() if not name.startswith("async")}
    finding = found(invariant, SealedApprovals, SEAL, surfaces)
    assert finding.verdict is Verdict.HELD, said(finding)


def test_the_table_is_the_same_in_every_process() -> None:
    finding = found("table-stable", SealedHost, SEAL, SURFACES)
    assert finding.verdict is Verdict.HELD, said(finding)


def test_a_twin_that_does_not_ask_leaks_on_its_own_way_only() -> None:
    assert at("call", ForgottenTwinHost).verdict is Verdict.HELD
    assert at("async_call", ForgottenTwinHost).reason is Reason.LEAKED


def test_an_answer_that_is_kept_is_stale() -> None:
    assert at("call", RememberingHost).reason is Reason.STALE_VERDICT


def test_what_stands_before_the_person_does_not_hear_what_the_person_made_of_a_call() -> None:
    finding = found("approval-reseals", EarlyApprovals, SEAL, SURFACES)
    assert finding.reason is Reason.LEAKED
    assert "changed into one of" in finding.message


def opened(host: Host) -> Host:
    host.open(Facts(category="staff"))
    return host


def test_a_tool_gets_arguments_that_it_accepts_and_its_function_back() -> None:
    before = refund.func, dict(vars(export))
    host = SealedHost()
    host.open(Facts(category="staff"))
    assert host.calling("refund")["args"].keys() == {"order", "cents"}
    assert host.surface_call("refund").ran
    assert not host.surface_call("export").ran
    host.close()
    assert (refund.func, dict(vars(export))) == before


def test_the_model_and_the_prompt_are_what_was_sent() -> None:
    host = SealedHost()
    host.open(Facts(category="boss"))
    assert [schema["function"]["name"] for schema in host.table()] == ["export"]
    assert host.prompt() == ""
    host.close()


class NoSuchTool(SealedHost):
    skills = ("refund", "exprt")


class Unarmed(LangChainHost):
    """A model of its own, and a tool, so that only the model is wrong."""

    skills = ("refund",)

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        class Deaf(FakeListChatModel):
            def bind_tools(self, tools: Any, **_: Any) -> Any:
                return self

        return create_agent(Deaf(responses=["done"]), tools=[refund])


class NothingWaits(SealedApprovals):
    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        return SealedHost.build(self, model, facts)


def test_a_tool_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(HostError, match=r"no tool `exprt` \(it has export, refund\); correct `skills`"):
        opened(NoSuchTool())


def test_an_agent_that_uses_another_model_is_noticed() -> None:
    host = opened(Unarmed())
    with pytest.raises(HostError, match="use the model it is given"):
        host.surface_table()  # type: ignore[attr-defined]
    host.close()


def test_a_call_that_does_not_wait_is_a_fault_of_the_host() -> None:
    host = NothingWaits()
    host.open(Facts(category="staff"))
    with pytest.raises(HostError, match="a call of `refund` does not wait"):
        host.pend("refund")
    host.close()


def test_a_tool_without_a_synchronous_half_is_refused_in_the_framework_s_own_words() -> None:
    @tool
    async def later(day: str) -> str:
        """Do it on another day."""
        return day

    class Later(LangChainHost):
        skills = ("later",)
        arguments = {"later": {"day": "Monday"}}  # noqa: RUF012

        def build(self, model: BaseChatModel, facts: Facts) -> Any:
            return create_agent(model, tools=[later])

    host = Later()
    host.open(Facts())
    assert host.calling("later")["args"] == {"day": "Monday"}
    assert "does not support sync invocation" in host.surface_call("later").text
    assert host.async_call("later").ran
    host.close()


def test_nothing_is_sent_to_langsmith(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    traced: list[object] = []

    class Watching(SealedHost):
        def build(self, model: BaseChatModel, facts: Facts) -> Any:
            return create_agent(model, tools=[refund, export], middleware=[Watcher()])

    class Watcher(AgentMiddleware):
        def before_agent(self, state: Any, runtime: Any) -> None:
            traced.append(tracing_is_enabled())

    host = opened(Watching())
    host.close()
    assert traced == [False]


def test_only_surfaces_have_twins() -> None:
    host = SealedHost()
    assert not hasattr(host, "async_nothing")
    assert not hasattr(host, "nothing")
