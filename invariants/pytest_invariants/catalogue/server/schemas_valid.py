"""The schema of every tool is a JSON schema of an object, and describes what it requires.

What it states
    `inputSchema` is there, is valid by the dialect that it names (2020-12 where it names none), and is of the type
    `object`; so is `outputSchema` where there is one. Every reference in it leads somewhere. Every property that is
    required is described.

Why it matters
    Clients compile the schema to check arguments, and hand it to a provider that checks it again. One schema that does
    not compile takes the whole request down with it, and with it every other tool.

A failing example
    ::

        {"type": "object", "properties": {"city": {"type": "str"}}, "required": ["town"]}

    Refuted, `malformed`: 'str' is no type of JSON Schema.

The repair
    Let a library write the schema from the function's types, and compile it once when the server starts.

Its limits
    References to other documents are not fetched; they are reported, since a client would not fetch them either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import TOOLS, Object
from pytest_invariants.hosts.mcp.seen import Seen
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.verdict import Reason

ID = "schemas-valid"
REMEDY = "correct the schema; a library that writes it from types does"


def judge(seen: Seen, _method: str) -> str:
    tools = seen.listing(TOOLS).items
    wrong = [problem for tool in tools for problem in problems(tool)]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise Fallen(Reason.MALFORMED, f"{wrong[0]}{more}", REMEDY, tuple(wrong[:12]) if more else ())
    outputs = sum("outputSchema" in tool for tool in tools)
    return f"{len(tools)} schemas of arguments and {outputs} of results are valid"


def problems(tool: Object) -> Iterator[str]:
    """What is wrong with the schemas of one tool, in words."""
    if "inputSchema" not in tool:
        yield f"`{tool['name']}` has no `inputSchema`"
    for key in ("inputSchema", "outputSchema"):
        if key in tool:
            yield from (f"`{tool['name']}`, {key}: {problem}" for problem in _wrong(tool[key]))


def _wrong(schema: object) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        yield f"it is {schema!r:.40}, which is no schema of an object"
        return
    if schema.get("type") != "object":
        yield f"its type is {schema.get('type')!r:.40}, and it has to be 'object'"
    invalid = _invalid(schema)
    if invalid:
        yield invalid
        return
    yield from (f"`$ref` {ref!r} leads nowhere in it" for ref in _references(schema) if not _leads(schema, ref))
    properties, required = schema.get("properties", {}), schema.get("required", [])
    yield from (f"it requires {name!r} and does not describe it" for name in required if name not in properties)


def _invalid(schema: Object) -> str:
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema, default=Draft202012Validator).check_schema(dict(schema))
    except SchemaError as error:
        where = "/".join(map(str, error.absolute_path))
        return f"{error.message:.120}" + (f" (at {where})" if where else "")
    return ""


def _references(part: object) -> Iterator[str]:
    if isinstance(part, Mapping):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference
        yield from (found for value in part.values() for found in _references(value))
    elif isinstance(part, Sequence) and not isinstance(part, str):
        yield from (found for value in part for found in _references(value))


def _leads(schema: Object, reference: str) -> bool:
    """Whether a reference within the document finds something; an anchor or an `$id` is looked for by its name."""
    if not reference.startswith("#"):
        return reference == schema.get("$id")
    part: object = schema
    for step in filter(None, reference[1:].split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(part, Mapping) and key in part:
            part = part[key]
        elif isinstance(part, list) and key.isdecimal() and int(key) < len(part):
            part = part[int(key)]
        else:
            return f"'$anchor': {reference[1:]!r}" in str(schema)
    return True


INVARIANT = Invariant(
    id=ID, family="server", scope=Scope.SURFACE, page=__doc__ or "", serve=Serve((TOOLS.lists,), judge)
)
