"""A place that may hold several values holds one of them on each path: read again, it holds the same one, unless it was changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.one_surface import GATE, verdict_of

TOP = """
import asyncio
import threading

MODE = "strict"
TABLE = {"mode": "strict", "other": 1}


def switch(mode):
    global MODE
    MODE = mode


def enter(mode):
    TABLE["mode"] = mode


class Shared:
    mode = "strict"

    @classmethod
    def switch(cls, mode):
        cls.mode = mode


class Settings:
    def __init__(self, strict):
        if strict:
            self.mode = "strict"
        else:
            self.mode = "loose"

    def switch(self, mode):
        self.mode = mode

    def long(self, mode):
        number = 0
        for each in mode:
            number += len(each)
        while number > 3:
            number -= 1
            if number == 7:
                break
        self.mode = mode


def guard(test, name, asker):
    if test and sealed(name, asker):
        raise PermissionError(name)


"""
PLACES = {
    "a field": ("settings: Settings", "settings.mode == 'strict'", "settings.switch('strict')"),
    "a variable of a module": ("_", "MODE == 'strict'", "switch('strict')"),
    "a class attribute": ("_", "Shared.mode == 'strict'", "Shared.switch('strict')"),
    "an entry": ("_", "TABLE['mode'] == 'strict'", "enter('strict')"),
    "an entry of something": ("conf: dict", "conf.get('strict')", "conf['strict'] = True"),
    "an entry with a default": ("conf: dict[str, bool]", "conf.get('strict', False)", "conf.update(strict=True)"),
    "by its name": (
        "settings: Settings",
        "getattr(settings, 'mode') == 'strict'",
        "setattr(settings, 'mode', 'strict')",
    ),
    "an option": ("**options", "options.get('strict')", "options['strict'] = True"),
    "an element": ("flags: list[bool]", "flags[0]", "flags[0] = True"),
}
LOOK = """
{way} look(name, asker, {parameter}):
    guard({test}, name, asker)
    {between}
    if {test}:
        return secret(name)
    return None
"""


@pytest.mark.parametrize("place", PLACES)
def test_a_test_that_is_made_twice_goes_the_same_way(place: str, tmp_path: Path) -> None:
    parameter, test, _ = PLACES[place]
    text = LOOK.format(way="def", parameter=parameter, test=test, between="print(name)")
    assert verdict_of(tmp_path, GATE + TOP + text) is Verdict.PROVED


@pytest.mark.parametrize("place", PLACES)
def test_unless_the_place_was_changed(place: str, tmp_path: Path) -> None:
    parameter, test, between = PLACES[place]
    text = LOOK.format(way="def", parameter=parameter, test=test, between=between)
    assert verdict_of(tmp_path, GATE + TOP + text) is not Verdict.PROVED


CHANGES = {
    "in a callee that is passed over": "settings.long(name)",
    "by an alias": "same = settings; same.mode = 'strict'",
    "in its dictionary": "vars(settings)['mode'] = 'strict'",
    "by an update": "settings.__dict__.update(mode='strict')",
    "in a loop": "[settings.switch(each) for each in name]",
    "by a thread": "threading.Thread(target=settings.switch, args=('strict',)).start()",
    "while it waits": "await asyncio.sleep(0)",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_field_may_be_changed_in_many_ways(change: str, tmp_path: Path) -> None:
    test = "settings.mode == 'strict'"
    text = LOOK.format(way="async def", parameter="settings: Settings", test=test, between=CHANGES[change])
    assert verdict_of(tmp_path, GATE + TOP + text) is not Verdict.PROVED


def test_two_objects_are_two_places(tmp_path: Path) -> None:
    text = """
def look(name, asker, one: Settings, other: Settings):
    guard(one.mode == "strict", name, asker)
    return secret(name) if other.mode == "strict" else None
"""
    assert verdict_of(tmp_path, GATE + TOP + text) is Verdict.REFUTED


def test_some_element_and_another_one_are_two_places(tmp_path: Path) -> None:
    text = """
def look(name, asker, every: list[Settings]):
    for one in every:
        guard(one.mode == "strict", name, asker)
    for one in every:
        if one.mode == "strict":
            return secret(name)
    return None
"""
    assert verdict_of(tmp_path, GATE + TOP + text) is not Verdict.PROVED
