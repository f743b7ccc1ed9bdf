"""The JSON schema and the reader are one grammar: what the one accepts the other accepts."""

from __future__ import annotations

import json
import re
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from pytest_invariants.registry import grammar
from pytest_invariants.registry.schema import FILE, as_text, generate
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from tests.registry.samples import FULL, SMALL, mistakes, repository

SEMANTIC = "there is nothing to compare"
"""What the reader says beyond the schema, other than about folders, which the generated registries choose well."""


def _pattern(_: object, pattern: str, instance: object, __: object) -> Any:
    """Patterns as ECMA-262 reads them: `$` is the end, and not what stands before a last line end."""
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


VALIDATOR = extend(Draft7Validator, {"pattern": _pattern})(generate(), format_checker=FormatChecker(["date"]))


def as_json(node: Node) -> object:
    """A YAML document as an editor hands it to the schema: by the rules of YAML 1.2, keys as text."""
    if isinstance(node, MappingNode):
        return {key.value: as_json(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return [as_json(item) for item in node.value]
    assert isinstance(node, ScalarNode)
    if node.tag.endswith((":int", ":float", ":null")) or node.value in ("true", "false"):
        return yaml.safe_load(node.value)
    return node.value


def schema_accepts(text: str) -> bool:
    return bool(VALIDATOR.is_valid(as_json(yaml.compose(text, Loader=yaml.SafeLoader))))


def dump(data: object) -> str:
    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            return True

    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True)


def test_the_file_that_ships_is_the_one_that_is_generated() -> None:
    assert FILE.read_text(encoding="utf-8") == as_text(), "run python -m pytest_invariants.registry.schema"


def test_it_is_a_schema() -> None:
    Draft7Validator.check_schema(json.loads(as_text()))


def test_every_key_is_explained() -> None:
    def unexplained(schema: Any, trail: str) -> list[str]:
        if isinstance(schema, list):
            return [found for item in schema for found in unexplained(item, trail)]
        if not isinstance(schema, dict):
            return []
        named = schema.get("properties", {})
        bare = [f"{trail}.{name}" for name, rule in named.items() if not rule.get("description", "").endswith(".")]
        deeper = [(f"{trail}.{name}", rule) for name, rule in named.items()]
        deeper += [(trail, rule) for key, rule in schema.items() if key != "properties"]
        return bare + [found for inner, rule in deeper for found in unexplained(rule, inner)]

    assert unexplained(json.loads(as_text()), "") == []
    assert unexplained({"properties": {"a": {"properties": {"b": {}}, "description": "It."}}}, "") == [".a.b"]


def test_every_example_of_the_grammar_reads(tmp_path: Path) -> None:
    """The examples stand in messages as what to write instead."""
    optional = [field for field in grammar.REGISTRY.fields if not field.required]
    required = "\n".join(field.example for field in grammar.REGISTRY.fields if field.required)
    assert mistakes(tmp_path, required) == []
    for field in optional:
        expected = [] if field is not grammar.RESIDENCY else [SEMANTIC]
        said = mistakes(tmp_path, f"{required}\n{field.example}\n")
        assert [SEMANTIC for line in said if SEMANTIC in line] == expected
        assert len(said) == len(expected)


@pytest.mark.parametrize("text", [SMALL, FULL.replace("<<: *row, ", "manner: browse, ")])
def test_what_reads_is_valid(text: str) -> None:
    assert schema_accepts(text)


@pytest.mark.parametrize(
    "added",
    [
        "doors: {}",
        "exempt:",
        "policies: {table: per-turns}",
        "open: ['m:P', 'm:P']",
        "host: agent.host",
        "exempt: [{function: 'm:f', reason: why, expires: 2027-02-30}]",
        "  other: {function: 'm:f', manner: both, hidden_but_callable: yes}",
    ],
)
def test_what_does_not_read_is_invalid(tmp_path: Path, added: str) -> None:
    assert len(mistakes(tmp_path, f"{SMALL}{added}\n")) == 1
    assert not schema_accepts(f"{SMALL}{added}\n")


REFERENCES = st.sampled_from(["m:f", "a.b:C.d", "a:f.<locals>.g", "a:<lambda>", "é.b:ü"])
NAMES = st.sampled_from(["a", "b_1", "mcp.call", "on", "1", "x-y"])
PARAMETERS = st.sampled_from(["categories", "thread", "_x1"])
GRANTS = st.sampled_from(["value", "call"])
FOLDERS = st.sampled_from(["agent", "tools/", "my/package", "my.package", "single"])
JUNK = st.one_of(
    st.sampled_from([None, True, False, 0, 1, 2, 0.5, [], {}, [[]], ["a", "a"], {"a": 1}, {"of": "m:f"}]),
    st.sampled_from([{"is": "m:f"}, {"attribute": "ok"}, {"is": "m:f", "attribute": "ok"}, {"a": "m:f", "b": None}]),
    st.sampled_from(
        ["m:f", "m", "m:", ":f", "m:f ", "m:f\n", "m.f:", "1a:b", "m:f.<locals>", "a:b:c", "value", "both"]
    ),
    st.sampled_from(
        ["", " ", "é", "2027-06-30", "2027-02-30", "20270630", "yes", "true", "1", "sealed", "is", "keeps"]
    ),
    st.text(max_size=6),
)
OUTSIDE = st.sampled_from(
    ["../agent", "/agent", "agent/../..", "..", "a\\b", "a:b", "agent//single", "", "a\tb", None, 3]
)
"""No folders, by their form alone; `code` gets no other junk, for the schema cannot know which folders are there."""


def some(kind: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(kind, min_size=least, max_size=2, unique_by=str)


def named(kind: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[Any]:
    return st.dictionaries(NAMES, kind, min_size=least, max_size=2)


VERDICTS = st.one_of(
    st.sampled_from(["sealed", "allowed", "raises", "filters", "enters"]),
    st.builds(lambda value: {"is": value}, REFERENCES),
    st.builds(lambda name: {"attribute": name}, PARAMETERS),
)
SEALS = st.fixed_dictionaries(
    {"function": REFERENCES, "verdict": VERDICTS, "subject": some(PARAMETERS, 1)},
    optional={
        "principal": some(PARAMETERS) | st.dictionaries(PARAMETERS, st.none() | REFERENCES),
        "state": some(REFERENCES),
        "aliases": some(REFERENCES),
    },
)
CAPABILITIES = st.one_of(
    st.fixed_dictionaries({"of": REFERENCES, "grant": GRANTS}),
    st.fixed_dictionaries({"decorated": REFERENCES, "grant": GRANTS}),
)
SURFACES = st.fixed_dictionaries(
    {"function": REFERENCES, "manner": st.sampled_from(["named", "browse", "both"])},
    optional={"hidden_but_callable": st.booleans()},
)
EXEMPTIONS = st.fixed_dictionaries(
    {"function": REFERENCES, "reason": st.sampled_from(["why", "2027", "é\nü"])},
    optional={"expires": st.sampled_from(["2027-06-30", "2028-02-29"])},
)
CACHES = st.fixed_dictionaries({"of": REFERENCES, "key": some(st.sampled_from(["subject", "principal"]), 1)})
POLICIES = st.fixed_dictionaries({}, optional={f.name: st.just(f.kind.example) for f in grammar.POLICY_FIELDS})
REGISTRIES = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "code": some(FOLDERS, 1),
        "seal": SEALS,
        "capabilities": some(CAPABILITIES, 1),
        "surfaces": named(SURFACES, 1),
    },
    optional={
        "relations": some(st.fixed_dictionaries({"of": REFERENCES, "key": PARAMETERS})),
        "exempt": some(EXEMPTIONS),
        "caches": some(CACHES),
        "host": REFERENCES,
        "residency": st.fixed_dictionaries({"paths": named(REFERENCES, 1)}, optional={"central": REFERENCES}),
        "snapshots": named(REFERENCES),
        "policies": POLICIES,
        "open": some(REFERENCES),
    },
)


def places(data: Any, trail: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything inside a registry."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [way for key, value in inner for way in ((*trail, key), *places(value, (*trail, key)))]


def spoil(data: Any, draw: st.DrawFn) -> None:
    """Change one thing somewhere, perhaps for the worse."""
    way = draw(st.sampled_from(places(data)))
    holder = data
    for key in way[:-1]:
        holder = holder[key]
    how = draw(st.sampled_from(["replace", "remove", "add"]))
    if how == "replace":
        holder[way[-1]] = deepcopy(draw(OUTSIDE if way[0] == "code" else JUNK))
    elif how == "remove":
        del holder[way[-1]]
    elif isinstance(holder, list):
        holder.append(holder[way[-1]])
    else:
        holder[draw(st.sampled_from(["kind", "<<", "", "is", "of", "central", "a b", "*", "host"]))] = deepcopy(
            draw(JUNK)
        )


@st.composite
def registries(draw: st.DrawFn) -> Any:
    data = draw(REGISTRIES)
    for _ in range(draw(st.integers(0, 3))):
        if data:
            spoil(data, draw)
    return data


def test_schema_and_reader_agree(tmp_path: Path) -> None:
    repository(tmp_path)
    outcomes: Counter[str] = Counter()

    @settings(max_examples=1000, derandomize=True, deadline=None, database=None)
    @given(registries())
    def agree(written: Any) -> None:
        text = dump(written)
        said = mistakes(tmp_path, text)
        beyond = [line for line in said if SEMANTIC in line]
        valid = schema_accepts(text)
        assert valid == (len(said) == len(beyond)), (text, said)
        outcomes["valid" if valid else "invalid"] += 1
        outcomes["beyond"] += bool(valid and beyond)

    agree()
    assert min(outcomes["valid"], outcomes["invalid"]) > 150
    assert outcomes["beyond"] > 0
