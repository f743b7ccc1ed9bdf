"""Odd ways in which a body gets out of a door: with the guard never an alarm, without it never a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Verdict

from tests.flow.test_sole_forms import REGISTRY, SEAL

STORE = """\
from dataclasses import dataclass
from enum import Enum


@dataclass
class Skill:
    name: str
    categories: tuple = ()
    body: str = ""

    @staticmethod
    def of(name):
        return STORE[name]

    @classmethod
    def named(cls, name):
        return STORE[name]


class Kind(Enum):
    A = "a"
    B = "b"

    def skill(self):
        return STORE[self.value]


class Shelf:
    def __init__(self, skill):
        self.skill = skill

    def __iter__(self):
        yield self.skill

    def get_body(self):
        return self.skill.body


class Upper(Shelf):
    def get_body(self):
        return super(Upper, self).get_body()

    def ask(self, what):
        return getattr(self, f"get_{what}")()


class Default(dict):
    def __missing__(self, key):
        return STORE[key]


class Slot:
    def __set__(self, owner, value):
        owner.kept = value

    def __get__(self, owner, kind=None):
        return owner.kept


class Box:
    held = Slot()

    def __setitem__(self, key, value):
        self.held = value


STORE = {"a": Skill("a"), "b": Skill("b")}
"""
HEAD = """\
import copy
import dataclasses
import functools
import importlib
import itertools
import operator
from collections import ChainMap, defaultdict
from contextlib import ExitStack, nullcontext

from agent import store
from agent.seal import sealed
from agent.store import STORE, Box, Default, Kind, Shelf, Skill, Upper


def door(name, category):
    skill = STORE[name]
"""
GUARD = "    if sealed(skill.categories, category):\n        return None\n"
FORMS = {
    "getattr": "return getattr(skill, 'body')",
    "getattr with a default": "return getattr(skill, 'body', None)",
    "its dictionary": "return skill.__dict__['body']",
    "vars": "return vars(skill)['body']",
    "vars, by get": "return vars(skill).get('body')",
    "all of vars": "return list(vars(skill).values())",
    "a copy": "return copy.copy(skill).body",
    "a deep copy": "return copy.deepcopy(skill).body",
    "a replaced one": "return dataclasses.replace(skill, name='x').body",
    "as a dictionary": "return dataclasses.asdict(skill)['body']",
    "an imported module": "return importlib.import_module('agent.store').STORE[skill.name].body",
    "a getter": "return operator.attrgetter('body')(skill)",
    "an item getter": "return operator.itemgetter(skill.name)(STORE).body",
    "globals": "return globals()['STORE'][skill.name].body",
    "locals": "return locals()['skill'].body",
    "eval": "return eval('skill.body')",
    "a shelf": "return [one.body for one in Shelf(skill)]",
    "a list of a shelf": "return list(Shelf(skill))[0].body",
    "a method of its parent": "return Upper(skill).get_body()",
    "a method by its prefix": "return Upper(skill).ask('body')",
    "a bound method's owner": "return Shelf(skill).get_body.__self__.skill.body",
    "a wrapped function": "return functools.wraps(door)(lambda: skill.body)()",
    "a missing key": "return Default()[skill.name].body",
    "a slot": "box = Box()\n    box.held = skill\n    return box.held.body",
    "an item that is set": "box = Box()\n    box['x'] = skill\n    return box.held.body",
    "a static method": "return skill.of(skill.name).body",
    "a class method": "return skill.named(skill.name).body",
    "a member's method": "return Kind(skill.name).skill().body",
    "a dictionary of keywords": "return dict(held=skill)['held'].body",
    "a dictionary of pairs": "return dict([('held', skill)])['held'].body",
    "merged dictionaries": "return ({} | {'held': skill})['held'].body",
    "a dictionary in place": "kept = {}\n    kept |= {'held': skill}\n    return kept['held'].body",
    "update by keywords": "kept = {}\n    kept.update(held=skill)\n    return kept['held'].body",
    "setdefault": "kept = {}\n    return kept.setdefault('held', skill).body",
    "a default dictionary": "kept = defaultdict(lambda: skill)\n    return kept['x'].body",
    "a chain of dictionaries": "return ChainMap({}, {'held': skill})['held'].body",
    "tuples": "return ((1,) + (skill,))[1].body",
    "a slice": "return [1, skill][1:][0].body",
    "a starred list": "return [*[skill]][0].body",
    "a chain": "return [one.body for one in itertools.chain([skill], [])]",
    "chained from one": "return [one.body for one in itertools.chain.from_iterable([[skill]])]",
    "a map": "return list(map(lambda one: one.body, [skill]))",
    "a filter": "return [one.body for one in filter(None, [skill])]",
    "a reduction": "return functools.reduce(lambda _, one: one.body, [skill], '')",
    "sorted": "return sorted([skill], key=lambda one: one.name)[0].body",
    "the greatest": "return max([skill], key=lambda one: one.name).body",
    "the next": "return next(iter([skill])).body",
    "an unpacked pair": "_, (held, *rest) = 1, [skill]\n    return held.body",
    "zip": "return [one.body for one, _ in zip([skill], [1])]",
    "enumerate": "return [one.body for _, one in enumerate([skill])]",
    "reversed": "return [one.body for one in reversed([skill])]",
    "a null context": "with nullcontext(skill) as held:\n        return held.body",
    "an exit stack": "with ExitStack() as stack:\n        return stack.enter_context(nullcontext(skill)).body",
    "a partial": "return functools.partial(getattr, skill)('body')",
    "a partial by keyword": "return functools.partial(lambda *, one: one.body, one=skill)()",
    "a nested function": "def inner():\n        return skill.body\n\n    return inner()",
    "a generator": "def inner():\n        yield skill.body\n\n    return [*inner()]",
    "a class": "class Holder:\n        body = skill.body\n\n    return Holder.body",
    "a text": "return f'{skill.body!r:>10}'",
    "the old text": "return '%s' % (skill.body,)",
    "a joined text": "return ''.join([skill.body])",
    "a conditional": "return skill.body if name else ''",
    "an operator": "return name and skill.body",
    "a walrus": "return (held := skill) and held.body",
    "a match": "match skill:\n        case Skill(body=held):\n            return held",
    "a match of a tuple": "match (name, skill):\n        case (_, held):\n            return held.body",
    "a module's attribute": "return getattr(store, 'STORE')[skill.name].body",
    "setattr": "box = Shelf(None)\n    setattr(box, 'skill', skill)\n    return box.skill.body",
    "a match with a star": "match [1, skill]:\n        case [_, *rest]:\n            return rest[0].body",
    "a match as": "match [skill]:\n        case [Skill() as held]:\n            return held.body",
    "a match by places": "match skill:\n        case Skill(_, _, held):\n            return held",
    "a match of a mapping": "match {'held': skill}:\n        case {'held': held, **rest}:\n            return held.body",
    "a match or": "match skill:\n        case None | Skill(body=''):\n            pass\n        case held:\n            return held.body",
    "popped": "kept = [skill]\n    return kept.pop().body",
    "popped by key": "kept = {'held': skill}\n    return kept.pop('held').body",
    "a popped pair": "kept = {'held': skill}\n    return kept.popitem()[1].body",
    "inserted": "kept = []\n    kept.insert(0, skill)\n    return kept[0].body",
    "extended": "kept = []\n    kept.extend([skill])\n    return kept[-1].body",
    "added in place": "kept = []\n    kept += [skill]\n    return kept[0].body",
    "sorted in place": "kept = [skill]\n    kept.sort(key=lambda one: one.name)\n    kept.reverse()\n    return kept[0].body",
    "a removed other": "kept = [1, skill]\n    kept.remove(1)\n    return kept[0].body",
    "a deleted other": "kept = [1, skill]\n    del kept[0]\n    return kept[0].body",
    "a copied list": "return [skill].copy()[0].body",
    "a copied dictionary": "return {'held': skill}.copy()['held'].body",
    "from keys": "return dict.fromkeys(['held'], skill)['held'].body",
    "the items": "return [one.body for _, one in {'held': skill}.items()]",
    "the values": "return [one.body for one in {'held': skill}.values()]",
    "get with a default": "return {}.get('held', skill).body",
    "a union of sets": "return [one for one in {skill.body} | set()]",
    "a set in place": "kept = set()\n    kept.add(skill.body)\n    kept.update([])\n    return list(kept)",
    "a frozen set": "return frozenset([skill.body])",
    "a list of lists": "return sum([[skill]], [])[0].body",
    "repeated": "return ([skill] * 2)[1].body",
    "a dictionary of lists": "kept = defaultdict(list)\n    kept['x'].append(skill)\n    return kept['x'][0].body",
    "format": "return '{}'.format(skill.body)",
    "format by name": "return '{held.body}'.format(held=skill)",
    "split and joined": "return ' '.join(skill.body.split())",
    "encoded": "return skill.body.encode().decode()",
    "isinstance": "return skill.body if isinstance(skill, Skill) else None",
    "hasattr": "return skill.body if hasattr(skill, 'body') else None",
    "a type call": "return type(skill)(skill.name, (), skill.body).body",
    "an exception": "try:\n        raise KeyError(skill.body)\n    except KeyError as error:\n        return error.args",
    "a finally": "try:\n        pass\n    finally:\n        return skill.body",
    "a loop with else": "for _ in ():\n        pass\n    else:\n        return skill.body",
    "a deleted name": "other = skill\n    del other\n    return skill.body",
}
NOT_PROVED = frozenset({"a missing key"})
"""Undecided with the guard: what the dictionary may hold besides is not known."""


def verdict(root: Path, body: str) -> Verdict:
    files = {
        "agent/__init__.py": "", "agent/seal.py": SEAL, "agent/store.py": STORE, "agent/door.py": HEAD + body,
        "entrypoints/registry.yaml": REGISTRY, "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    prover = Prover(read(root / "entrypoints" / "registry.yaml"))
    return prover.consulted(prover.registry.surfaces[0]).verdict


@pytest.mark.parametrize("form", FORMS)
def test_with_the_guard_it_is_no_alarm(tmp_path: Path, form: str) -> None:
    found = verdict(tmp_path, f"{GUARD}    {FORMS[form]}\n")
    assert found is (Verdict.UNDECIDED if form in NOT_PROVED else Verdict.PROVED)


@pytest.mark.parametrize("form", FORMS)
def test_without_the_guard_it_is_no_proof(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, f"    {FORMS[form]}\n") in (Verdict.REFUTED, Verdict.UNDECIDED)
