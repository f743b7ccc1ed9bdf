"""What functions of the program may have done before the surface is called: guards replaced, taken out, settings changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.one_surface import GATE, verdict_of

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
TOP = """
import sys
import threading
from dataclasses import dataclass


def emptied(given):
    given.clear()


def guard(name, asker):
    if sealed(name, asker):
        raise PermissionError(name)


class Gate:
    def check(self, name, asker):
        guard(name, asker)


class Nothing:
    def check(self, name, asker):
        pass


class Other:
    def __init__(self):
        self.checks, self.gate, self.table = [], None, {}

    def tidy(self):
        self.checks.clear()
        self.table.popitem()


@dataclass
class Settings:
    strict: bool = True


"""
OF_A_MODULE = {
    "a list that grows": (
        "CHECKS = [guard]",
        "CHECKS.append(given)",
        "for check in CHECKS: check(name, asker)",
        PROVED,
    ),
    "a list that is emptied": (
        "CHECKS = [guard]",
        "CHECKS.clear()",
        "for check in CHECKS: check(name, asker)",
        REFUTED,
    ),
    "a list that shrinks": (
        "CHECKS = [guard]",
        "CHECKS.remove(given)",
        "for check in CHECKS: check(name, asker)",
        REFUTED,
    ),
    "an element replaced": (
        "CHECKS = [guard]",
        "CHECKS[0] = given",
        "for check in CHECKS: check(name, asker)",
        REFUTED,
    ),
    "an element deleted": ("CHECKS = [guard]", "del CHECKS[0]", "for check in CHECKS: check(name, asker)", REFUTED),
    "a slice replaced": ("CHECKS = [guard]", "CHECKS[:] = given", "for check in CHECKS: check(name, asker)", REFUTED),
    "a list replaced": ("CHECKS = [guard]", "CHECKS = []", "for check in CHECKS: check(name, asker)", REFUTED),
    "a function replaced": ("CHECK = guard", "CHECK = given", "CHECK(name, asker)", UNDECIDED),
    "an instance replaced": ("GATE = Gate()", "GATE = given", "GATE.check(name, asker)", UNDECIDED),
    "by one of its class": ("GATE = Gate()", "GATE = Gate()", "GATE.check(name, asker)", PROVED),
    "by one of another": ("GATE = Gate()", "GATE = Nothing()", "GATE.check(name, asker)", REFUTED),
    "settings replaced": ("S = Settings()", "S = given", "if S.strict: guard(name, asker)", REFUTED),
    "an entry by a computed key": ("T = {'a': True}", "T[given] = False", "if T['a']: guard(name, asker)", REFUTED),
    "entries by an update": ("T = {'a': True}", "T.update(given)", "if T['a']: guard(name, asker)", REFUTED),
    "an entry that stays": ("T = {'a': True}", "print(given)", "if T.get('a'): guard(name, asker)", PROVED),
    "an entry that is not there yet": (
        "T = {'a': 1}",
        "T[given] = 1",
        "if not T.get('off'): guard(name, asker)",
        REFUTED,
    ),
    "a pair replaced": ("P = (True, 1)", "P = given", "if P[0]: guard(name, asker)", REFUTED),
    "a method of a class": ("GATE = Gate()", "Gate.check = given", "GATE.check(name, asker)", UNDECIDED),
    "a method of an instance": ("GATE = Gate()", "GATE.check = given", "GATE.check(name, asker)", UNDECIDED),
    "a method of another class": ("GATE = Gate()", "Nothing.check = given", "GATE.check(name, asker)", PROVED),
    "a function by its name": ("MORE = 1", "globals()['guard'] = given", "guard(name, asker)", UNDECIDED),
    "a function of the module": (
        "MORE = 1",
        "setattr(sys.modules[__name__], 'guard', given)",
        "guard(name, asker)",
        UNDECIDED,
    ),
    "a table in a table": ("T = {'a': {'b': 1}}", "T['a'][given] = 0", "if T['a']['b']: guard(name, asker)", REFUTED),
    "the same by an alias": (
        "T = {'a': {'b': 1}}",
        "one = T['a']; one[given] = 0",
        "if T['a']['b']: guard(name, asker)",
        REFUTED,
    ),
    "each of the tables": (
        "T = {'a': {'b': 1}}",
        "for one in T.values(): one.update(given)",
        "if T['a']['b']: guard(name, asker)",
        REFUTED,
    ),
    "a list in a list": (
        "L = [[guard]]",
        "L[0].clear()",
        "for one in L:\n        for c in one: c(name, asker)",
        REFUTED,
    ),
    "a list that is handed on": ("L = [guard]", "emptied(L)", "for c in L: c(name, asker)", REFUTED),
    "an attribute of the library's": (
        "L = threading.local(); L.on = 1",
        "L.on = given",
        "if L.on: guard(name, asker)",
        REFUTED,
    ),
}


@pytest.mark.parametrize("what", OF_A_MODULE)
def test_what_a_module_holds(what: str, tmp_path: Path) -> None:
    before, change, asks, verdict = OF_A_MODULE[what]
    name = before.partition(" ")[0]
    text = f"""
{before}


def change(given):
    global {name}
    {change}


def look(name, asker):
    {asks}
    return secret(name)
"""
    if not change.startswith(f"{name} ="):
        text = text.replace(f"    global {name}\n", "")
    assert verdict_of(tmp_path, GATE + TOP + text) is verdict


OF_AN_OBJECT = {
    "a list that another class empties": (
        "checks = [guard]",
        "print(given)",
        "for c in self.checks: c(name, asker)",
        PROVED,
    ),
    "a list that is emptied": (
        "checks = [guard]",
        "self.checks.clear()",
        "for c in self.checks: c(name, asker)",
        REFUTED,
    ),
    "a list replaced": ("checks = [guard]", "self.checks = []", "for c in self.checks: c(name, asker)", REFUTED),
    "a list that was empty": (
        "extra = []",
        "self.extra.append(given)",
        "if not self.extra: guard(name, asker)",
        REFUTED,
    ),
    "a pair replaced": ("pair = (True, 1)", "self.pair = given", "if self.pair[0]: guard(name, asker)", REFUTED),
    "a function replaced": ("check = guard", "self.check = given", "self.check(name, asker)", UNDECIDED),
    "an instance replaced": ("gate = Gate()", "self.gate = given", "self.gate.check(name, asker)", UNDECIDED),
    "by one of another class": ("gate = Gate()", "self.gate = Nothing()", "self.gate.check(name, asker)", REFUTED),
    "by one of its class": ("gate = Gate()", "self.gate = Gate()", "self.gate.check(name, asker)", PROVED),
    "an entry by a computed key": (
        "table = {'a': 1}",
        "self.table[given] = 0",
        "if self.table['a']: guard(name, asker)",
        REFUTED,
    ),
    "several at once": (
        "strict = True",
        "self.strict, self.more = given",
        "if self.strict: guard(name, asker)",
        REFUTED,
    ),
    "by its name": ("strict = True", "setattr(self, 'strict', given)", "if self.strict: guard(name, asker)", REFUTED),
    "in its dictionary": (
        "strict = True",
        "self.__dict__['strict'] = 0",
        "if self.strict: guard(name, asker)",
        REFUTED,
    ),
    "by an update": ("strict = True", "vars(self).update(strict=given)", "if self.strict: guard(name, asker)", REFUTED),
    "by a loop": ("strict = True", "for self.strict in given: pass", "if self.strict: guard(name, asker)", REFUTED),
    "halved": ("level = 2", "self.level //= given", "if self.level == 2: guard(name, asker)", REFUTED),
}


@pytest.mark.parametrize("what", OF_AN_OBJECT)
def test_what_an_object_holds(what: str, tmp_path: Path) -> None:
    before, change, asks, verdict = OF_AN_OBJECT[what]
    text = f"""
class Desk:
    def __init__(self):
        self.{before}

    def change(self, given):
        {change}

    def look(self, name, asker):
        {asks}
        return secret(name)


def look(name, asker, desk: Desk):
    return desk.look(name, asker)
"""
    assert verdict_of(tmp_path, GATE + TOP + text) is verdict
