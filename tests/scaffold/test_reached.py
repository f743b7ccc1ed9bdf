"""Which functions are proposed as surfaces, and what as capabilities, as far as the calls tell; nobody is proved here."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from pytest_invariants.scaffold import proving
from pytest_invariants.scaffold.proposal import Proposal, Wish, propose
from pytest_invariants.scaffold.writing import registry

from tests.scaffold.agents import FULL, lay

MODEL = """\
from dataclasses import dataclass

from elsewhere import outbox


@dataclass
class Tool:
    name: str
    description: str
    owner: str

    def run(self, **arguments):
        return outbox.post(self.owner, arguments)


@dataclass
class Registered:
    tool: Tool
    group: str


SHELF: dict[str, Registered] = {}
"""
GATE = """\
from app.model import SHELF, Registered, Tool

def available(groups) -> dict[str, Registered]:
    return {name: one for name, one in SHELF.items() if one.group in groups}

def allowed(tool: Tool, asker) -> bool:
    return tool.owner == asker
"""
DOORS = """\
from app.gate import available

def call(name, groups):
    return _run(name, groups)

def _run(name, groups):
    one = available(groups).get(name)
    return one.tool.run()

def index(groups):
    return [one.tool.description for one in available(groups).values()]

def count(groups):
    return len(available(groups))
"""
OUTER = """\
from app.doors import call

def console(line):
    return call(line, ())
"""


def proposed(root: Path, wish: Wish, **modules: str) -> Proposal:
    files = {"app/__init__.py": "", "app/model.py": MODEL, "app/gate.py": GATE}
    lay(root, files | {f"app/{name}.py": text for name, text in modules.items()})
    return propose(root, wish, ("app",), prove=False)


def rows(made: Proposal, *, sure: bool) -> dict[str, str]:
    found = (one for one in made.found.surfaces if one.sure is sure)
    return {one.row.function.removeprefix("app."): one.evidence for one in found}


FILTER = Wish(seal="app.gate:available")


def test_what_is_wrapped_is_a_capability_and_not_the_wrapper(tmp_path: Path) -> None:
    draft = proposed(tmp_path, FILTER, doors=DOORS).draft
    assert draft is not None
    assert (draft.verdict, draft.subject) == ("filters", ("groups",))
    found = {one.ref.removeprefix("app.model:"): one.sure for one in draft.capabilities}
    assert found["Tool.run"]
    assert "Registered.tool" not in found
    assert {one.grant for one in draft.capabilities if one.ref.endswith("Tool.run")} == {"call"}


def test_a_private_helper_belongs_to_those_that_call_it(tmp_path: Path) -> None:
    made = proposed(tmp_path, FILTER, doors=DOORS)
    sure = rows(made, sure=True)
    assert set(sure) == {"doors:call"}
    (call,) = (one for one in made.found.surfaces if one.row.function == "app.doors:call")
    assert [step.note for step in call.way] == ["entered", "calls app.doors:_run", "lets out app.model:Tool.run"]
    assert call.asks


def test_who_only_asks_or_only_leads_there_is_left_to_people(tmp_path: Path) -> None:
    unsure = rows(proposed(tmp_path, FILTER, doors=DOORS, outer=OUTER), sure=False)
    assert unsure["doors:count"] == "asks the seal; what gets out of it?"
    assert unsure["outer:console"] == "leads to app.doors:call: a surface of its own, or covered by that one?"


PASSING = """\
from app.gate import allowed
from app.model import SHELF

def passing(asker):
    return [one.tool.description for one in SHELF.values() if allowed(one.tool, asker)]
"""


def test_what_several_modules_call_is_a_helper_and_they_are_the_surfaces(tmp_path: Path) -> None:
    user = "from app.passing import passing\n\ndef {0}(asker):\n    return passing(asker)\n"
    made = proposed(
        tmp_path, Wish(seal="app.gate:allowed"), passing=PASSING, one=user.format("shown"), two=user.format("told")
    )
    assert set(rows(made, sure=True)) == {"one:shown", "two:told"}
    assert rows(made, sure=False)["passing:passing"].endswith("a surface, or a helper of theirs?")


def test_one_that_goes_past_the_seal_is_told_apart(tmp_path: Path) -> None:
    past = "from app.model import SHELF\n\ndef past(name):\n    return SHELF[name].tool.description\n"
    made = proposed(tmp_path, Wish(seal="app.gate:allowed"), passing=PASSING, past=past)
    asks = {one.row.function: one.asks for one in made.found.surfaces if one.sure}
    assert asks == {"app.passing:passing": True, "app.past:past": False}


def test_without_a_seal_the_ways_to_a_known_capability_are_told(tmp_path: Path) -> None:
    past = "from app.model import SHELF\n\ndef past(name):\n    return SHELF[name].tool.description\n"
    lay(tmp_path, {"app/__init__.py": "", "app/model.py": MODEL, "app/past.py": past})
    made = propose(tmp_path, Wish(capabilities=("app.model:Tool.description",)), ("app",), prove=False)
    assert made.draft is None
    assert not made.complete
    assert [(one.row.function, one.asks) for one in made.found.surfaces] == [("app.past:past", False)]


FILES = """\
class Disk:
    def read(self, path):
        return open(path).read()

    def tidy(self, path):
        return path.strip()

def denied(path, rules) -> bool:
    '''Whether the rules forbid it.'''
    return any(path.startswith(rule) for rule in rules)

class Files:
    def __init__(self, disk: Disk, rules):
        self.disk, self.rules = disk, rules
        self.disk: Disk = disk

    def show(self, path):
        clean = self.disk.tidy(path)
        if denied(clean, self.rules):
            return ""
        return self.disk.read(path=clean)
"""


def test_what_gets_the_name_after_the_seal_was_asked_about_it_is_a_capability(tmp_path: Path) -> None:
    """And what got it before, to make it ready, is none."""
    lay(tmp_path, {"app/__init__.py": "", "app/files.py": FILES})
    made = propose(tmp_path, Wish(seal="app.files:denied"), ("app",), prove=False)
    assert made.draft is not None
    assert made.draft.subject == ("path",)
    assert [one.ref for one in made.draft.capabilities if one.sure] == ["app.files:Disk.read"]
    assert set(rows_of(made, "app.files:")) == {"Files.show"}


def rows_of(made: Proposal, module: str) -> list[str]:
    return [one.row.function.removeprefix(module) for one in made.found.surfaces if one.sure]


TABLE = """\
from app.gate import available

async def prepare(request, groups):
    request.tools = available(groups)
"""
RUNNERS = """\
from app.model import Tool

async def now(tool: Tool):
    return tool.run()

async def later(tool: Tool):
    return tool.run()

async def once(tool: Tool):
    return tool.description
"""


def test_where_nothing_is_let_out_in_sight_of_the_seal_what_is_done_with_the_things_counts(tmp_path: Path) -> None:
    """In more than one place; what is done in one only is left to people."""
    gate = "from app.model import Tool\n\nTOOLS: list[Tool] = []\n\ndef available(groups) -> list[Tool]:\n"
    gate += "    return [tool for tool in TOOLS if tool.owner in groups]\n"
    made = proposed(tmp_path, FILTER, gate=gate, table=TABLE, runners=RUNNERS)
    assert made.draft is not None
    found = {one.ref.removeprefix("app.model:"): (one.sure, one.evidence) for one in made.draft.capabilities}
    assert found["Tool.run"] == (True, "used without the seal in sight at app/runners.py:4, app/runners.py:7")
    assert not found["Tool.description"][0]


def test_the_prover_answers_a_line_for_each_function_that_it_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lay(tmp_path, FULL)
    draft = {
        "code": ["agent"], "seal": "agent.seal:sealed", "verdict": "sealed", "subject": ["categories"],
        "principal": {"thread_category": None}, "state": [], "capabilities": [["agent.store:Skill.body", "value", False]],
    }  # fmt: skip
    asked = {"root": str(tmp_path), "draft": draft, "functions": ["agent.doors:activate", "agent.more:peek"]}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(asked)))
    assert proving.main() == 0
    answered = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answered == [
        {"function": "agent.doors:activate", "verdict": "proved", "level": 5, "reason": None},
        {"function": "agent.more:peek", "verdict": "refuted", "level": 0, "reason": "never-reaches-seal"},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({**asked, "draft": {**draft, "seal": "agent.seal:gone"}})))
    assert proving.main() == 0
    assert "agent.seal:gone" in json.loads(capsys.readouterr().out)["problem"]


FOREIGN = """\
from elsewhere.tools import BaseTool

def allowed(tool: BaseTool, asker) -> bool:
    return tool.owner == asker

def run(tool: BaseTool, asker):
    if not allowed(tool, asker):
        return ""
    return tool.invoke({})

def show(tool: BaseTool, asker):
    return tool.description if allowed(tool, asker) else ""
"""


def test_of_another_packages_tool_what_is_called_is_a_capability_and_its_fields_are_not(tmp_path: Path) -> None:
    """The prover follows calls out of the code, and no fields."""
    lay(tmp_path, {"app/__init__.py": "", "app/tools.py": FOREIGN})
    made = propose(tmp_path, Wish(), ("app",), prove=False)
    assert made.draft is not None
    found = [(one.ref, one.grant, one.sure) for one in made.draft.capabilities]
    assert found == [("elsewhere.tools:BaseTool.invoke", "call", True)]
    assert rows_of(made, "app.tools:") == ["run"]


GATED = """\
from google.adk.agents import LlmAgent

from app.model import SHELF

def gate(tool, args, tool_context): ...

def pay(name):
    return name

root = LlmAgent(name="a", tools=[pay], before_tool_callback=gate)
"""
OF_ALL = """\
from app.model import SHELF, Tool

def hidden(tool: Tool) -> bool:
    return tool.owner == ""

def show(name):
    tool = SHELF[name].tool
    if hidden(tool):
        return None
    return tool.description

def index():
    return [one.tool.description for one in SHELF.values() if not hidden(one.tool)]
"""


def test_the_written_registry_says_what_a_framework_asks(tmp_path: Path) -> None:
    text = registry(proposed(tmp_path, Wish(seal="app.gate:allowed"), gated=GATED, passing=PASSING))
    assert "google-adk asks app.gated:gate about each tool (handed over as `before_tool_callback`)" in text
    assert "does it ask the seal?" in text
    assert "google-adk calls app.gated:pay (handed over as `tools`), and nothing declared above gets out of it" in text


def test_a_seal_that_is_the_same_for_all_has_no_principal(tmp_path: Path) -> None:
    made = proposed(tmp_path, Wish(seal="app.all:hidden"), all=OF_ALL)
    assert made.draft is not None
    assert (made.draft.verdict, made.draft.subject, made.draft.principal) == ("sealed", ("tool",), {})
    text = registry(made)
    assert "  subject: [tool]\n" in text
    assert "principal" not in text.partition("capabilities:")[0]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("def seal(asker) -> list[Tool]:\n    return [one.tool for one in SHELF.values()]\n", "filters"),
        ("def seal(tool, asker):\n    if tool != asker:\n        raise PermissionError\n", "raises"),
        ("def seal(tool, asker):\n    return tool.owner == asker\n", "sealed"),
    ],
)
def test_a_seal_that_is_given_and_never_asked_is_read_by_its_text(tmp_path: Path, text: str, verdict: str) -> None:
    made = proposed(tmp_path, Wish(seal="app.alone:seal"), alone=f"from app.model import SHELF, Tool\n\n\n{text}")
    assert made.draft is not None
    assert made.draft.verdict == verdict
