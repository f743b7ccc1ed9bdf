"""A long helper that calls, iterates or shows elements of what it is given is followed, however deep those stand in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.one_surface import GATE, verdict_of

LONG = "    number = 0\n" + "    number += 1\n" * 130
TOP = f"""
class Action:
    def __init__(self, name):
        self.name = name

    def __call__(self):
        return secret(self.name)

    def __str__(self):
        return secret(self.name)

    def __getitem__(self, at):
        return secret(self.name)

    def __iter__(self):
        yield secret(self.name)

    def __enter__(self):
        return secret(self.name)

    def __exit__(self, *raised):
        return None


class Plain:
    def __init__(self, name):
        self.name = name

    def __call__(self):
        return len(self.name)

    def __str__(self):
        return "plain"

    def __getitem__(self, at):
        return at

    def __iter__(self):
        yield 1

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None


class Holder:
    def __init__(self, actions: "list[Action]", plain: "list[Plain]"):
        self.actions, self.plain = actions, plain


def checked(name, asker):
    if sealed(name, asker):
        raise PermissionError(name)
    return secret(name)


def each(things):
{LONG}    return [use(one) for one in things]


def nested(groups):
{LONG}    return [each(group) for group in groups]


def of_holder(holder):
{LONG}    return [use(one) for one in holder.actions]


def of_plain(holder):
{LONG}    return [use(one) for one in holder.plain]


"""
USES = {
    "called": "    return one()",
    "shown": "    return f'{one}'",
    "looked up in": "    return one[0]",
    "iterated": "    return [part for part in one]",
    "entered": "    with one as inner:\n        return inner",
}
GIVEN = {
    "a list": ("given: list[{cls}]", "each(given)"),
    "a dictionary": ("given: dict[str, {cls}]", "each(given.values())"),
    "any number": ("*given: {cls}", "each(given)"),
    "any number by name": ("**given: {cls}", "each(given.values())"),
    "lists of lists": ("given: list[list[{cls}]]", "nested(given)"),
    "lists by name": ("given: dict[str, list[{cls}]]", "nested(given.values())"),
    "each of the lists": ("given: list[list[{cls}]]", "[each(group) for group in given]"),
    "a list within a list": ("given: list[list[{cls}]]", "each(given[0])"),
}


def _verdict(folder: Path, use: str, given: tuple[str, str], cls: str) -> Verdict:
    parameter, call = given
    text = f"""
def use(one):
{USES[use]}


def look(name, asker, {parameter.format(cls=cls)}):
    return [checked(name, asker), {call}]
"""
    return verdict_of(folder, GATE + TOP + text)


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("use", USES)
def test_what_stands_in_a_collection_is_not_passed_over(use: str, given: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, use, GIVEN[given], "Action") is Verdict.REFUTED


@pytest.mark.parametrize("given", GIVEN)
def test_what_leads_nowhere_is(given: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, "called", GIVEN[given], "Plain") is Verdict.PROVED


@pytest.mark.parametrize("use", USES)
def test_what_stands_in_a_field_is_not_passed_over(use: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, use, ("given: Holder", "of_holder(given)"), "") is Verdict.REFUTED


def test_another_field_is(tmp_path: Path) -> None:
    assert _verdict(tmp_path, "called", ("given: Holder", "of_plain(given)"), "") is Verdict.PROVED


NESTED = """
class Pack:
    def __init__(self, name):
        self.name = name

    def open(self):
        return secret(self.name)


def look(name, asker, given: {kind}):
    checked(name, asker)
    return {what}
"""
WITHIN = {
    "list[list[Pack]]": ["[one.open() for group in given for one in group]", "given[0][0].open()"],
    "dict[str, dict[str, Pack]]": ["given['a']['b'].open()", "[p.open() for d in given.values() for p in d.values()]"],
    "dict[str, list[Pack]]": [
        "given['a'][0].open()",
        "[p.open() for _, ps in given.items() for p in ps]",
        "given.get('a')[0].open()",
    ],
    "list[tuple[str, list[Pack]]]": ["[p.open() for _, ps in given for p in ps]"],
}


@pytest.mark.parametrize(("kind", "what"), [(kind, what) for kind, every in WITHIN.items() for what in every])
def test_the_elements_of_collections_in_collections_have_their_types(kind: str, what: str, tmp_path: Path) -> None:
    assert verdict_of(tmp_path, GATE + TOP + NESTED.format(kind=kind, what=what)) is Verdict.REFUTED
