"""Arguments made from a tool's JSON schema: some that it accepts, and those that break one rule of it each.

Only rules are broken that stand in the schema in plain words; what hides behind `anyOf`, `$ref` and the like is left
alone. So whatever comes out is surely against the schema, and not everything that is against it comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_invariants.probe.declared import Schema

SAMPLES: Mapping[str, object] = {
    "string": "1", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}, "null": None,
}  # fmt: skip
STRANGERS: Mapping[str, object] = {
    "string": 7, "integer": "seven", "number": "seven", "boolean": "perhaps", "array": "a, b", "object": "a: b",
}  # fmt: skip
"""Of each type a value that is none of it, and that nobody would turn into one."""
COMBINED = frozenset({"anyOf", "oneOf", "allOf", "not", "$ref", "if"})
UNKNOWN = "no_such_parameter"


def accepted(schema: Schema) -> object:
    """A value that a plain schema accepts: its first example, its default, or a small one of its type."""
    for key in ("examples", "enum"):
        if isinstance(found := schema.get(key), list) and found:
            return found[0]
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("anyOf", "oneOf"):
        if isinstance(found := schema.get(key), list) and found and isinstance(found[0], Mapping):
            return accepted(found[0])
    return _of_type(schema)


def _of_type(schema: Schema) -> object:
    kind = _kind(schema)
    if kind == "object":
        return {name: accepted(part) for name, part in _properties(schema).items() if name in _required(schema)}
    if kind == "array" and isinstance(schema.get("minItems"), int) and isinstance(schema.get("items"), Mapping):
        return [accepted(schema["items"])] * int(str(schema["minItems"]))  # type: ignore[arg-type]
    if kind == "string":
        return "1" * max(1, _number(schema, "minLength", 1))
    if kind in ("integer", "number"):
        return _number(schema, "minimum", min(1, _number(schema, "maximum", 1)))
    return SAMPLES[kind]


def spoiled(schema: Schema, arguments: Mapping[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    """The rule that is broken, in words, and the arguments that break it and no other."""
    if COMBINED & schema.keys():
        return
    for name in sorted(_required(schema) & arguments.keys()):
        yield f"`{name}` is missing", {key: value for key, value in arguments.items() if key != name}
    if schema.get("additionalProperties") is False and "patternProperties" not in schema:
        yield f"there is no parameter `{UNKNOWN}`", {**arguments, UNKNOWN: "1"}
    for name, part in _properties(schema).items():
        for words, value in _broken(part):
            yield f"`{name}` {words}", {**arguments, name: value}


def _broken(schema: Schema) -> Iterator[tuple[str, object]]:
    """Values that break one rule of a property."""
    if COMBINED & schema.keys():
        return
    kind = schema.get("type")
    if isinstance(kind, str) and kind in STRANGERS:
        yield f"is no {kind}", STRANGERS[kind]
    choices = schema.get("enum")
    if isinstance(choices, list) and "no-such-choice" not in choices and kind in (None, "string"):
        yield "is none of the choices", "no-such-choice"
    yield from {"string": _broken_text, "integer": _broken_number, "number": _broken_number, "array": _broken_list}.get(
        str(kind), _nothing
    )(schema)


def _broken_text(schema: Schema) -> Iterator[tuple[str, object]]:
    if _number(schema, "minLength", 0) > 0:
        yield "is too short", ""
    if "maxLength" in schema:
        yield "is too long", "1" * (_number(schema, "maxLength", 0) + 1)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            odd = next((text for text in ("?!", "\n", "") if not re.search(pattern, text)), None)
        except re.error:
            return
        if odd is not None:
            yield "does not match its pattern", odd


def _broken_number(schema: Schema) -> Iterator[tuple[str, object]]:
    for key, step in (("minimum", -1), ("exclusiveMinimum", 0), ("maximum", 1), ("exclusiveMaximum", 0)):
        bound = schema.get(key)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            yield "is out of bounds", bound + step


def _broken_list(schema: Schema) -> Iterator[tuple[str, object]]:
    items = schema.get("items")
    if _number(schema, "minItems", 0) > 0:
        yield "has too few items", []
    if isinstance(items, Mapping):
        yield from ((f"has an item that {words}", [value]) for words, value in _broken(items))


def _nothing(_schema: Schema) -> Iterator[tuple[str, object]]:
    return iter(())


def _kind(schema: Schema) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    found = kind[0] if isinstance(kind, list) and kind else kind
    return found if isinstance(found, str) and found in SAMPLES else "string"


def _properties(schema: Schema) -> dict[str, Schema]:
    found = schema.get("properties")
    return {name: part for name, part in found.items() if isinstance(part, Mapping)} if isinstance(found, dict) else {}


def _required(schema: Schema) -> frozenset[str]:
    found = schema.get("required")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def _number(schema: Schema, key: str, otherwise: int) -> int:
    found = schema.get(key)
    return int(found) if isinstance(found, int | float) and not isinstance(found, bool) else otherwise
