"""Arguments from a schema, compared with a validator: what is said to be good passes, what is spoiled does not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pytest_invariants.probe.arguments import accepted, spoiled
from pytest_invariants.probe.declared import Declared, declarations
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.waiting import Late, within

bounds = st.integers(-3, 3)
texts = st.fixed_dictionaries(
    {"type": st.just("string")}, optional={"minLength": st.integers(0, 3), "maxLength": st.integers(3, 9)}
)
numbers = st.fixed_dictionaries({"type": st.sampled_from(["integer", "number"])}, optional={"minimum": bounds})
tops = st.fixed_dictionaries({"type": st.just("integer"), "maximum": bounds})
choices = st.fixed_dictionaries({"enum": st.just(["red", "blue"])}, optional={"type": st.just("string")})
leaves = st.one_of(texts, numbers, tops, choices, st.just({"type": "boolean"}), st.just({"anyOf": [{"type": "null"}]}))
lists = st.fixed_dictionaries({"type": st.just("array"), "items": leaves}, optional={"minItems": st.integers(0, 2)})


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, object]:
    properties = draw(st.dictionaries(st.sampled_from("abc"), st.one_of(leaves, lists), max_size=3))
    required = sorted(name for name in properties if draw(st.booleans()) and "anyOf" not in properties[name])
    strict = {"additionalProperties": False} if draw(st.booleans()) else {}
    return {"type": "object", "properties": properties, "required": required, **strict}


@settings(max_examples=200, deadline=None, derandomize=True)
@given(schemas())
def test_good_arguments_are_good_and_spoiled_ones_are_not(schema: Mapping[str, object]) -> None:
    judge = Draft202012Validator(schema)
    good = accepted(schema)
    assert isinstance(good, dict)
    assert judge.is_valid(good), good
    for words, arguments in spoiled(schema, good):
        assert not judge.is_valid(arguments), (words, arguments)


NUMBER = {"type": "string", "pattern": "^[A-Z]+$", "minLength": 2, "maxLength": 3, "examples": ["AB"]}


def test_every_rule_in_plain_words_is_broken_once() -> None:
    properties = {
        "number": NUMBER,
        "cents": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
        "tags": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "colour": {"type": "string", "enum": ["red"]},
    }
    schema = {"type": "object", "properties": properties, "required": ["number"], "additionalProperties": False}
    assert [words for words, _ in spoiled(schema, {"number": "AB"})] == [
        "`number` is missing",
        "there is no parameter `no_such_parameter`",
        "`number` is no string",
        "`number` is too short",
        "`number` is too long",
        "`number` does not match its pattern",
        "`cents` is no integer",
        "`cents` is out of bounds",
        "`cents` is out of bounds",
        "`tags` is no array",
        "`tags` has too few items",
        "`tags` has an item that is no string",
        "`colour` is no string",
        "`colour` is none of the choices",
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"anyOf": [{"required": ["a"]}]},
        {"properties": {"a": {"$ref": "#/$defs/a"}}},
        {"properties": {"a": True}, "required": "a", "additionalProperties": {}},
        {"properties": {"a": {"pattern": "[", "type": "string"}}, "type": "object"},
    ],
)
def test_what_is_not_in_plain_words_is_left_alone(schema: Mapping[str, object]) -> None:
    left = [words for words, _ in spoiled(schema, {})]
    assert left in ([], ["`a` is no string"])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"examples": ["x"], "default": "y"}, "x"),
        ({"default": "y"}, "y"),
        ({"const": 3}, 3),
        ({"enum": ["b", "c"]}, "b"),
        ({"type": ["null", "string"]}, None),
        ({"type": "string", "minLength": 3}, "111"),
        ({"type": "number", "maximum": -2}, -2),
        ({"type": "array", "minItems": 2, "items": {"type": "boolean"}}, [True, True]),
        ({"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}, {"a": 1}),
        ({"type": "nonsense"}, "1"),
    ],
)
def test_a_value_that_a_schema_accepts(schema: Mapping[str, object], value: object) -> None:
    assert accepted(schema) == value


def test_tools_are_read_from_every_usual_form() -> None:
    schema = {"type": "object"}
    plain = {"name": "a", "description": "A.", "input_schema": schema}
    served = {"name": "b", "inputSchema": schema}
    inner = {"type": "function", "function": {"name": "c", "description": None, "parameters": schema}}
    found = declarations([plain, served, inner, {"name": "d"}])
    assert list(found.values()) == [
        Declared("a", "A.", schema),
        Declared("b", "", schema),
        Declared("c", "", schema),
        Declared("d", "", {}),
    ]


@pytest.mark.parametrize("table", [{"name": "a"}, "a", ["a"], [{"title": "a"}], [object()]])
def test_what_is_no_table_is_a_mistake_of_the_host(table: object) -> None:
    with pytest.raises(HostError, match="; "):
        declarations(table)


def test_what_is_waited_for() -> None:
    assert within(5, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)


def test_what_does_not_come_back_is_late() -> None:
    import threading

    gate = threading.Event()
    with pytest.raises(Late, match=r"within 0\.01 s"):
        within(0.01, gate.wait)
    gate.set()
