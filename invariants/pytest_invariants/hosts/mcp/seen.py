"""What was seen of one server, as data: every answer in the order in which it was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_invariants.hosts.mcp.kinds import Kind, Object

METHOD_NOT_FOUND = -32601
"""The code of JSON-RPC for a method that the other side does not have."""
ODD_VERSION = "1999-12-31"
ODD_METHOD = "invariants/no-such-method"


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one request: a result, an error, or nothing (`lost` says why). Exactly one of the three is set."""

    result: Object | None = None
    code: int | None = None
    message: str = ""
    lost: str = ""

    @property
    def refused(self) -> bool:
        """Whether the server said no: by an error of the protocol, or by a result that is marked as an error."""
        return self.code is not None or (self.result is not None and self.result.get("isError") is True)

    @property
    def granted(self) -> bool:
        return self.result is not None and not self.refused

    @property
    def text(self) -> str:
        """What a model or a person would read: the error's message, or the text of the result's content."""
        if self.result is None:
            return self.lost or self.message
        content = self.result.get("content")
        parts = content if isinstance(content, list) else []
        said = [part.get("text") for part in parts if isinstance(part, Mapping)]
        return "\n".join(text for text in said if isinstance(text, str))

    def __str__(self) -> str:
        if self.lost:
            return self.lost
        if self.code is not None:
            return f"error {self.code}: {self.message:.160}"
        kind = "a result that is marked as an error" if self.refused else "a result"
        return f"{kind}: {self.text:.160}" if self.text else kind


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, gone through page by page. `fault` says why it is not whole; then `items` are what was got."""

    kind: Kind
    items: tuple[Object, ...] = ()
    pages: int = 0
    replies: tuple[Reply, ...] = ()
    fault: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return self.kind.names(self.items)

    @property
    def lines(self) -> tuple[str, ...]:
        """An item a line, as JSON with its keys in the server's order."""
        return tuple(json.dumps(item, ensure_ascii=False) for item in self.items)


@dataclass(frozen=True, slots=True)
class Visit:
    """One connection: what the server said of itself, and each list as it was given the first and the second time."""

    title: str
    greeting: Object
    first: Mapping[str, Listing]
    second: Mapping[str, Listing]


@dataclass(frozen=True, slots=True)
class Trial:
    """One use of one thing by a name. `role` says what kind of name or of arguments it was tried with."""

    kind: Kind
    role: str
    name: str
    reply: Reply
    of: str = ""
    """The listed name that this one is a spelling of."""
    arguments: Object = field(default_factory=dict)
    alive: bool = True
    """Whether the server still answered a ping afterwards."""

    def __str__(self) -> str:
        given = f" with {json.dumps(self.arguments, ensure_ascii=False):.120}" if self.kind.uses == "tools/call" else ""
        return f"{self.kind.uses} {self.name!r}{given}: {self.reply}"


UNKNOWN, SPELLED, WHOLE, PARTIAL = "unknown", "spelled", "whole", "partial"
"""Roles: a name that nothing has; another spelling of a listed name; a listed name; one whose arguments are wrong."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one list at one step: its lines before and after, and how many notices came meanwhile.

    `after` is the tool that was called, or empty where nothing was. Changes of one step have the same number.
    """

    step: int
    kind: Kind
    after: str
    before: tuple[str, ...]
    now: tuple[str, ...]
    notices: int


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was seen. `visits` are connections to fresh servers (over HTTP: fresh sessions), the first one first."""

    target: str
    starts: bool
    visits: tuple[Visit, ...]
    trials: tuple[Trial, ...] = ()
    changes: tuple[Change, ...] = ()
    untried: tuple[str, ...] = ()
    """Listed tools that were not called, since nobody allowed it."""
    strays: tuple[str, ...] = ()
    """What came that is no message of the protocol, or answers nothing that was asked."""
    asked: Mapping[str, Reply] = field(default_factory=dict)
    """The answers to single requests, by their method; `version` is the greeting of a client of an odd revision."""
    revisions: tuple[str, ...] = ()
    """The revisions of the protocol that there are, as the client knows them."""

    @property
    def greeting(self) -> Object:
        return self.visits[0].greeting

    @property
    def capabilities(self) -> Object:
        found = self.greeting.get("capabilities")
        return found if isinstance(found, Mapping) else {}

    def declares(self, kind: Kind) -> bool:
        return kind.capability in self.capabilities

    def told(self, kind: Kind) -> bool:
        """Whether the server says that it will tell of changes of this list."""
        declared = self.capabilities.get(kind.capability)
        return isinstance(declared, Mapping) and declared.get("listChanged") is True

    def listing(self, kind: Kind) -> Listing:
        return self.visits[0].first.get(kind.lists) or Listing(kind)

    def ever_listed(self, kind: Kind) -> frozenset[str]:
        """The names that any list of this kind had, on any connection, before or after any call."""
        found = {name for visit in self.visits for lists in (visit.first, visit.second) for name in _names(lists, kind)}
        lines = {line for change in self.changes if change.kind is kind for line in (*change.before, *change.now)}
        return frozenset(found) | frozenset(kind.names(tuple(map(json.loads, lines))))

    def tried(self, kind: Kind, *roles: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.kind is kind and trial.role in roles)


def _names(lists: Mapping[str, Listing], kind: Kind) -> tuple[str, ...]:
    return lists[kind.lists].names if kind.lists in lists else ()
