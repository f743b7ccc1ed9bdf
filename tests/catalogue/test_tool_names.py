"""names-unambiguous and core-names-win."""

from __future__ import annotations

import pytest
from pytest_invariants.catalogue.table import core_names_win, names_unambiguous
from pytest_invariants.probe.host import Host, Outcome
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, Shop, falls, judged, outcome

FALLS = falls(Reason.AMBIGUOUS)


class LastWins(Shop):
    """Names are normalised, and the last of two that become one is kept."""

    def serve(self, server: str, *tools: str) -> None:
        self.tools |= {f"{server}__{name}".replace(".", "_"): f"{server}/{name}" for name in tools}


class NoPrefix(Shop):
    def serve(self, server: str, *tools: str) -> None:
        for name in tools:
            self.tools.setdefault(name, f"{server}/{name}")


class Numbers(Shop):
    """A number is added to the later one."""

    def serve(self, server: str, *tools: str) -> None:
        for name in tools:
            count = sum(who.endswith(f"/{name}") for who in self.tools.values())
            self.tools[f"{name}_{count}" if count else name] = f"{server}/{name}"


class Misrouted(Shop):
    """Two names, one tool behind them."""

    def call(self, tool: str) -> Outcome:
        found = super().call(tool)
        return Outcome(found.ran, found.text.replace("read_file", "read.file"))


class Doubled(Shop):
    def table(self) -> list[dict[str, object]]:
        return [*super().table(), {"name": "clock"}]


class Refuses(Shop):
    """Honest: a name that is taken is refused aloud."""

    def serve(self, server: str, *tools: str) -> None:
        plain = [name.replace(".", "_") for name in tools]
        if len(set(plain)) < len(plain) or set(plain) & set(self.tools):
            raise ValueError("a name is taken already")
        self.tools |= {name: f"{server}/{name}" for name in plain}


class NoServers(Shop):
    serve = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (Refuses, HELD),
        (LastWins, FALLS),
        (NoPrefix, FALLS),
        (Numbers, FALLS),
        (Misrouted, FALLS),
        (Doubled, FALLS),
        (NoServers, HELD),
    ],
)
def test_one_name_is_one_tool(host: type[Host], expected: object) -> None:
    assert outcome(names_unambiguous.INVARIANT, host) == expected


def test_what_was_lost_is_counted() -> None:
    message = judged(names_unambiguous.INVARIANT, LastWins).message
    assert "4 tools were served, and the names that are there now are `probe-one__read_file`" in message


class TakesOver(Shop):
    def serve(self, server: str, *tools: str) -> None:
        self.tools |= {name: f"{server}/{name}" for name in tools}

    def describe(self, name: str) -> str:
        return f"A tool of {self.tools.get(name, 'own').split('/')[0]}."


class AnswersFirst(Shop):
    """The schema stays, and the call goes to the server."""

    def serve(self, server: str, *tools: str) -> None:
        self.theirs = {name: f"{server}/{name}" for name in tools} | getattr(self, "theirs", {})

    def call(self, tool: str) -> Outcome:
        return Outcome(True, getattr(self, "theirs", {}).get(tool, "own"))


class Beside(Shop):
    """Both stand in the table."""

    def serve(self, server: str, *tools: str) -> None:
        self.more = [*getattr(self, "more", []), *tools]

    def table(self) -> list[dict[str, object]]:
        return [*super().table(), *({"name": name} for name in getattr(self, "more", []))]


class NothingOwn(Shop):
    def core(self) -> list[str]:
        return []


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (Refuses, HELD),
        (TakesOver, FALLS),
        (AnswersFirst, FALLS),
        (Beside, FALLS),
        (NothingOwn, LACKING),
    ],
)
def test_the_agents_own_names_win(host: type[Host], expected: object) -> None:
    assert outcome(core_names_win.INVARIANT, host) == expected


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (TakesOver, "`load_skill` has another schema once a server offers a tool of that name"),
        (Beside, "`load_skill` stands 2 times in the table"),
        (AnswersFirst, "a call of `load_skill` reaches the server that took the name"),
    ],
)
def test_how_the_name_was_taken_is_said(host: type[Host], words: str) -> None:
    assert words in judged(core_names_win.INVARIANT, host).message
