"""YAML text as composed nodes that know their lines. Nothing is constructed: no tag can name a Python object."""

from __future__ import annotations

from collections.abc import Iterator

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import Reader

from pytest_invariants.registry.census import LOADER, Census
from pytest_invariants.registry.problems import Problem, RegistryError

_TAG = "tag:yaml.org,2002:"
MERGE = _TAG + "merge"
_WORDS = {
    "map": "a mapping",
    "seq": "a list",
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
    "timestamp": "a date",
}


EMPTY = "the registry is empty", "write at least `version`, `code`, `seal`, `capabilities` and `surfaces`"


def compose(text: str, path: str, empty: tuple[str, str] = EMPTY) -> Node:
    """The root node of the one document in `text`; `empty` is what to say, and to do, where there is none.

    :raises RegistryError: with one problem, where the text is no YAML, is empty, or is larger than any registry.
    """
    if odd := Reader.NON_PRINTABLE.search(text):
        line, column = _position(text, odd.start())
        message = f"the character {odd.group()!a} is not allowed in YAML"
        raise RegistryError([Problem(path, line, column, message, "remove it")])
    try:
        Census(path).take(text)
        root = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        raise RegistryError([_syntax_problem(error, text, path)]) from None
    if root is None or kind_of(root) == "null":
        raise RegistryError([Problem(path, 0, 0, *empty)])
    return root


def kind_of(node: Node) -> str | None:
    """The YAML type of a node (`map`, `seq`, `str`, `int`, `float`, `bool`, `null`, `timestamp`); None for others."""
    tag: str = node.tag
    kind = tag.removeprefix(_TAG)
    shape = {"map": MappingNode, "seq": SequenceNode}.get(kind, ScalarNode)
    return kind if tag.startswith(_TAG) and kind in _WORDS and isinstance(node, shape) else None


def describe(node: Node) -> str:
    """What a node is, for a message."""
    return _WORDS.get(kind_of(node) or "", "a value of another type")


def line_of(node: Node) -> int:
    return int(node.start_mark.line) + 1


def column_of(node: Node) -> int:
    return int(node.start_mark.column) + 1


def entries(node: Node) -> Iterator[tuple[Node, Node]]:
    """The entries of a mapping, its own first and then what its merge keys (`<<`) add."""
    merged: list[Node] = []
    for key, value in own_entries(node):
        if key.tag != MERGE:
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


def is_merge_source(node: Node) -> bool:
    """Whether a merge key may name this: a mapping, or a list of mappings."""
    sources = node.value if isinstance(node, SequenceNode) else [node]
    return all(isinstance(source, MappingNode) for source in sources)


def _syntax_problem(error: yaml.YAMLError, text: str, path: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return Problem(path, 0, 0, f"this is not YAML: {' '.join(str(error).split())}", "correct the syntax")
    line, column = mark.line + 1, mark.column + 1
    rest = "".join(text.splitlines()[mark.line : line])[mark.column :]
    if rest.startswith("\t"):
        return Problem(path, line, column, "a tab stands where YAML wants spaces", "indent with spaces")
    begun = getattr(error, "context_mark", None) or mark
    since = f" (begun in line {begun.line + 1})" if begun.line != mark.line else ""
    said = ": ".join(part for part in (getattr(error, "context", None), getattr(error, "problem", None)) if part)
    remedy = "correct it here, or put quotes around a value with special characters"
    return Problem(path, line, column, f"this is not YAML: {' '.join(said.split())}{since}", remedy)


def _position(text: str, index: int) -> tuple[int, int]:
    before = text[:index]
    return before.count("\n") + 1, index - before.rfind("\n")
