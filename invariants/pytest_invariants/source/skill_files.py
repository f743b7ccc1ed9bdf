"""The frontmatter of one SKILL.md: the rules of https://agentskills.io/specification, and what readers stumble over.

A file that one reader accepts and another drops without a word is a fault of the file too: what is written here can be
read by all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from yaml.nodes import MappingNode, Node, ScalarNode

from pytest_invariants.registry.nodes import compose, kind_of, own_entries
from pytest_invariants.registry.problems import RegistryError, quoted
from pytest_invariants.source.skill_fields import FIELDS, check_residency, near_key

MANUAL = "SKILL.md"
FENCE = "---"
EMPTY = "the frontmatter is empty", "write at least `name` and `description`"
_BOM = "\ufeff"
_COMMENT = re.compile(r"[ \t]#")


@dataclass(frozen=True, slots=True, order=True)
class Flaw:
    """What is wrong with a skill file, or (`note`) what only some readers take amiss."""

    path: str
    line: int
    message: str
    remedy: str
    note: bool = False

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {'note: ' if self.note else ''}{self.message}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Style:
    """What a repository allows beyond the standard."""

    underscores: bool = False


def check_file(raw: bytes, path: str, folder: str, style: Style = Style()) -> list[Flaw]:
    """Every flaw of one file, in the order of its lines. `folder` is the name of the folder that it lies in."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return [Flaw(path, line, f"the byte 0x{raw[error.start]:02x} is not UTF-8", "save the file as UTF-8")]
    flaws = [*_line_ends(text, path)]
    lines = text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    header, fences = _header(lines, path)
    flaws += fences
    if header is not None:
        flaws += _dashes(header, path)
        flaws += _fields(header, path, folder, style)
    return sorted(set(flaws))


def _line_ends(text: str, path: str) -> Iterator[Flaw]:
    if text.startswith(_BOM):
        remedy = "save it as UTF-8 without one"
        yield Flaw(path, 1, "the file begins with a byte-order mark, so that some readers see no frontmatter", remedy)
    if "\r" in text:
        line = text[: text.index("\r")].count("\n") + 1
        message = "the line ends with a carriage return, which some readers take for part of the value"
        yield Flaw(path, line, message, "save the file with line feeds alone (`* text=auto` in .gitattributes)")


def _header(lines: list[str], path: str) -> tuple[list[str] | None, list[Flaw]]:
    """The lines between the fences, and what is wrong with the fences."""
    flaws: list[Flaw] = []
    if lines[0].strip() != FENCE:
        return None, [Flaw(path, 1, "there is no frontmatter", f"let the first line be `{FENCE}`")]
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        return None, [Flaw(path, 1, "the frontmatter is not closed", f"put a line `{FENCE}` before the manual")]
    for number in (0, end):
        if lines[number] != FENCE:
            message = f"blanks stand beside `{FENCE}`, so that some readers see no frontmatter"
            flaws.append(Flaw(path, number + 1, message, "remove them"))
    if not "".join(lines[end + 1 :]).strip():
        flaws.append(Flaw(path, end + 1, "there is no manual after the frontmatter", "write what the skill is for"))
    return lines[1:end], flaws


def _dashes(header: list[str], path: str) -> Iterator[Flaw]:
    for number, line in enumerate(header, 2):
        if FENCE in line and not line.lstrip().startswith("#"):
            message = f"`{FENCE}` stands inside a value, where some readers end the frontmatter"
            yield Flaw(path, number, message, "write a dash of another kind")


def _fields(header: list[str], path: str, folder: str, style: Style) -> Iterator[Flaw]:
    try:
        root = compose("\n".join(header) + "\n", path, EMPTY)
    except RegistryError as error:
        problem = error.problems[0]
        remedy = EMPTY[1] if problem.message == EMPTY[0] else _yaml_remedy(problem.message)
        yield Flaw(path, problem.line + 1, problem.message, remedy)
        return
    if not isinstance(root, MappingNode):
        yield Flaw(path, 2, "the frontmatter is no mapping", "write lines of the form `key: value`")
        return
    yield from _known(root, header, path, folder, style)


def _yaml_remedy(message: str) -> str:
    if "tab" in message:
        return "indent with spaces"
    if "mapping values are not allowed" in message:
        return "put the value in quotes: it has a colon in it"
    return "correct it, or put the value in quotes"


def _known(root: MappingNode, header: list[str], path: str, folder: str, style: Style) -> Iterator[Flaw]:
    fields: dict[str, Node] = {}
    for key, value in own_entries(root):
        line = key.start_mark.line + 2
        name = str(key.value) if isinstance(key, ScalarNode) else ""
        if name in fields:
            yield Flaw(path, line, f"{quoted(name)} is given twice, and readers differ on which one counts", "keep one")
        fields[name] = value
        if name not in FIELDS:
            yield _unknown(name, path, line)
        else:
            yield from _cut_short(name, value, header, path)
    yield from _missing(fields, path)
    for name, node in fields.items():
        if name in FIELDS:
            yield from (replace(flaw, path=path) for flaw in _field(name, node, folder, style))
    yield from (Flaw(path, _line(node), message, remedy) for node, message, remedy in check_residency(fields))


def _field(name: str, node: Node, folder: str, style: Style) -> Iterator[Flaw]:
    if kind_of(node) is None:
        yield Flaw("", _line(node), f"`{name}` carries the tag {quoted(node.tag)}", "remove the tag")
        return
    for message, remedy, where in FIELDS[name](node, folder, style.underscores):
        yield Flaw("", _line(where), f"`{name}` {message}", remedy)
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        message = f"`{name}` is a block, which readers of single lines take for `{node.style}`"
        yield Flaw("", _line(node), message, "write it in one line", note=name != "name")


def _unknown(name: str, path: str, line: int) -> Flaw:
    near = near_key(name)
    if near:
        message = f"{quoted(name)} is no key, and readers pass over it without a word"
        return Flaw(path, line, message, f"did you mean `{near}`?")
    return Flaw(path, line, f"{quoted(name)} is no key of the format", "put it under `metadata`", note=True)


def _missing(fields: Mapping[str, Node], path: str) -> Iterator[Flaw]:
    for name in ("name", "description"):
        if name not in fields:
            yield Flaw(path, 1, f"`{name}` is missing", "add it to the frontmatter")


def _cut_short(name: str, node: Node, header: list[str], path: str) -> Iterator[Flaw]:
    """A ` #` begins a comment where there are no quotes, so that the rest of a text is lost."""
    if isinstance(node, ScalarNode) and not node.style and name in ("name", "description"):
        line = header[node.end_mark.line] if node.end_mark.line < len(header) else ""
        if _COMMENT.match(line, len(line[: node.end_mark.column].rstrip())):
            yield Flaw(path, _line(node), f"`{name}` ends at ` #`: the rest is a comment", "put the value in quotes")


def _line(node: Node) -> int:
    """The line in the file: the frontmatter begins on line 2."""
    return int(node.start_mark.line) + 2
