"""The names of methods, the shuffling of folders, the calls of a host, the tables."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
import pytest_invariants
from hypothesis import strategies as st
from pytest_invariants.probe.agent import Agent, Question, questions_of
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.draw import SHRINKS, bounded, played
from pytest_invariants.probe.host import Facts, Host, HostError, Listing, Outcome
from pytest_invariants.probe.levers import LEVERS, method_names, words
from pytest_invariants.probe.schemas import as_text, names_in
from pytest_invariants.probe.shuffle import shuffled_folders
from pytest_invariants.registry.model import Manner, Reference, Surface
from pytest_invariants.verdict import Reason

from tests.probe.samples import AT


def test_the_package_hands_out_the_hosts_names_and_no_others() -> None:
    assert pytest_invariants.Host is Host
    assert pytest_invariants.Outcome is Outcome
    with pytest.raises(AttributeError, match="has no attribute 'Hots'"):
        pytest_invariants.Hots  # noqa: B018


@pytest.mark.parametrize(
    ("surface", "names"),
    [
        ("activate", ("surface_activate", "activate")),
        ("history-rescan", ("surface_history_rescan", "history_rescan")),
        ("import", ("surface_import", "import_")),
        ("resume", ("surface_resume",)),
        ("table", ("surface_table",)),
        ("2nd", ("surface_2nd", "2nd_")),
    ],
)
def test_the_method_of_a_surface(surface: str, names: tuple[str, ...]) -> None:
    assert method_names(surface) == names


def test_every_lever_has_words() -> None:
    assert words("load", "notes") == "the manual of notes is loaded"
    assert words("resume", True) == "the thread is resumed from what was stored"
    assert all(words(lever, "notes") for lever in LEVERS)


@pytest.mark.parametrize(
    ("manner", "lists"), [(Manner.BROWSE, [True]), (Manner.NAMED, [False]), (Manner.BOTH, [True, False])]
)
def test_the_questions_of_a_surface(manner: Manner, lists: list[bool]) -> None:
    questions = questions_of(Surface("bridge", Reference("a", "b"), manner, AT))
    assert questions == tuple(Question("bridge", each) for each in lists)


def test_folders_are_shuffled_and_put_back(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"file{number:02}").touch()
    usual = sorted(os.listdir(tmp_path))
    with shuffled_folders(0):
        assert sorted(os.listdir(tmp_path)) == usual
    with shuffled_folders(7):
        shuffled = os.listdir(tmp_path)
        assert shuffled != usual
        assert sorted(shuffled) == usual
        assert [path.name for path in tmp_path.iterdir()] == shuffled
        assert [path.name for path in tmp_path.glob("*")] != usual
        with os.scandir(tmp_path) as entries:
            assert [entry.name for entry in entries] != usual
        assert sorted(next(os.walk(tmp_path))[2]) == usual
    assert os.listdir.__module__ == "posix"


class Odd(Host):
    skills = ("notes",)

    async def open(self, facts: Facts) -> None:
        self.loop = asyncio.get_running_loop()

    async def index(self) -> Listing:
        assert self.loop is asyncio.get_running_loop()
        return Listing(("notes",), "- notes")

    def bridge(self, *names: str) -> object:
        return Outcome(True) if names else (name for name in ("notes",))

    async def cancelled(self, name: str) -> Outcome:
        raise asyncio.CancelledError

    def leaves(self, name: str) -> Outcome:
        raise SystemExit(0)


def test_an_agent_awaits_on_one_loop_and_reads_every_shape() -> None:
    agent = Agent(Odd())
    agent.open(Facts())
    assert agent.listing("index") == Listing(("notes",), "- notes")
    assert agent.listing("bridge").names == ("notes",)
    assert agent.ask("bridge", "notes").ran
    assert (agent.takes_many("bridge"), agent.takes_many("cancelled")) == (True, False)
    assert agent.ask("cancelled", "notes") == Outcome(False, "CancelledError")
    with pytest.raises(HostError, match=r"`Odd.leaves` would end the process \(SystemExit: 0\); let the host catch"):
        agent.ask("leaves", "notes")
    with pytest.raises(HostError, match="has no method for the surface `preview`"):
        agent.ask("preview", "notes")
    agent.close()


def test_facts_are_told_in_words() -> None:
    facts = Facts("home", "trusted", ("a", "b"), with_loader=False, path="bridge", order=3)
    assert str(facts) == "category 'home', provider 'trusted', tags a, b, no loader, path 'bridge', order 3"


def test_the_names_in_a_table() -> None:
    table = [{"name": "a"}, {"type": "function", "function": {"name": "b"}}, {"function": 3}, "c", {"name": 4}]
    assert names_in(table) == {"a", "b"}
    assert names_in({"name": "a"}) == set()


def test_a_table_is_written_in_its_own_order() -> None:
    assert as_text([{"b": 1, "a": "ä"}]) == '[\n  {\n    "b": 1,\n    "a": "ä"\n  }\n]\n'
    with pytest.raises(HostError, match="return plain lists and dictionaries"):
        as_text([{1, 2}])


def test_what_is_drawn_is_always_the_same() -> None:
    seen: list[list[int]] = [[], []]
    for run in seen:
        played(st.integers(), run.append, 10)
    assert seen[0] == seen[1]
    settings = bounded(10)
    assert (settings.derandomize, settings.database, settings.deadline) == (True, None, None)


def test_the_shortest_failure_comes_out() -> None:
    def story(drawn: list[int]) -> None:
        if len(drawn) > 2:
            raise Fallen(Reason.LEAKED, "too long", "shorten it", tuple(map(str, drawn)))

    with pytest.raises(Fallen, match="too long") as caught:
        played(st.lists(st.integers(), max_size=8), story, 50)
    assert len(caught.value.script) == 3


def test_patience_ends_the_search_for_shorter_scripts() -> None:
    runs = 0

    def story(drawn: list[int]) -> None:
        nonlocal runs
        runs += 1
        if sum(drawn) > 1000:
            raise Fallen(Reason.LEAKED, "too much", "less", tuple(map(str, drawn)))

    with pytest.raises(Fallen, match="too much"):
        played(st.lists(st.integers(0, 10**6), min_size=8, max_size=30), story, 50)
    assert runs <= SHRINKS + 50


def test_an_answer_by_chance_is_a_refutation() -> None:
    runs = 0

    def story(drawn: int) -> None:
        nonlocal runs
        runs += 1
        if runs == 3:
            raise Fallen(Reason.LEAKED, "only once", "again", ("a script",))

    with pytest.raises(Fallen, match="two different answers, one of them: only once"):
        played(st.integers(), story, 10)
