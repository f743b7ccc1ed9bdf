"""Which calls of the seal belong to which question, where one agent is asked several."""

from __future__ import annotations

from pytest_invariants.catalogue.doors import seal_decides, surfaces_agree
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Manner
from pytest_invariants.verdict import Reason

from tests.catalogue.small import Small, small_registry

SURFACES = {"activate": Manner.NAMED, "index": Manner.BROWSE}


class SilentIndex(Small):
    """Its list never asks; loading a manual does."""

    def index(self) -> list[str]:
        return list(self.skills)

    def load(self, skill: str) -> None:
        self.closed(skill)


def test_what_another_question_or_a_load_led_to_is_not_this_one_s() -> None:
    session = ProbeSession(small_registry(SilentIndex, surfaces=SURFACES))
    activate, index = session.asked
    with session.stage() as stage:
        stage.pull("load", "notes")
        loaded = len(stage.swapped.calls)
        stage.ask(activate)
        stage.ask(index)
        assert loaded == 1
        assert stage.calls_for(index) == []
        assert stage.calls_for(activate) == stage.swapped.calls[loaded:]


def test_a_list_that_never_asks_is_a_leak_whatever_else_has_asked_before() -> None:
    rows = small_registry(SilentIndex, surfaces=SURFACES)
    session = ProbeSession(rows)
    surfaces_agree.INVARIANT.play(session, None)  # type: ignore[misc]
    finding = seal_decides.INVARIANT.play(session, rows.surfaces[1])  # type: ignore[misc]
    assert finding.reason is Reason.LEAKED
    assert finding.message.endswith("the seal was not asked once")
