"""Which function is taken for the seal: by how it is asked and what depends on it; a name alone makes no seal."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from pytest_invariants.scaffold.proposal import Wish, propose
from pytest_invariants.scaffold.reading import read_code
from pytest_invariants.scaffold.seals import candidates
from pytest_invariants.scaffold.weighing import Weighed

from tests.scaffold.agents import lay

MODEL = """\
from dataclasses import dataclass


@dataclass
class Tool:
    name: str
    description: str
    owner: str

    def run(self, **arguments):
        return self.owner


TOOLS: list[Tool] = []


def by_name(name) -> Tool:
    return next(tool for tool in TOOLS if tool.name == name)
"""
PREDICATE = """\
def is_open(tool: Tool, asker):
    return tool.owner == asker

def index(asker):
    return [tool.description for tool in TOOLS if is_open(tool, asker)]

def call(name, asker):
    tool = by_name(name)
    if not is_open(tool, asker):
        return None
    return tool.run()
"""
REASON = """\
def why_not(tool: Tool, asker) -> str | None:
    if tool.owner != asker:
        return f"{tool.name} is not yours"
    return None

def show(name, asker):
    tool = by_name(name)
    if (refusal := why_not(tool, asker)) is not None:
        return refusal
    return tool.description

def call(name, asker):
    tool = by_name(name)
    refusal = why_not(tool, asker)
    if refusal:
        return refusal
    return tool.run()
"""
LOOK_UP = """\
class Refused(Exception): ...

def resolve(name, asker) -> Tool:
    tool = by_name(name)
    if tool.owner != asker:
        raise Refused(name)
    return tool

def show(name, asker):
    return resolve(name, asker).description

def call(name, asker):
    tool = resolve(name, asker)
    return tool.run()
"""
FILTER = """\
class Box:
    def __init__(self, tools: list[Tool]):
        self.tools = tools

    async def of(self, asker) -> list[Tool]:
        return [tool for tool in self.tools if tool.owner == asker]

async def index(box: Box, asker):
    return [tool.description for tool in await box.of(asker)]

async def call(box: Box, name, asker):
    tools = {tool.name: tool for tool in await box.of(asker)}
    return tools[name].run()
"""
RAISES = """\
class Refused(Exception): ...

def require(tool: Tool, asker):
    if tool.owner != asker:
        raise Refused(tool.name)

def show(name, asker):
    tool = by_name(name)
    require(tool, asker)
    return tool.description

def call(name, asker):
    tool = by_name(name)
    require(tool, asker)
    return tool.run()
"""
ENTERS = """\
import contextlib

@contextlib.contextmanager
def opened(tool: Tool, asker):
    if tool.owner != asker:
        raise PermissionError
    yield

def show(name, asker):
    tool = by_name(name)
    with opened(tool, asker):
        return tool.description

def call(name, asker):
    tool = by_name(name)
    with opened(tool, asker):
        return tool.run()
"""
FORMS = {
    "allowed": (PREDICATE, "is_open"),
    "sealed": (REASON, "why_not"),
    "raises": (RAISES, "require"),
    "raises, and gives what was asked for": (LOOK_UP, "resolve"),
    "filters": (FILTER, "Box.of"),
    "enters": (ENTERS, "opened"),
}


def ranked(root: Path, text: str) -> list[Weighed]:
    lay(root, {"app/__init__.py": "", "app/model.py": MODEL, "app/main.py": f"from app.model import *\n{IMPORT}{text}"})
    read = read_code(root, ("app",))
    return read.scales.ranked(candidates(read.graph, read.things))


IMPORT = "from app.model import TOOLS, Tool, by_name\n\n"


@pytest.mark.parametrize(("form", "name"), FORMS.values(), ids=FORMS)
def test_each_form_in_which_a_function_decides_is_found_first(
    tmp_path: Path, request: pytest.FixtureRequest, form: str, name: str
) -> None:
    verdict = request.node.callspec.id.partition(",")[0]
    first = ranked(tmp_path, form)[0].candidate
    assert (first.function.ref, first.verdict) == (f"app.main:{name}", verdict)


@pytest.mark.parametrize(("form", "name"), FORMS.values(), ids=FORMS)
def test_one_that_nobody_obeys_is_no_candidate(tmp_path: Path, form: str, name: str) -> None:
    """The same function, and what it says goes nowhere."""
    alone = form.partition("\n\ndef ")[0].partition("\n\nasync def ")[0]
    assert f"app.main:{name}" not in [one.candidate.function.ref for one in ranked(tmp_path, alone)]


def test_a_name_alone_makes_no_seal(tmp_path: Path) -> None:
    """It is called like one, is asked by three, and nothing that an agent gives out depends on it."""
    text = PREDICATE + (
        "\n\ndef permission_allowed(color):\n    '''Whether it is permitted.'''\n    return color == 'red'\n"
        + "".join(f"\ndef paint_{n}(color):\n    return 1 if permission_allowed(color) else 2\n" for n in range(3))
    )
    refs = [one.candidate.function.ref for one in ranked(tmp_path, text)]
    assert refs.index("app.main:is_open") < refs.index("app.main:permission_allowed")


def test_what_hands_on_the_answer_comes_after_what_decides(tmp_path: Path) -> None:
    """However many ask by way of it."""
    text = PREDICATE + (
        "\n\ndef open_to(tool: Tool, asker) -> bool:\n    if is_open(tool, asker):\n        return True\n    return False\n"
        + "".join(
            f"\ndef door_{n}(name, asker):\n    tool = by_name(name)\n    if open_to(tool, asker):\n        return tool.run()\n"
            for n in range(4)
        )
    )
    found = ranked(tmp_path, text)
    refs = [one.candidate.function.ref for one in found]
    assert refs.index("app.main:is_open") < refs.index("app.main:open_to")
    outer = found[refs.index("app.main:open_to")]
    assert "it asks app.main:is_open itself" in [reason.said for reason in outer.reasons]


def test_a_look_up_that_finds_nothing_is_no_refusal(tmp_path: Path) -> None:
    """`None` refuses there: it is not the reason why not."""
    text = """\
def find(name) -> str | None:
    return {"a": "b"}.get(name)

def show(name):
    found = find(name)
    if found is None:
        return ""
    return by_name(found).description
"""
    assert "app.main:find" not in [one.candidate.function.ref for one in ranked(tmp_path, text)]


def test_the_subject_is_the_thing_and_the_principal_the_other(tmp_path: Path) -> None:
    """Where callers draw the one from a table of the module, and get the other from a function: both alike."""
    text = """\
SHELF: dict[str, Tool] = {}

def may(user, tool) -> bool:
    return tool.owner == user.name

def show(name, request):
    user = whose(request)
    tool = SHELF.get(name)
    if tool is None or not may(user, tool):
        return ""
    return tool.description

def index(request):
    user = whose(request)
    return [tool.description for tool in SHELF.values() if may(user, tool)]

def whose(request):
    return request.user
"""
    lay(tmp_path, {"app/__init__.py": "", "app/model.py": MODEL, "app/main.py": IMPORT + text})
    draft = propose(tmp_path, Wish(), ("app",), prove=False).draft
    assert draft is not None
    assert (draft.seal, draft.verdict, draft.subject) == ("app.main:may", "allowed", ("tool",))
    assert list(draft.principal) == ["user"]
    assert [one.ref for one in draft.capabilities if one.sure] == ["app.model:Tool.description"]
    assert "2 of 2 let out or run what an agent gives out" in draft.evidence


@pytest.mark.parametrize(("name", "doubted"), [("is_open", True), ("may_have", False)])
def test_a_seal_that_nothing_calls_one_is_said_to_be_a_guess(tmp_path: Path, name: str, doubted: bool) -> None:
    text = IMPORT + PREDICATE.replace("is_open", name)
    lay(tmp_path, {"app/__init__.py": "", "app/model.py": MODEL, "app/main.py": text})
    said = f"neither name nor docstring of app.main:{name} speaks of a right to anything: is it the seal?"
    assert (said in propose(tmp_path, Wish(), ("app",), prove=False).doubts) is doubted
    assert said not in propose(tmp_path, Wish(seal=f"app.main:{name}"), ("app",), prove=False).doubts


def test_an_answer_that_is_written_out_by_all_callers_is_not_the_subject(tmp_path: Path) -> None:
    from pytest_invariants.scaffold.roles import roles_of

    text = """\
def denied(operation, tool: Tool, asker) -> bool:
    return operation == "run" and tool.owner != asker

def show(name, asker):
    tool = by_name(name)
    if denied("read", tool, asker):
        return ""
    return tool.description

def call(name, asker):
    tool = by_name(name)
    if denied("run", tool, asker):
        return ""
    return tool.run()
"""
    lay(tmp_path, {"app/__init__.py": "", "app/model.py": MODEL, "app/main.py": IMPORT + text})
    read = read_code(tmp_path, ("app",))
    one = read.scales.ranked(candidates(read.graph, read.things))[0].candidate
    assert one.function.ref == "app.main:denied"
    assert roles_of(one, read.types, read.things).subject == ("tool",)


ODD = """\
from app.model import Tool

def strange(tool: "list[", other: "\\ud901", third: "a\\0b", deep: "{deep}") -> "Tool | ":
    return "\\ud901".join(tool), "app".upper(), "\\0".strip()

def app(tool: "Tool", name: ""):
    return "app".run() if tool.owner == name else tool.run()
"""


def test_text_where_a_type_could_stand_is_taken_for_none_and_stops_nothing(tmp_path: Path) -> None:
    """Nor is a method of text that of a function whose name the text is."""
    text = ODD.replace("{deep}", "(" * 3000)
    lay(tmp_path, {"app/__init__.py": "", "app/model.py": MODEL, "app/odd.py": text})
    read = read_code(tmp_path, ("app",))
    assert read.survey.unreadable == []
    assert {target for _, target in read.graph.calls["app.odd:app"]} == {"app.model:Tool.run"}


def test_garbage_is_collected_again_once_the_code_is_read(tmp_path: Path) -> None:
    lay(tmp_path, {"app/__init__.py": ""})
    assert gc.isenabled()
    read_code(tmp_path, ("app",))
    assert gc.isenabled()
    with pytest.raises(AttributeError):
        read_code(tmp_path, (1,))  # type: ignore[arg-type]
    assert gc.isenabled()
