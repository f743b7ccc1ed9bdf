"""order-marker, identity-sources and prompt-names-exist."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pytest_invariants.catalogue.table import identity_sources, order_marker, prompt_names_exist
from pytest_invariants.probe.host import Facts, Host
from pytest_invariants.verdict import Reason

from tests.catalogue.shop import HELD, LACKING, MARKER, REVIEW, Shop, falls, judged, outcome


class RestBehind(Shop):
    """The marker has no seat: the rest always comes last."""

    def arranged(self, order: Sequence[str]) -> list[str]:
        if MARKER not in order:
            raise ValueError("no marker")
        return sorted(self.router.visible, key=lambda name: (order.index(name) if name in order else 99, name))


class RestUnsorted(Shop):
    def arranged(self, order: Sequence[str]) -> list[str]:
        rest = [name for name in super().arranged(order) if name not in order]
        swap = dict(zip(rest, reversed(rest), strict=True))
        return [swap.get(name, name) for name in super().arranged(order)]


class LosesTheRest(Shop):
    def arranged(self, order: Sequence[str]) -> list[str]:
        return [name for name in super().arranged(order) if name in order or order == (MARKER,)]


class NeedsNoMarker(Shop):
    def arranged(self, order: Sequence[str]) -> list[str]:
        return super().arranged(order if MARKER in order else (*order, MARKER))


class NeedsNoMarkerInAnEmptyList(Shop):
    def arranged(self, order: Sequence[str]) -> list[str]:
        return super().arranged(order or (MARKER,))


class NextToNothing(Shop):
    def arranged(self, order: Sequence[str]) -> list[str]:
        return ["clock"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (RestBehind, falls(Reason.DISAGREES)),
        (RestUnsorted, falls(Reason.DISAGREES)),
        (LosesTheRest, falls(Reason.DISAGREES)),
        (NeedsNoMarker, falls(Reason.FAILS_OPEN)),
        (NeedsNoMarkerInAnEmptyList, falls(Reason.FAILS_OPEN)),
        (NextToNothing, LACKING),
    ],
)
def test_an_order_list_is_followed(host: type[Host], expected: object) -> None:
    assert outcome(order_marker.INVARIANT, host) == expected


def test_the_place_that_is_wrong_is_named() -> None:
    message = judged(order_marker.INVARIANT, RestBehind).message
    assert "with the order [<unlisted-tools>, clock] place 1 holds `clock`, and `load_skill` belongs there" in message


class Filters(Shop):
    """The whole table, then filtered."""

    def table_for(self, label: str | None) -> list[dict[str, object]]:
        every = {*self.routed().visible, *REVIEW}
        return [{"name": name} for name in sorted(every if label is None else every & set(REVIEW))]


class ReadsAnyCase(Shop):
    def table_for(self, label: str | None) -> list[dict[str, object]]:
        return super().table_for("guardian" if label and label.lower().strip() == "guardian" else label)


class GetsMore(Shop):
    def table_for(self, label: str | None) -> list[dict[str, object]]:
        return [*super().table_for(label), {"name": "clock"}]


class GetsNothing(Shop):
    def table_for(self, label: str | None) -> list[dict[str, object]]:
        return [] if label == "guardian" else super().table_for(label)


class ChangesWhenOthersBreak(Shop):
    def table_for(self, label: str | None) -> list[dict[str, object]]:
        return super().table_for(label)[: 1 if self.broken and label == "guardian" else None]


class NothingBreaks(Shop):
    def break_sources(self) -> None:
        return None


class NobodyRestricted(Shop):
    def identities(self) -> dict[str, tuple[str, ...]]:
        return {}


class NoMapping(Shop):
    def identities(self) -> dict[str, tuple[str, ...]]:
        return {"guardian": "look"}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (Filters, falls(Reason.WALKED)),
        (ReadsAnyCase, falls(Reason.WALKED)),
        (GetsMore, falls(Reason.WALKED)),
        (ChangesWhenOthersBreak, falls(Reason.WALKED)),
        (GetsNothing, falls(Reason.NOT_SHOWN)),
        (NothingBreaks, falls(Reason.NOT_SHOWN)),
        (NobodyRestricted, LACKING),
        (NoMapping, falls(Reason.HARNESS)),
    ],
)
def test_a_restricted_asker_has_sources_of_its_own(host: type[Host], expected: object) -> None:
    assert outcome(identity_sources.INVARIANT, host) == expected


def test_the_source_that_was_walked_says_so() -> None:
    message = judged(identity_sources.INVARIANT, Filters).message
    assert message == (
        "with every other source broken there is no table for 'guardian': AssertionError: the tools were walked"
    )


class OldPrompt(Shop):
    def prompt(self) -> str:
        return "Read with `load_skill` first, and find more with `tool_search`."


class NamesSealed(Shop):
    def prompt(self) -> str:
        return f"{super().prompt()} Then call payroll_run."


class NamesTheDropped(Shop):
    """The advice is about a server that may drop out."""

    def prompt(self) -> str:
        return f"{super().prompt()} Ask bank_balance first."


class Describes(Shop):
    def describe(self, name: str) -> str:
        return "Not for what `undo` is for." if name == "clock" else super().describe(name)


class DescribesAnArgument(Shop):
    """The text stands deep in a schema."""

    def table(self) -> list[dict[str, object]]:
        way = {"anyOf": [{"type": "string", "description": "As `undo` does."}, {"type": "null"}]}
        return [{**row, "input_schema": {"properties": {"way": way}}} for row in super().table()]


class SaysClock(Shop):
    """Honest: the word is an ordinary one, and stands for no tool here."""

    def open(self, facts: Facts) -> None:
        super().open(facts)
        if not self.searches:
            self.tools.pop("clock")
            self.step()

    def prompt(self) -> str:
        return f"{super().prompt()} It is three by the clock. Say load_skills_now if you must."


class Wordless(Shop):
    def prompt(self) -> str:
        return "Be helpful."

    def describe(self, name: str) -> str:
        return "A tool."


class SpeaksInParts(Shop):
    def prompt(self) -> str:
        return ["Be helpful."]  # type: ignore[return-value]


class HiddenByDesign(Describes):
    """What is masked runs, and that is declared."""

    def executable(self) -> list[str]:
        return [*super().executable(), "undo"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (Shop, HELD),
        (SaysClock, HELD),
        (OldPrompt, falls(Reason.PHANTOM)),
        (NamesSealed, falls(Reason.PHANTOM)),
        (NamesTheDropped, falls(Reason.PHANTOM)),
        (Describes, falls(Reason.PHANTOM)),
        (DescribesAnArgument, falls(Reason.PHANTOM)),
        (HiddenByDesign, falls(Reason.PHANTOM)),
        (Wordless, LACKING),
        (SpeaksInParts, falls(Reason.HARNESS)),
    ],
)
def test_no_text_names_what_is_not_there(host: type[Host], expected: object) -> None:
    assert outcome(prompt_names_exist.INVARIANT, host) == expected


def test_what_is_declared_to_be_callable_may_be_named() -> None:
    assert outcome(prompt_names_exist.INVARIANT, HiddenByDesign, hidden="callable") == HELD
    assert outcome(prompt_names_exist.INVARIANT, Describes, hidden="callable") == falls(Reason.PHANTOM)


def test_the_words_around_the_name_are_shown() -> None:
    finding = judged(prompt_names_exist.INVARIANT, OldPrompt)
    assert "the prompt names `tool_search`, which is not there, with category 'office'" in finding.message
    assert finding.trace[-1].note.endswith("first, and find more with `tool_search`.")
