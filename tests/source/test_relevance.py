"""Which top-level packages are read: those that imports connect with what the registry names, and no others."""

from __future__ import annotations

import pytest
from pytest_invariants.source.relevance import related

AGENT = {
    "agent": b"",
    "agent.seal": b"def sealed(x):\n    return x\n",
    "agent.doors": b"from agent.seal import sealed\n",
}


def groups(more: dict[str, bytes], *, seeds: tuple[str, ...] = ("agent.seal",), agent: bytes = b"") -> set[str]:
    return set(related({**AGENT, "agent.more": agent, **more}, seeds, "sealed").groups)


def test_what_nothing_connects_is_left_out() -> None:
    assert groups({"crew.tools": b"import os\nfrom crew import x\n", "crew": b""}) == {"agent"}


@pytest.mark.parametrize(
    "text",
    [
        b"import agent\n",
        b"import os, agent.doors\n",
        b"from agent import doors\n",
        b"from agent.doors import (\n    activate,\n)\n",
        b"def late():\n    from agent import doors\n    return doors\n",
        b"try: import agent\nexcept ImportError: agent = None\n",
        b"patch('agent.seal.sealed')\n",
        b'ENTRY = "agent.doors:activate"\n',
        b"import importlib\nimportlib.import_module('agent')\n",
        b"\xef\xbb\xbfimport agent\n",
        b"X = 1\n\x0cimport agent\n",
        b"X = 1\rimport agent\rY = 2\r",
        b"from agent.doors \\\n    import activate\n",
        b"from \\\r\n    agent import doors\r\n",
    ],
)
def test_a_package_that_imports_a_related_one_is_related_however_it_does_it(text: bytes) -> None:
    assert groups({"crew.tools": text}) == {"agent", "crew"}


@pytest.mark.parametrize(
    "text",
    [
        b"from crew import tools\n",
        b"import crew.tools as t\n",
        b"import importlib\nimportlib.import_module(f'crew.{name}')\n",
        b"from importlib import util\nutil.spec_from_file_location(name, f'crew/{name}.py')\n",
        b"import pkgutil\npkgutil.iter_modules([ROOT / 'crew'])\n",
        b"import_string('crew.' + name)\n",
    ],
)
def test_a_package_that_a_related_one_imports_is_related(text: bytes) -> None:
    assert groups({"crew.tools": b"def show(x):\n    return x.body\n"}, agent=text) == {"agent", "crew"}


@pytest.mark.parametrize(
    "text", [b"# like agent\n", b"agents = 1\n", b"role = 'agent'\n", b"x.agent = 2\n", b"from agents import x\n"]
)
def test_the_mere_word_connects_nothing(text: bytes) -> None:
    assert groups({"crew.tools": text}) == {"agent"}


def test_connections_are_followed_on_and_back() -> None:
    chain = {"b": b"import agent\n", "c": b"", "d": b"import c\n", "e": b"import f\n", "f": b""}
    assert groups(chain | {"b.x": b"import c\n"}) == {"agent", "b", "c", "d"}


def test_another_package_of_the_same_namespace_connects_nothing() -> None:
    shared = {"google.adk": b"", "google.adk.tools": b"x = 1\n"}
    assert groups(shared, agent=b"from google.genai import types\nfrom google import genai\n") == {"agent"}
    assert groups(shared, agent=b"from google import adk\n") == {"agent", "google"}
    assert groups(shared, agent=b"from google.adk.tools import x\n") == {"agent", "google"}


def test_a_copy_of_the_seal_by_its_name_is_read() -> None:
    assert groups({"crew.rules": b"def sealed(x):\n    return not x\n"}) == {"agent", "crew"}
    assert groups({"crew.rules": b"sealed = True\n"}) == {"agent"}


def test_whoever_imports_a_foreign_package_that_the_registry_names_is_related() -> None:
    tools = {"crew.tools": b"from langchain_core.tools import tool\n", "other.x": b"tool = 1\n"}
    assert groups(tools, seeds=("agent.seal", "langchain_core.tools")) == {"agent", "crew"}


def test_groups_that_are_named_and_not_related_are_told() -> None:
    found = related({**AGENT, "agent.more": b"crew = 1\n", "crew.x": b"", "other.x": b""}, ["agent.seal"], "sealed")
    assert found.named == {"crew"}
    assert found.words == {"agent", "def sealed"}
