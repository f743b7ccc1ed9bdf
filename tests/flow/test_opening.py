"""Functions that bind names of a module anew: which of them put the names in doubt, and which touch nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.test_carrier_corners import GUARD, verdict

TOP = """\
import sys
import importlib

import agent.seal
from agent import store


def closed(skill, category):
    return sealed(skill.categories, category)


"""
ASKED = "    if closed(skill, category):\n        return None\n    return skill.body\n"
OPENING = {
    "exec": "def f(text):\n    exec(text, globals())\n",
    "exec in a module": "def f(text):\n    exec(text, vars(sys.modules[__name__]))\n",
    "a global": "def f(other):\n    global closed\n    closed = other\n",
    "a global function": "def f():\n    global closed\n\n    def closed(skill, category):\n        return False\n",
    "an attribute of the module": "def f(other):\n    from agent import door as here\n\n    here.closed = other\n",
    "an attribute of a named module": "def f(other):\n    here = importlib.import_module('agent.door')\n    here.closed = other\n",
    "a computed attribute": "def f(key, other):\n    setattr(sys.modules[__name__], key, other)\n",
    "a namespace": "def f(key, other):\n    globals()[key] = other\n",
    "an updated namespace": "def f(others):\n    vars(sys.modules[__name__]).update(others)\n",
    "a dictionary of the module": "def f(key, other):\n    sys.modules[__name__].__dict__[key] = other\n",
    "a function's code": "def f(other):\n    closed.__code__ = other.__code__\n",
    "a function's defaults": "def f(given):\n    closed.__defaults__ = given\n",
    "in a try": "def f(other):\n    try:\n        global closed\n        closed = other\n    finally:\n        pass\n",
    "in a match": "def f(other):\n    global closed\n    match other:\n        case [closed]:\n            pass\n",
    "in a nested function": "def f():\n    def g(key, other):\n        globals()[key] = other\n\n    return g\n",
    "in a method": "class Hooks:\n    def set(self, key, other):\n        globals()[key] = other\n",
    "reloaded": "def f():\n    importlib.reload(sys.modules['agent.door'])\n",
}
HARMLESS = {
    "exec apart": "def f(text):\n    exec(text, {})\n",
    "exec in a function": "def f(text):\n    exec(text)\n",
    "a global of another name": "def f(other):\n    global kept\n    kept = other\n",
    "another's attribute": "def f(closed, other):\n    closed.__code__ = other\n",
    "its own name": "def f(other):\n    closed = other\n    return closed\n",
    "a namespace of another module": "def f(key, other):\n    vars(sys.modules['json'])[key] = other\n",
    "a constant key": "def f(other):\n    globals()['kept'] = other\n",
    "constants": "def f(other):\n    globals().update({'kept': other})\n",
    "a module's own getter": "def __getattr__(name):\n    globals()[name] = 1\n    return 1\n",
    "a field of an object": "class Hooks:\n    def set(self, key, other):\n        setattr(self, key, other)\n",
    "a plugin": "def f(name, module):\n    sys.modules[name] = module\n",
    "an unknown reload": "def f(module):\n    importlib.reload(module)\n",
    "a module that is not there": "def f(other):\n    import nowhere\n\n    nowhere.closed = other\n",
}


@pytest.mark.parametrize("text", OPENING.values(), ids=OPENING)
def test_a_name_that_a_function_binds_anew_is_in_doubt(tmp_path: Path, text: str) -> None:
    assert verdict(tmp_path, f"{TOP}{text}", ASKED) is Verdict.UNDECIDED


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_a_function_that_binds_something_else_casts_no_doubt(tmp_path: Path, text: str) -> None:
    assert verdict(tmp_path, f"{TOP}{text}", ASKED) is Verdict.PROVED


@pytest.mark.parametrize("text", OPENING.values(), ids=OPENING)
def test_what_asks_nothing_is_refuted_all_the_same(tmp_path: Path, text: str) -> None:
    assert verdict(tmp_path, f"{TOP}{text}", "    return skill.body\n") in (Verdict.REFUTED, Verdict.UNDECIDED)


def test_a_replaced_module_is_in_doubt_where_it_is_imported(tmp_path: Path) -> None:
    top = "import sys\n\n\ndef f(other):\n    sys.modules['agent.store'] = other\n"
    inner = "    from agent.store import STORE as kept\n\n    return kept[skill.name].body\n"
    assert verdict(tmp_path, top, f"{GUARD}{inner}") is Verdict.UNDECIDED
    assert verdict(tmp_path, "import sys\n", f"{GUARD}{inner}") is Verdict.PROVED
