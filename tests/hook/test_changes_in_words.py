"""What a change did, and how the hook says it: kinds that a small repository does not bring about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_invariants.hook.compare import Kind, compare
from pytest_invariants.hook.standing import Entry, Stand, Standing, as_json, from_json
from pytest_invariants.hook.wording import Registered, describe, summary
from pytest_invariants.verdict import Finding, Place, Reason, Verdict

AT = Place("agent/doors.py", 9)
ROW = Place("entrypoints/registry.yaml", 7)


def stand(verdict: Verdict, level: int | None = None, reason: Reason | None = None) -> Stand:
    finding = Finding("index", "seal-consulted", verdict, level, reason, AT, (), "it says so", "mend it")
    return Stand("index", "agent.doors:index", "browse", ROW, finding)


PROVED = stand(Verdict.PROVED, 5)
OPEN = stand(Verdict.REFUTED, 1, Reason.PATH_WITHOUT_SEAL)
UNSURE = stand(Verdict.UNDECIDED, 2, Reason.PROXY)


def of(*surfaces: Stand, **more: object) -> Standing:
    return Standing(seal="agent.seal:sealed", surfaces=surfaces, **more)  # type: ignore[arg-type]


def said(before: Standing, after: Standing) -> str:
    about = Registered("entrypoints/registry.yaml", ".", "", after, {})
    return describe(list(compare(before, after, {})), about) + summary(list(compare(before, after, {})), about)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (PROVED, PROVED, None),
        (OPEN, PROVED, Kind.BETTER),
        (PROVED, replace(PROVED, finding=replace(PROVED.finding, level=4)), Kind.WEAKER),
        (OPEN, OPEN, Kind.KNOWN),
        (OPEN, UNSURE, Kind.KNOWN),
        (UNSURE, OPEN, Kind.UNGUARDED),
        (PROVED, OPEN, Kind.UNGUARDED),
        (PROVED, UNSURE, Kind.UNDECIDED),
        (PROVED, stand(Verdict.REFUTED, 0, Reason.MISSING_FUNCTION), Kind.REMOVED),
    ],
)
def test_what_became_of_a_surface(before: Stand, after: Stand, kind: Kind | None) -> None:
    changes = list(compare(of(before), of(after), {}))
    assert [change.kind for change in changes] == ([] if kind is None else [kind])


def test_what_was_not_proved_before_is_no_fault_of_this_change() -> None:
    text = said(of(OPEN), of(OPEN))
    assert "note: index is refuted at level 1 (path-without-seal), and was not proved before this change" in text
    assert text.endswith("entrypoints/registry.yaml: 0 of 1 surfaces proved, nothing to mend\n")


def test_a_function_with_too_many_paths_fails_once() -> None:
    text = said(of(PROVED), of(PROVED, unexamined=("agent.doors:maze",)))
    assert "agent.doors:maze has more paths than are looked at" in text
    assert "split the function, or ask the seal closer to the grant" in text
    known = of(PROVED, unexamined=("agent.doors:maze",))
    assert "maze" not in said(known, known)


def test_a_stale_exemption_fails_once() -> None:
    stale = of(PROVED, stale=("agent.admin:dump",))
    assert "the exemption of agent.admin:dump is not needed any more" in said(of(PROVED), stale)
    assert "dump" not in said(stale, stale)


def test_a_file_that_does_not_parse_fails_once() -> None:
    unreadable = of(PROVED, unreadable=(AT,))
    assert "the file does not parse" in said(of(PROVED), unreadable)
    assert "does not parse" not in said(unreadable, unreadable)


def test_a_new_surface_is_told() -> None:
    assert "note: the surface index is new, and proved to level 5" in said(of(), of(PROVED))


def test_a_surface_that_gets_better_is_told() -> None:
    assert "index was refuted at level 1 (path-without-seal) and is proved to level 5" in said(of(OPEN), of(PROVED))


DOOR = Entry("agent.doors:index", AT, (), "surface index", asks=True)


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda data: data.update(format=0), ValueError),
        (lambda data: data["doors"][0].update(asks="yes"), TypeError),
        (lambda data: data["doors"][0].update(covered_by=3), TypeError),
        (lambda data: data.update(seal=None), TypeError),
        (lambda data: data.pop("stale"), KeyError),
    ],
)
def test_what_was_kept_in_another_form_is_not_believed(spoil, error: type[Exception]) -> None:  # type: ignore[no-untyped-def]
    data = as_json(of(PROVED, doors=(DOOR,)))
    assert from_json(as_json(of(PROVED, doors=(DOOR,)))) == of(PROVED, doors=(DOOR,))
    spoil(data)
    with pytest.raises(error):
        from_json(data)
