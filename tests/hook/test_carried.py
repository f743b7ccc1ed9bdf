"""A verdict is carried over to another version exactly where that one, found anew, is the same in all that it says."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from pytest_invariants.hook.grounds import Grounds, from_bytes

from tests.fuzz import edits, generate
from tests.hook.carried import REGISTRY, Contents, Version, carry, find
from tests.hook.wider import WIDER

REPORT, DOORS, STORE, LOOPS = "agent/report.py", "agent/doors.py", "agent/store.py", "agent/loops.py"
LONGER = 6
"""The position of `Longer.total`."""
SEED, EDITS, AGENTS, EDITS_EACH = 7, 60, 6, 6

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def git() -> Contents:
    return Contents()


@pytest.fixture(scope="module")
def before(git: Contents) -> Version:
    return find(WIDER, git)


def changed(path: str, old: str, new: str) -> dict[str, str]:
    assert WIDER[path].count(old) == 1, old
    return {**WIDER, path: WIDER[path].replace(old, new)}


def compared(git: Contents, before: Version, files: dict[str, str]) -> bool:
    """Whether a verdict was carried over; that it is what is found anew, with all on which it rests, is asserted."""
    carried = carry(git, before, files)
    if carried is not None:
        assert carried == find(files, git)
    return carried is not None


# Changes at random


def test_after_random_edits_what_is_carried_over_is_what_is_found_anew(git: Contents, before: Version) -> None:
    chosen = itertools.islice(edits.edits(WIDER, SEED), EDITS)
    carried = [kind for kind, files in chosen if compared(git, before, files)]
    assert len(carried) > EDITS // 10
    assert len({kind.split()[0] for kind in carried}) >= 3


def test_after_random_edits_of_random_agents_as_well(git: Contents) -> None:
    carried = 0
    for seed in range(AGENTS):
        agent = generate.files(generate.draw(seed))
        first = find(agent, git)
        carried += sum(
            compared(git, first, files) for _, files in itertools.islice(edits.edits(agent, seed), EDITS_EACH)
        )
    assert carried > AGENTS * EDITS_EACH // 12


def test_a_carried_verdict_can_be_carried_on(git: Contents, before: Version) -> None:
    second = carry(
        git, before, changed(REPORT, "        found = start\n", "        # first\n\n        found = start\n")
    )
    assert second is not None
    files = changed(REPORT, "        found = start\n", "        # first\n\n        found = start\n")
    further = {**files, REPORT: files[REPORT].replace("number + 1", "number + 2")}
    assert compared(git, second, further)


# What changes nothing

HARMLESS = {
    "a comment": (DOORS, "    found = []\n", "    found = []  # all of them = 1\n"),
    "an empty line in what is read": (DOORS, "    found = []\n", "\n    found = []\n\n"),
    "a line above everything": (DOORS, "from agent.gate import opened\n", "# doors\n\nfrom agent.gate import opened\n"),
    "another documentation": (DOORS, '"""Open a skill."""', '"""Open\n\n    one.\n    """'),
    "the documentation of a module": (REPORT, '"""Figures for people."""', '"""Figures."""'),
    "a number": (REPORT, "number + 1", "number + 2"),
    "a text": (REPORT, '"no figures: %s"', '"none: %s"'),
    "a function that nobody knew": (
        LOOPS,
        "def three(",
        "def four(turn, more: int = 2):\n    return more\n\n\ndef three(",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_changes_nothing_is_carried_over(git: Contents, before: Version, name: str) -> None:
    assert compared(git, before, changed(*HARMLESS[name]))


def test_places_move_with_their_lines(git: Contents, before: Version) -> None:
    carried = carry(
        git, before, changed(DOORS, "from agent.gate import opened\n", "\n\nfrom agent.gate import opened\n")
    )
    assert carried is not None
    lines = {door.function: door.at.line for door in before.standing.doors if door.at.path == DOORS}
    assert {door.function: door.at.line - 2 for door in carried.standing.doors if door.at.path == DOORS} == lines
    assert carried.standing.surfaces[0].finding != before.standing.surfaces[0].finding


ONE = WIDER[LOOPS][WIDER[LOOPS].index("def one") : WIDER[LOOPS].index("def two")]
TWO = WIDER[LOOPS][WIDER[LOOPS].index("def two") : WIDER[LOOPS].index("def three")]

# What counts. With any of these left out of the outline, the verdict would be carried over.

COUNTING = {
    "a condition": (REPORT, "if skill.name and turn:", "if not turn:"),
    "a local name": (REPORT, "    number = 0\n", "    number = total = 0\n"),
    "another statement": (
        REPORT,
        "        number = number + 1\n",
        "        number = number + 1\n        print(number)\n",
    ),
    "a call of something new": (REPORT, "    number = 0\n", "    number = counted(turn)\n"),
    "a way out": (REPORT, "    number = 0\n", "    if not turn:\n        raise ValueError(turn)\n    number = 0\n"),
    "an import of another package": (REPORT, "    number = 0\n", "    import os\n\n    number = os.sep\n"),
    "a function inside that nobody knew": (
        REPORT,
        "    number = 0\n",
        "    def within():\n        return 0\n\n    number = within()\n",
    ),
    "a call of it": (LOOPS, "def three(turn):\n", "def four():\n    return 4\n\n\ndef three(turn):\n    four()\n"),
    "a number of what is read": (REPORT, "super().total(start) + 1", "super().total(start) + 2"),
    "the seal": ("agent/seal.py", "        return False\n", "        return True\n"),
    "a statement of what is read": (DOORS, "    found = []\n", "    found = [1]\n"),
    "one line more of one statement": (
        DOORS,
        "return opened(turn, name).body",
        "return (\n        opened(turn, name).body)",
    ),
    "two statements on one line": (
        DOORS,
        "    skill = STORE.get(name)\n    return",
        "    skill = STORE.get(name); return",
    ),
    "documentation where none was": (DOORS, "    found = []\n", '    """All."""\n    found = []\n'),
    "a mention of the store": (REPORT, "    number = 0\n", "    number = STORE\n"),
    "a mention of what the seal is told": (REPORT, "    number = 0\n", "    number = turn.category\n"),
    "a mention of the capability": (REPORT, "    number = 0\n", "    number = skills.body\n"),
    "a method of that name": (REPORT, "    number = 0\n", "    number = turn.get(1)\n"),
    "an alias of what asks": (REPORT, "    number = 0\n", "    number = open_skill\n"),
    "a call of a door": (LOOPS, "    return count(turn", "    listed(turn)\n    return count(turn"),
    "no call of a door any more": (REPORT, "    return activate(turn, name)\n", "    return None\n"),
    "a name of a module": (REPORT, "    number = 0\n", "    number = lazy.other\n"),
    "a computed name": (REPORT, "    number = 0\n", "    number = getattr(turn, skills)\n"),
    "another computed name": (REPORT, 'return getattr(thing, "name", None)', 'return getattr(thing, "body", None)'),
    "an import": (REPORT, "    number = 0\n", "    from agent.gate import opened as number\n    number = 0\n"),
    "a use of what was imported": (REPORT, "    STORE = values\n", "    STORE = values or Kind\n"),
    "a name that hides another": (REPORT, "    STORE = values\n", "    found = values\n"),
    "a receiver that is bound anew": (REPORT, "        skill = self.skill or skill\n", "        pass\n"),
    "a field that is set": (REPORT, "    number = 0\n", "    number = 0\n    turn.number = number\n"),
    "what a field is given": (REPORT, "    skill.seen = 1\n", "    skill.seen = 2\n"),
    "a field that is removed": (REPORT, "    number = 0\n", "    number = 0\n    del turn.number\n"),
    "anything beside a mention": (REPORT, "    STORE = values\n", "    STORE = values\n    print(1)\n"),
    "a text that may be run": (REPORT, "    number = 0\n", '    number = 0\n    exec("x = 1")\n'),
    "a variable of the module": (REPORT, "    number = 0\n", "    global LIMIT\n    number = 0\n"),
    "a comment that speaks of a namespace": (REPORT, "    number = 0\n", "    number = 0  # not vars(x)\n"),
    "a yield more": (REPORT, "    number = 0\n", "    number = yield\n"),
    "a yield less": (REPORT, "        yield row\n", "        print(row)\n"),
    "a context manager": (
        REPORT,
        "    for row in figures.rows:\n        yield row\n",
        "    with figures:\n        yield figures\n",
    ),
    "a body that says nothing": (LOOPS, "    return two(figures) if figures else None\n", "    ...\n"),
    "a field that was asked about": (REPORT, "    skill.seen = 1\n", "    skill.limit = 7\n"),
    "a name in a comment that was asked about": (REPORT, "    skill.seen = 1\n", "    skill.seen = 1  # .limit = 8\n"),
    "an annotation": (REPORT, "def count(turn, skills):", "def count(turn, skills: Skill):"),
    "what it gives": (REPORT, "def title(store):", "def title(store) -> Skill:"),
    "a default": (REPORT, "def total(self, start=0):", "def total(self, start=2):"),
    "a parameter": (REPORT, "def count(turn, skills):", "def count(turn, skills, more):"),
    "a decorator": (REPORT, "def count(turn, skills):", "@partial\ndef count(turn, skills):"),
    "a decorator less": (REPORT, "    @staticmethod\n", ""),
    "a base": (REPORT, "class Figures:", "class Figures(Skill):"),
    "a field of a class": (REPORT, "    limit: int = 5\n", "    limit: int = 6\n"),
    "a statement of a module": (REPORT, "LIMIT = 3\n", "LIMIT = 4\n"),
    "a lambda of a module": (REPORT, "lambda text: text[:LIMIT]", "lambda text: text[LIMIT]"),
    "an import of a module": (REPORT, "import json\n", "import json\nimport os\n"),
    "the order of functions": (LOOPS, ONE + TWO, TWO + ONE),
    "a function less": (LOOPS, WIDER[LOOPS][WIDER[LOOPS].index("\n\ndef three") :], ""),
    "a function whose name was spoken of": (LOOPS, "def three(", "def listed(turn):\n    return 1\n\n\ndef three("),
    "a function that is decorated": (LOOPS, "def three(", "@print\ndef four():\n    return 4\n\n\ndef three("),
    "a function that runs at once": (LOOPS, "def three(", "def four(a=print()):\n    return 4\n\n\ndef three("),
    "a function that mentions the store": (LOOPS, "def three(", "def four(a):\n    return a.get\n\n\ndef three("),
    "a function that says it gives a skill": (
        LOOPS,
        "def three(",
        'def four() -> "Skill":\n    return 4\n\n\ndef three(',
    ),
    "a function that the language asks": (LOOPS, "def three(", "def __getattr__(a):\n    return a\n\n\ndef three("),
    "a method": (
        REPORT,
        "    def get(self, name):",
        "    def four(self):\n        return 4\n\n    def get(self, name):",
    ),
    "a name of another package": (LOOPS, "def three(", 'PLACE = "agent.other"\n\n\ndef three('),
    "a lambda on a line of another length": (REPORT, "import json\n", "import json\n" + "\n" * 90),
}


@pytest.mark.parametrize("name", COUNTING)
def test_what_counts_is_proved_anew(git: Contents, before: Version, name: str) -> None:
    assert carry(git, before, changed(*COUNTING[name])) is None


def test_a_function_whose_name_another_file_knew_is_proved_anew(git: Contents) -> None:
    files = {**WIDER, "agent/seal.py": WIDER["agent/seal.py"] + "\n# four\n"}
    assert carry(git, find(files, git), {**files, LOOPS: WIDER[LOOPS] + "\n\ndef four():\n    return 4\n"}) is None


def test_where_all_of_a_module_was_read_a_new_function_counts(git: Contents) -> None:
    files = {**WIDER, DOORS: WIDER[DOORS].replace("    found = []\n", "    found = []\n    globals()[turn] = found\n")}
    before = find(files, git)
    assert before.grounds is not None
    assert before.grounds.namespaces
    assert carry(git, before, {**files, LOOPS: WIDER[LOOPS] + "\n\ndef four():\n    return 4\n"}) is None


def test_where_only_the_names_were_read_the_names_count(git: Contents, before: Version) -> None:
    """That of a coroutine that nobody awaits it is asked whether it would ask."""
    files = {**WIDER, DOORS: WIDER[DOORS].replace("    found = []\n", "    found = []\n    pause(turn)\n")}
    files[DOORS] += "\n\nasync def pause(turn):\n    print(turn)\n\n\ndef unread(turn):\n    print(turn)\n"
    first = find(files, git)
    assert first.grounds is not None
    assert first.grounds.named or 4 in first.grounds.whole[DOORS]
    other = {
        **files,
        DOORS: files[DOORS].replace("async def pause(turn):\n    print(turn)", "async def pause(turn):\n    len(turn)"),
    }
    assert carry(git, first, other) is None


@pytest.mark.parametrize(
    "files",
    [
        {**WIDER, "agent/more.py": ""},
        {path: text for path, text in WIDER.items() if path != LOOPS},
        {**WIDER, LOOPS: WIDER[LOOPS] + "def ("},
    ],
    ids=["a file more", "a file less", "a file that does not parse"],
)
def test_other_files_are_proved_anew(git: Contents, before: Version, files: dict[str, str]) -> None:
    assert carry(git, before, files) is None


def test_a_file_that_did_not_parse_is_proved_anew(git: Contents) -> None:
    broken = {**WIDER, LOOPS: WIDER[LOOPS] + "def ("}
    assert carry(git, find(broken, git), WIDER) is None


def test_mistakes_of_a_registry_are_not_carried_over(git: Contents) -> None:
    files = {**WIDER, REGISTRY: WIDER[REGISTRY].replace("agent.seal:sealed", "agent.seal:other")}
    wrong = find(files, git)
    assert wrong.standing.problems
    assert carry(git, wrong, {**files, DOORS: "# more\n" + files[DOORS]}) is None


# What is kept


def test_grounds_are_read_back_as_they_were(before: Version) -> None:
    assert before.grounds is not None
    assert from_bytes(before.grounds.to_bytes()) == before.grounds


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"format": 0}', b'{"format": 1, "files": 3}'])
def test_other_grounds_are_none(content: bytes) -> None:
    assert from_bytes(content) is None


@pytest.mark.parametrize("fact", ["whole", "names", "stores"])
def test_each_of_the_grounds_is_needed(git: Contents, before: Version, fact: str) -> None:
    """Without it a change is carried over that has to be proved anew."""
    assert isinstance(before.grounds, Grounds)
    whole = {**before.grounds.whole, REPORT: tuple(at for at in before.grounds.whole[REPORT] if at != LONGER)}
    nothing: dict[str, object] = {"whole": whole, "names": (), "stores": ()}
    change = {
        "whole": "a number of what is read",
        "names": "a function that says it gives a skill",
        "stores": "a name in a comment that was asked about",
    }
    files = changed(*COUNTING[change[fact]])
    forged = replace(before, grounds=replace(before.grounds, **{fact: nothing[fact]}))  # type: ignore[arg-type]
    assert carry(git, before, files) is None
    assert carry(git, forged, files) is not None
