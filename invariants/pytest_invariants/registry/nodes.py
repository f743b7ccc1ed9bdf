"""YAML text as composed nodes that know their lines. Nothing is constructed: a tag can name no Python object.

The text is examined event by event before it is composed, so that deep nesting and aliases that multiply are
refused before they cost anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import Reader

from pytest_invariants.registry.problems import Problem, RegistryError

MAX_DEPTH = 40
"""A registry nests six deep; more than this is no registry."""
MAX_NODES = 100_000
"""Nodes after every alias is followed; a registry of a thousand surfaces has some seven thousand."""

TOO_DEEP = f"the file nests deeper than {MAX_DEPTH} levels"

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_MERGE = _TAG + "merge"
_WORDS = {
    "map": "a mapping",
    "seq": "a list",
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "a truth value",
    "null": "nothing",
    "timestamp": "a date",
}


def compose(text: str, path: str) -> Node:
    """The root node of the one document in `text`.

    :raises RegistryError: with one problem, where the text is no YAML, is empty, or expands beyond the limits.
    """
    if odd := Reader.NON_PRINTABLE.search(text):
        line, column = _position(text, odd.start())
        message = f"the character {odd.group().encode('unicode_escape').decode()} is not allowed in YAML"
        raise RegistryError([Problem(path, line, column, message, "remove it")])
    try:
        _Census(path).take(text)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise RegistryError([_syntax_problem(error, text, path)]) from None
    if root is None:
        remedy = "write at least `version`, `code`, `seal`, `capabilities` and `surfaces`"
        raise RegistryError([Problem(path, 0, 0, "the registry is empty", remedy)])
    return root


def kind_of(node: Node) -> str | None:
    """The YAML type of a node (`map`, `seq`, `str`, `int`, `float`, `bool`, `null`, `timestamp`); None for others."""
    tag: str = node.tag
    kind = tag.removeprefix(_TAG)
    shape = {"map": MappingNode, "seq": SequenceNode}.get(kind, ScalarNode)
    return kind if tag.startswith(_TAG) and kind in _WORDS and isinstance(node, shape) else None


def describe(node: Node) -> str:
    """What a node is, for a message."""
    kind = kind_of(node)
    return _WORDS[kind] if kind else "a value of another type"


def line_of(node: Node) -> int:
    return int(node.start_mark.line) + 1


def column_of(node: Node) -> int:
    return int(node.start_mark.column) + 1


def entries(node: Node) -> Iterator[tuple[Node, Node]]:
    """The entries of a mapping, its own first and then what its merge keys (`<<`) add."""
    merged: list[Node] = []
    for key, value in own_entries(node):
        if key.tag != _MERGE:
            yield key, value
        elif isinstance(value, SequenceNode):
            merged.extend(value.value)
        else:
            merged.append(value)
    for source in merged:
        yield from entries(source)


def own_entries(node: Node) -> list[tuple[Node, Node]]:
    """The entries that are written in the mapping itself, merge keys included; none where the node is no mapping."""
    return list(node.value) if isinstance(node, MappingNode) else []


@dataclass
class _Open:
    """A collection that has begun: its anchor, its nodes so far and its depth below itself."""

    anchor: str | None
    size: int = 1
    depth: int = 1


@dataclass
class _Census:
    """Counts the nodes and the depth that a text has once every alias is followed."""

    path: str
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Open | None] = field(default_factory=dict)

    def take(self, text: str) -> None:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                self._begin(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                done = self.stack.pop()
                self._add(done, done.anchor, event)
            elif isinstance(event, yaml.ScalarEvent):
                self._add(_Open(event.anchor), event.anchor, event)
            elif isinstance(event, yaml.AliasEvent):
                self._follow(event)

    def _begin(self, event: yaml.CollectionStartEvent) -> None:
        if len(self.stack) >= MAX_DEPTH:
            self._refuse(event, TOO_DEEP, "a registry needs six: flatten it")
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(event.anchor))

    def _follow(self, event: yaml.AliasEvent) -> None:
        target = self.anchors.get(str(event.anchor), _Open(None))
        if target is None:
            self._refuse(event, f"the alias `*{event.anchor}` stands inside what it names", "write the value out")
        else:
            self._add(target, None, event)

    def _add(self, node: _Open, anchor: str | None, event: yaml.Event) -> None:
        if anchor:
            self.anchors[anchor] = node
        if len(self.stack) + node.depth > MAX_DEPTH:
            self._refuse(event, TOO_DEEP, "a registry needs six: flatten it")
        if self.stack:
            parent = self.stack[-1]
            parent.size += node.size
            parent.depth = max(parent.depth, node.depth + 1)
            if parent.size > MAX_NODES:
                self._refuse(
                    event, f"the file holds more than {MAX_NODES} values once aliases are followed", "shorten it"
                )

    def _refuse(self, event: yaml.Event, message: str, remedy: str) -> None:
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise RegistryError([Problem(self.path, line, column, message, remedy)])


def _syntax_problem(error: yaml.YAMLError, text: str, path: str) -> Problem:
    if not isinstance(error, yaml.MarkedYAMLError):
        return Problem(path, 0, 0, f"no YAML: {' '.join(str(error).split())}", "correct the syntax")
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    if mark and text.splitlines()[mark.line : mark.line + 1] and _tab_at(text, mark.line, mark.column):
        return Problem(path, line, column, "a tab stands where YAML wants spaces", "indent with spaces")
    said = " ".join(f"{error.context or ''}: {error.problem or ''}".strip(": ").split())
    return Problem(path, line, column, f"no YAML: {said}", "correct the syntax at this place")


def _tab_at(text: str, line: int, column: int) -> bool:
    return text.splitlines()[line][column : column + 1] == "\t"


def _position(text: str, index: int) -> tuple[int, int]:
    before = text[:index]
    return before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1
