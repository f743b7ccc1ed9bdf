"""The keys of a skill's frontmatter, and what each of them may hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from yaml.nodes import Node, SequenceNode

from pytest_invariants.registry.nodes import describe, kind_of, own_entries
from pytest_invariants.registry.problems import quoted
from pytest_invariants.registry.suggest import closest

Complaint: TypeAlias = tuple[str, str, Node]
"""What is wrong (after the key's name), what to do, and where."""
Rule: TypeAlias = Callable[[Node, str, bool], Iterator[Complaint]]
"""Judges a value, given the folder's name and whether names may have underscores."""

LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 64, 1024, 500
"""Characters, as the specification has them."""
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WORD_OR_UNDERSCORE = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_TOOL = re.compile(r"[A-Za-z0-9_.-]{1,128}")
QUOTES = "put it in quotes"


def _text(node: Node, longest: int) -> Iterator[Complaint]:
    kind = kind_of(node)
    if kind == "null" or (kind == "str" and not node.value.strip()):
        yield "is blank", "give it a text", node
    elif kind != "str":
        yield f"must be text, not {describe(node)}", QUOTES if isinstance(node.value, str) else "write a text", node
    elif len(node.value) > longest:
        yield f"has {len(node.value)} characters", f"shorten it to {longest}", node


def _name(node: Node, folder: str, underscores: bool) -> Iterator[Complaint]:
    faults = list(_text(node, LONGEST_NAME))
    yield from faults
    if kind_of(node) != "str" or not node.value.strip():
        return
    name = node.value
    if stranger := next((char for char in name if not char.isascii()), None):
        said = (
            f"has the letter {quoted(stranger)} (U+{ord(stranger):04X} {unicodedata.name(stranger, 'without a name')})"
        )
        yield f"{said}, which may look like another", "write it with a to z, 0 to 9 and hyphens", node
    elif not (_WORD_OR_UNDERSCORE if underscores else _WORD).fullmatch(name):
        allowed = "a to z, 0 to 9 and single hyphens between them" + (" or underscores" if underscores else "")
        yield f"is {quoted(name)}, which is no name of a skill", f"write it with {allowed}", node
    if name != folder:
        yield f"is {quoted(name)} and the folder is {quoted(folder)}", "make them equal", node


def _description(node: Node, _folder: str, _underscores: bool) -> Iterator[Complaint]:
    yield from _text(node, LONGEST_DESCRIPTION)


def _short_text(
    node: Node, _folder: str, _underscores: bool, longest: int = LONGEST_COMPATIBILITY
) -> Iterator[Complaint]:
    yield from _text(node, longest)


def _metadata(node: Node, _folder: str, _underscores: bool) -> Iterator[Complaint]:
    if kind_of(node) != "map":
        yield f"must be a mapping, not {describe(node)}", "write keys and texts under it", node
    for _, value in own_entries(node):
        if kind_of(value) != "str":
            yield f"holds {describe(value)} where a text belongs", QUOTES, value


def _words(node: Node, _folder: str, _underscores: bool, pattern: re.Pattern[str], what: str) -> Iterator[Complaint]:
    if not isinstance(node, SequenceNode):
        yield f"must be a list, not {describe(node)}", "write `[a, b]`, or leave the key out", node
        return
    seen: set[str] = set()
    for item in node.value:
        if kind_of(item) != "str" or not pattern.fullmatch(item.value):
            yield f"holds {quoted(str(item.value))}, which is not {what}", f"write {what}", item
        elif item.value in seen:
            yield f"holds {quoted(item.value)} twice", "keep one", item
        else:
            seen.add(item.value)


def _choice(node: Node, _folder: str, _underscores: bool, words: tuple[str, str]) -> Iterator[Complaint]:
    if node.value not in words:
        yield f"is {quoted(str(node.value))}", f"write `{words[0]}` or `{words[1]}`", node


def check_residency(fields: Mapping[str, Node]) -> Iterator[tuple[Node, str, str]]:
    """A resident skill says why: its tools cost tokens in every turn."""
    availability = fields.get("availability")
    if availability is not None and availability.value == "resident" and "availability_reason" not in fields:
        remedy = "add `availability_reason`: what went wrong without it, or why one hop to load it is too far"
        yield availability, "`availability` is `resident`, and nothing says why", remedy


FIELDS: Mapping[str, Rule] = {
    "name": _name,
    "description": _description,
    "license": _short_text,
    "compatibility": _short_text,
    "metadata": _metadata,
    "allowed-tools": partial(_short_text, longest=LONGEST_DESCRIPTION),
    "categories": partial(_words, pattern=_WORD, what="a category: a to z, 0 to 9 and single hyphens"),
    "availability": partial(_choice, words=("resident", "deferred")),
    "availability_reason": partial(_short_text, longest=LONGEST_DESCRIPTION),
    "writing": partial(_choice, words=("closed", "open")),
    "mcp": partial(_words, pattern=_WORD_OR_UNDERSCORE, what="a namespace: a to z, 0 to 9, - and _"),
    "tool-ids": partial(_words, pattern=_TOOL, what="the name of a tool: letters, digits, _, . and -"),
}
"""The standard's keys, and those by which an agent decides who may use a skill and when."""


def near_key(name: str) -> str | None:
    """The key that was probably meant: `catgories`, `tool_ids`, `Name`."""
    plain = name.casefold().replace("_", "-")
    same = next((key for key in FIELDS if key.replace("_", "-") == plain), None)
    return same or closest(name, FIELDS)
