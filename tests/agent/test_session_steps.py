"""A session asks, carries out and records; each provider sees what its own tags allow."""

from __future__ import annotations

import pytest

from entrypoints.agent import Agent
from entrypoints.messages import Role, ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import STEPS, Session
from entrypoints.turn import Provider
from skills.loader import SkillLoader
from tests.agent.world import TRUSTED


def call(tool: str, /, **arguments: object) -> Reply:
    return Reply("", (ToolCall(tool, arguments),))


def answers(agent: Agent, thread: str) -> list[str]:
    return [m.text for m in agent.history.messages(agent.history.thread(thread)) if m.role is Role.TOOL]


def test_a_scripted_day_at_the_books(agent: Agent) -> None:
    agent.history.open_writing(agent.history.open_thread("books", "finance"), "ledger")
    lines = [
        call("introspect"),
        call("tool_search", text="balance of an account"),
        call("read_manual", name="ledger"),
        call("load_skill", names=["ledger"]),
        call("ledger_post", account="cash", cents=250),
        call("ledger_balance", account="cash"),
        call("clinic_record", text="a visit"),
        Reply("The account holds 250 cents."),
    ]
    model = ScriptedModel(TRUSTED, lines, searches=True)
    assert Session(agent, "books", [model]).ask("Book 250 cents.") == "The account holds 250 cents."
    cards, hits, manual, loaded, _, balance, refused = answers(agent, "books")
    assert "ledger: Books amounts" in cards
    assert hits.startswith("ledger_balance: ")
    assert manual == loaded
    assert '"cents": 250' in balance
    assert "clinic is sealed" in refused
    assert agent.store.rows("visits") == []


def test_each_provider_sees_what_its_own_tags_allow(agent: Agent) -> None:
    agent.history.open_thread("books", "finance")
    plain, trusted = (ScriptedModel(provider, [Reply("ok")]) for provider in (Provider("plain"), TRUSTED))
    Session(agent, "books", [plain]).ask("a")
    Session(agent, "books", [trusted]).ask("b")
    assert "ledger" not in plain.requests[0].system
    assert "ledger" in trusted.requests[0].system


def test_a_session_may_bring_its_own_loader(agent: Agent) -> None:
    model = ScriptedModel(TRUSTED, [Reply("ok")])
    Session(agent, "x", [model], loader=SkillLoader(enabled=["notes"])).ask("a")
    assert model.requests[0].system.splitlines()[1:] == ["- notes: Keeps short notes and finds them again."]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (call("load_skill"), "load_skill needs 'names': a list of texts"),
        (call("load_skill", names="notes"), "needs 'names': a list of texts"),
        (call("load_skill", names=[1]), "needs 'names': a list of texts"),
        (call("read_manual", name=""), "read_manual needs 'name': a text"),
        (call("tool_search", text=3), "tool_search needs 'text': a text"),
    ],
)
def test_bad_arguments_are_told_to_the_model(agent: Agent, reply: Reply, words: str) -> None:
    Session(agent, "x", [ScriptedModel(TRUSTED, [reply, Reply("sorry")], searches=True)]).ask("a")
    assert words in answers(agent, "x")[0]


def test_a_model_that_never_ends_is_stopped(agent: Agent) -> None:
    model = ScriptedModel(TRUSTED, [call("introspect")] * STEPS)
    with pytest.raises(RuntimeError, match=f"no answer after {STEPS} inferences"):
        Session(agent, "x", [model]).ask("a")
