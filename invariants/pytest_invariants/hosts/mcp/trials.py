"""Which names are tried, and with what: unknown ones always, listed ones only where that can do no harm."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from pytest_invariants.hosts.mcp.kinds import NAMED, PROMPTS, RESOURCES, TOOLS, Kind, Object
from pytest_invariants.hosts.mcp.seen import PARTIAL, SPELLED, UNKNOWN, WHOLE, Listing

SPELLED_NAMES, USED = 3, 20
"""Names of one kind whose spellings are tried; things of one kind that are used."""
NO_SUCH = {"tools/call": "no_such_tool_7c1e", "prompts/get": "no_such_prompt_7c1e"}
NO_SUCH_URI = "no-such-scheme-7c1e://nothing"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the user allows to be called, with the arguments to call it with."""

    tool: str
    arguments: Object


@dataclass(frozen=True, slots=True)
class Plan:
    """One use that is to be tried."""

    kind: Kind
    role: str
    name: str
    of: str = ""
    arguments: Object = field(default_factory=dict)

    @property
    def params(self) -> Object:
        if self.kind.uses == "resources/read":
            return {"uri": self.name}
        return {"name": self.name, "arguments": self.arguments} if self.kind is TOOLS else {"name": self.name}


def unknown_names(lists: Collection[str]) -> tuple[Plan, ...]:
    """A name that nothing has, of each kind that there is a list of."""
    return tuple(Plan(kind, UNKNOWN, NO_SUCH.get(kind.uses, NO_SUCH_URI)) for kind in NAMED if kind.lists in lists)


def harmless_uses(lists: Mapping[str, Listing]) -> tuple[Plan, ...]:
    """Tools that say they only read, resources, and prompts: each as its list says, then under other spellings."""
    tools = [item for item in _items(lists, TOOLS) if reads_only(item)]
    plans = [_tool(item) for item in tools[:USED]]
    plans += [Plan(RESOURCES, WHOLE, item["uri"]) for item in _items(lists, RESOURCES)[:USED]]
    prompts = _items(lists, PROMPTS)[:USED]
    plans += [Plan(PROMPTS, PARTIAL if _needs(item) else WHOLE, item["name"]) for item in prompts]
    plans += _spellings(TOOLS, [plan for plan in plans if plan.kind is TOOLS], lists)
    plans += _spellings(PROMPTS, [plan for plan in plans if plan.kind is PROMPTS], lists)
    return tuple(plans)


def allowed_calls(calls: Iterable[Call]) -> tuple[Plan, ...]:
    return tuple(Plan(TOOLS, WHOLE, call.tool, arguments=call.arguments) for call in calls)


def reads_only(tool: Object) -> bool:
    """Whether a tool says of itself that calling it changes nothing."""
    annotations = tool.get("annotations")
    return isinstance(annotations, Mapping) and annotations.get("readOnlyHint") is True


def _items(lists: Mapping[str, Listing], kind: Kind) -> tuple[Object, ...]:
    return lists[kind.lists].items if kind.lists in lists else ()


def _tool(tool: Object) -> Plan:
    """Without arguments: whole where none is required, and otherwise a call that has to be refused."""
    schema = tool.get("inputSchema")
    required = schema.get("required") if isinstance(schema, Mapping) else None
    return Plan(TOOLS, PARTIAL if required else WHOLE, tool["name"])


def _needs(prompt: Object) -> bool:
    arguments = prompt.get("arguments")
    listed = arguments if isinstance(arguments, list) else []
    return any(isinstance(one, Mapping) and one.get("required") is True for one in listed)


def _spellings(kind: Kind, plans: list[Plan], lists: Mapping[str, Listing]) -> list[Plan]:
    known = set(lists[kind.lists].names) if kind.lists in lists else set()
    return [
        Plan(kind, SPELLED, spelled, of=plan.name, arguments=plan.arguments)
        for plan in plans[:SPELLED_NAMES]
        for spelled in dict.fromkeys(other_spellings(plan.name))
        if spelled not in known
    ]


def other_spellings(name: str) -> Iterator[str]:
    """Names that are not this one, and that lossy handling would take for it."""
    yield name.swapcase()
    yield f" {name}"
    yield f"{name} "
    yield name.replace("_", "-") if "_" in name else name.replace("-", "_")
    yield f"%{ord(name[0]):02X}{name[1:]}" if name.isascii() and name else quote(name)
    yield name.translate(_WIDE)
    yield f"{name}\u200b"


_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""ASCII to its full-width forms, which NFKC turns back."""
