"""Each way to get a ready host wrong gives one message that names the mistake, and says what to write."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.verdict import Reason, Verdict

from tests.hosts import agentscope_agents, deepagents_agents, fastmcp_servers, langchain_agents
from tests.hosts.probing import found, said

SCOPE_SEAL, SCOPE_CALLS = agentscope_agents.SEAL, agentscope_agents.CALLS
FOLDERS = Path(__file__).parent / "skills"


class TakesNoFacts(langchain_agents.SealedHost):
    def build(self, model):  # type: ignore[no-untyped-def,override]
        return super().build(model, self.opened)


class BuildsNothing(langchain_agents.SealedHost):
    def build(self, model, facts):  # type: ignore[no-untyped-def]
        super().build(model, facts)


class BuildsLater(langchain_agents.SealedHost):
    async def build(self, model, facts):  # type: ignore[no-untyped-def,override]
        return super().build(model, facts)


class Breaks(langchain_agents.SealedHost):
    def build(self, model, facts):  # type: ignore[no-untyped-def]
        raise ValueError("no database")


class Leaves(langchain_agents.SealedHost):
    def build(self, model, facts):  # type: ignore[no-untyped-def]
        raise SystemExit("no key")


class ServesNothing(fastmcp_servers.Shop):
    def build(self, facts: Facts):  # type: ignore[no-untyped-def,override]
        return {"server": facts}


class TakesNoState(agentscope_agents.AskingMiddlewareHost):
    def build(self, model, facts):  # type: ignore[no-untyped-def,override]
        return None


class BuildsAString(agentscope_agents.AskingMiddlewareHost):
    async def build(self, model, state, facts):  # type: ignore[no-untyped-def,override]
        return "an agent"


class FolderAsText(deepagents_agents.PermittedHost):
    folder = str(FOLDERS)  # type: ignore[assignment]


class FolderAbsent(deepagents_agents.PermittedHost):
    folder = FOLDERS / "absent"


LANGCHAIN = (langchain_agents.SEAL, langchain_agents.SURFACES, "call")
FASTMCP = (fastmcp_servers.OWN, fastmcp_servers.TOOLS, "call_tool")
SCOPE = (SCOPE_SEAL, SCOPE_CALLS, "stored_call")
DEEP = (deepagents_agents.FILE_SEAL, deepagents_agents.FILE_SURFACES, "manual")


@pytest.mark.parametrize(
    ("host", "asked", "message", "remedy"),
    [
        (
            TakesNoFacts,
            LANGCHAIN,
            "`TakesNoFacts.build` cannot be called with",
            "write `def build(self, model, facts)`",
        ),
        (BuildsNothing, LANGCHAIN, "`BuildsNothing.build` returned nothing", "return the agent that `create_agent`"),
        (BuildsLater, LANGCHAIN, "`BuildsLater.build` returned <coroutine", "return the agent that `create_agent`"),
        (Breaks, LANGCHAIN, "raised ValueError: no database (tests/hosts/test_wrong_builds.py:", "repair the host"),
        (Leaves, LANGCHAIN, "`Leaves.open` would end the process (SystemExit: no key)", "let the host catch that"),
        (ServesNothing, FASTMCP, "`ServesNothing.build` returned {'server'", "return a server of FastMCP"),
        (TakesNoState, SCOPE, "`TakesNoState.build` cannot be", "write `def build(self, model, state, facts)`"),
        (BuildsAString, SCOPE, "`BuildsAString.build` returned 'an agent'", "return the `Agent`"),
        (FolderAsText, DEEP, "`FolderAsText.folder` is '/", "say as a `Path` where the folders of the skills lie"),
        (FolderAbsent, DEEP, "there is no file of `billing` below", "correct `folder`, or `skills`"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_the_mistake_is_named(host: type[Host], asked: tuple[object, ...], message: str, remedy: str) -> None:
    seal, surfaces, surface = asked
    finding = found("seal-decides", host, seal, surfaces, surface)  # type: ignore[arg-type]
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, Reason.HARNESS), said(finding)
    assert message in finding.message
    assert finding.remedy.startswith(remedy)


class BuildsItsServerLater(fastmcp_servers.GatedShop):
    async def build(self, facts: Facts):  # type: ignore[no-untyped-def,override]
        return super().build(facts)


def test_a_server_may_be_built_by_a_coroutine() -> None:
    finding = found("seal-decides", BuildsItsServerLater, *FASTMCP)
    assert finding.verdict is Verdict.HELD, said(finding)
