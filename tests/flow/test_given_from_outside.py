"""What somebody outside gives for `*args` and `**kwargs`, and what is handed on of it: any number of anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.one_surface import GATE, verdict_of

CHECKED = """
def checked(name, asker, force=False, *more, **options):
    if {test}:
        return secret(name)
    if sealed(name, asker):
        return None
    return secret(name)


def wrapped(function):
    def wrapper(*args, **kwargs):
        print(args, kwargs)
        return function(*args, **kwargs)
    return wrapper


class Base:
    def __init__(self, name, asker, force=False):
        self.name, self.asker, self.force = name, asker, force


class Made(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


"""
WAYS = {
    "handed on by name": "def look(name, asker, **options):\n    return checked(name, asker, **options)",
    "handed on by place": "def look(name, asker, *more):\n    return checked(name, asker, *more)",
    "both": "def look(name, asker, *more, **options):\n    return checked(name, asker, *more, **options)",
    "all": "def look(*args, **kwargs):\n    return checked(*args, **kwargs)",
    "copied": "def look(name, asker, **options):\n    return checked(name, asker, **{**options})",
    "shortened": "def look(name, asker, **options):\n    options.pop('x', None)\n    return checked(name, asker, **options)",
    "a dictionary": "def look(name, asker, options: dict):\n    return checked(name, asker, **options)",
    "a typed one": "def look(name, asker, options: dict[str, bool]):\n    return checked(name, asker, **options)",
    "a list": "def look(name, asker, more: list):\n    return checked(name, asker, *more)",
    "a nested function": """def look(name, asker, *more, **options):
    def run(*a, **k):
        return checked(name, asker, *a, **k)
    return run(*more, **options)""",
    "perhaps": """def look(name, asker, texts):
    options = {}
    for text in texts:
        options["force"] = False
    options.update(texts)
    return checked(name, asker, **options)""",
    "a decorator": "@wrapped\ndef look(name, asker, *more, **options):\n    return checked(name, asker, *more, **options)",
    "two decorators": "@wrapped\n@wrapped\ndef look(name, asker, **options):\n    return checked(name, asker, **options)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_parameter_may_come_from_what_is_handed_on(way: str, tmp_path: Path) -> None:
    assert verdict_of(tmp_path, GATE + CHECKED.format(test="force") + WAYS[way] + "\n") is not Verdict.PROVED


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("all", "perhaps")])
def test_what_is_handed_on_and_not_used_hides_nothing(way: str, tmp_path: Path) -> None:
    assert verdict_of(tmp_path, GATE + CHECKED.format(test="False") + WAYS[way] + "\n") is Verdict.PROVED


OPEN = {
    "asked for": "options.get('force')",
    "contained": "'force' in options",
    "counted": "len(options) > 0",
    "by place": "more",
    "some": "any(more)",
    "of a length": "len(more) == 2",
    "an element": "more and more[0]",
}


@pytest.mark.parametrize("test", OPEN)
def test_whatever_is_given_may_be_there(test: str, tmp_path: Path) -> None:
    text = f"""
def look(name, asker, *more, **options):
    if {OPEN[test]}:
        return secret(name)
    if sealed(name, asker):
        return None
    return secret(name)
"""
    assert verdict_of(tmp_path, GATE + text) is Verdict.REFUTED


MADE = """
def look(name, asker, made: Made):
    if {test}sealed(made.name, made.asker):
        return None
    return secret(made.name)
"""


def test_a_constructor_that_hands_on_what_it_is_given(tmp_path: Path) -> None:
    agent = GATE + CHECKED.format(test="False")
    assert verdict_of(tmp_path, agent + MADE.format(test="not made.force and ")) is not Verdict.PROVED


def test_two_values_under_one_key_may_both_be_given(tmp_path: Path) -> None:
    text = """
def look(name, asker, texts):
    options = {"force": False}
    for at, text in enumerate(texts):
        if at > 1:
            options = {"force": text == "x"}
        elif at > 2:
            options = {"force": text == "y"}
    return checked(name, asker, **options)
"""
    assert verdict_of(tmp_path, GATE + CHECKED.format(test="force") + text) is not Verdict.PROVED
