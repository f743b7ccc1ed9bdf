"""The small agent with much around it that no surface runs: code that shares its names, and code that does not."""

from __future__ import annotations

from tests.hook.scratch import FILES, REGISTRY, ROW

REPORT = '''\
"""Figures for people."""
import json
import logging
from functools import partial

from agent import lazy, store
from agent.doors import activate
from agent.gate import opened as open_skill
from agent.store import STORE, Skill

logger = logging.getLogger(__name__)
LIMIT = 3
names = {"short": lambda text: text[:LIMIT]}


class Figures:
    """What was counted."""

    limit: int = 5

    def __init__(self, rows, skill: Skill = None):
        self.rows = rows
        self.skill = skill

    def total(self, start=0):
        found = start
        for row in self.rows:
            if row > self.limit:
                found += row
        return found

    def get(self, name):
        return self.rows[name]

    def shown(self, skill: Skill):
        rows = [row for row in self.rows if row]
        skill = self.skill or skill
        return skill.name, STORE

    @property
    def text(self):
        return f"{self.total()} of {self.limit}"

    @staticmethod
    def parsed(text):
        try:
            return json.loads(text)
        except ValueError as error:
            logger.info("no figures: %s", error)
            return None


class Longer(Figures):
    def total(self, start=1):
        return super().total(start) + 1

    def __enter__(self):
        return self.get(0)


def count(turn, skills):
    """How many there are."""
    number = 0
    for skill in skills:
        if skill.name and turn:
            number = number + 1
    return number


def title(store):
    first = store.get("notes")
    return first.name if first else "none"


def written(path, figures: Figures):
    with open(path) as file:
        text = figures.text
        file.write(text)
    return lazy.part


def again(turn, name):
    return activate(turn, name)


def later(turn, name):
    return partial(open_skill, turn)


def read(thing, key):
    return getattr(thing, key)


def named(thing):
    return getattr(thing, "name", None)


def rows(figures):
    for row in figures.rows:
        yield row


def nested(values):
    def inner(value):
        return value.body

    return [inner(value) for value in values]


def chosen(values):
    from agent.store import Skill as Kind

    STORE = values
    return [value for value in STORE if isinstance(value, Kind)]


def mark(skill):
    skill.seen = 1
    skill.limit = LIMIT
    return skill


async def waited(source):
    return await source.all()
'''
LAZY = '''\
from agent import store

_PARTS = {"part": "STORE"}


def __getattr__(name):
    if name in _PARTS:
        return getattr(store, _PARTS[name])
    raise AttributeError(name)


def plain(value):
    """Say it."""
    return str(value).strip()
'''
LOOPS = """\
from agent.report import Figures, count


def one(figures):
    return two(figures) if figures else None


def two(figures):
    return one(figures.rows)


def three(turn):
    figures = Figures([1, 2])
    return count(turn, figures.rows) + figures.total()
"""
DOORS = '''\
from agent.gate import opened
from agent.report import Figures
from agent.store import STORE


def activate(turn, name):
    """Open a skill."""
    figures = Figures([1], STORE.get(name))
    if figures.total() > 3:
        return None
    return opened(turn, name).body


def listed(turn):
    found = []
    for skill in STORE.all():
        if skill is not None:
            found.append(opened(turn, skill.name).body)
    return found


def loose(turn, name):
    skill = STORE.get(name)
    return skill.body


def caller(turn):
    return listed(turn)
'''
LISTED = '  listed: {function: "agent.doors:listed", manner: browse}\n'
WIDER = {
    **{path: text for path, text in FILES.items() if path != "README.md"},
    "agent/doors.py": DOORS,
    "agent/report.py": REPORT,
    "agent/lazy.py": LAZY,
    "agent/loops.py": LOOPS,
    REGISTRY: FILES[REGISTRY].replace(ROW, ROW + LISTED),
}
