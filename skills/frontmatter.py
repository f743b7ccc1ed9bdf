"""The one parser of SKILL.md: YAML between two `---` lines, then the manual. It reads a skill; it decides nothing."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TypeVar

import yaml

from skills.model import Availability, Skill, Writing
from skills.names import is_category, is_skill_name, is_tool_name
from skills.problems import Problem, SkillFileError

FENCE = "---"
Choice = TypeVar("Choice", Availability, Writing)
STANDARD_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
"""The keys of the agentskills.io format."""
KEYS = STANDARD_KEYS | {"categories", "availability", "availability_reason", "writing", "mcp", "tool-ids"}
_REASON_MISSING = (
    "availability: resident needs an availability_reason: a resident tool costs tokens in every turn, so say which "
    "failure was seen without it, or why one hop to the loader is too far"
)


def parse_skill(raw: bytes, path: str) -> Skill:
    """Read one SKILL.md. A byte-order mark and CRLF line ends are accepted.

    Raises:
        SkillFileError: with every problem of the file.
    """
    header, body = _split(_decode(raw, path), path)
    return _Reader(path, _fields(header, path)).skill(body)


def _decode(raw: bytes, path: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SkillFileError([Problem(path, line, "not UTF-8: save the file as UTF-8")]) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(text: str, path: str) -> tuple[str, str]:
    """The YAML and the manual. Only a line that is exactly `---` is a fence, never those characters inside a value."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise SkillFileError([Problem(path, 1, "no frontmatter: the first line must be ---")])
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == FENCE:
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :]).strip()
    raise SkillFileError([Problem(path, 1, "the frontmatter is not closed: add a line --- before the manual")])


def _fields(header: str, path: str) -> dict[str, yaml.Node]:
    try:
        root = yaml.compose(header, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 1
        raise SkillFileError([Problem(path, line, f"not YAML: {error.problem or error.context}")]) from error
    except yaml.YAMLError as error:
        raise SkillFileError([Problem(path, 1, f"not YAML: {error}")]) from error
    if not isinstance(root, yaml.MappingNode):
        raise SkillFileError([Problem(path, 2, "the frontmatter must be a mapping of keys to values")])
    return _unique(root, path)


def _unique(root: yaml.MappingNode, path: str) -> dict[str, yaml.Node]:
    fields: dict[str, yaml.Node] = {}
    problems: list[Problem] = []
    for key, value in root.value:
        name = str(key.value)
        if name not in KEYS:
            close = difflib.get_close_matches(name, sorted(KEYS), 1)
            hint = f"did you mean {close[0]}?" if close else "put keys of your own under metadata"
            problems.append(Problem(path, _line(key), f"unknown key {name!r}: {hint}"))
        elif name in fields:
            problems.append(Problem(path, _line(key), f"{name} is given twice: keep one"))
        fields[name] = value
    if problems:
        raise SkillFileError(problems)
    return fields


def _line(node: yaml.Node) -> int:
    """The line in the file: the frontmatter begins on line 2."""
    return int(node.start_mark.line) + 2


class _Reader:
    """Reads the fields of one file and gathers what is wrong with them."""

    def __init__(self, path: str, fields: dict[str, yaml.Node]) -> None:
        self._path = path
        self._fields = fields
        self._problems: list[Problem] = []

    def skill(self, body: str) -> Skill:
        skill = Skill(
            name=self._name(),
            description=self._required("description", 1024),
            body=body,
            categories=self._words("categories", is_category, "a category: lower-case letters, digits and hyphens"),
            availability=self._choice("availability", Availability, Availability.DEFERRED),
            availability_reason=self._text("availability_reason"),
            writing=self._choice("writing", Writing, Writing.CLOSED),
            mcp=self._words("mcp", is_skill_name, "a namespace: lower-case letters, digits, - and _"),
            tool_ids=self._words("tool-ids", is_tool_name, "a tool's name"),
        )
        if skill.availability is Availability.RESIDENT and not skill.availability_reason:
            self._report("availability", _REASON_MISSING)
        if self._problems:
            raise SkillFileError(self._problems)
        return skill

    def _name(self) -> str:
        name = self._required("name", 64)
        if name and not is_skill_name(name):
            self._report(
                "name", f"{name!r} is no skill name: lower-case letters, digits, - and _, at most 64 characters"
            )
        return name

    def _choice(self, key: str, kind: type[Choice], default: Choice) -> Choice:
        text = self._text(key) or default.value
        if text in list(kind):
            return kind(text)
        self._report(key, f"{text!r}: write {' or '.join(kind)}")
        return default

    def _required(self, key: str, limit: int) -> str:
        text = self._text(key)
        if key not in self._fields or not text:
            self._report(key, f"{key} is missing or blank: give it a text")
        elif len(text) > limit:
            self._report(key, f"{key} has {len(text)} characters: at most {limit}")
        return text

    def _text(self, key: str) -> str:
        node = self._fields.get(key)
        if node is None:
            return ""
        if isinstance(node, yaml.ScalarNode) and node.tag in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:null"):
            return str(node.value).strip() if node.tag.endswith("str") else ""
        self._report(key, f"{key} must be text: put it in quotes")
        return ""

    def _words(self, key: str, legal: Callable[[str], bool], what: str) -> tuple[str, ...]:
        node = self._fields.get(key)
        if node is None:
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self._report(key, f"{key} must be a list: write [] for none, or [a, b]")
            return ()
        words = [item.value for item in node.value]
        for item, word in zip(node.value, words, strict=True):
            if item.tag != "tag:yaml.org,2002:str" or not legal(word):
                self._problems.append(Problem(self._path, _line(item), f"{key}: {word!r} is not {what}"))
        return tuple(dict.fromkeys(str(word) for word in words))

    def _report(self, key: str, message: str) -> None:
        node = self._fields.get(key)
        self._problems.append(Problem(self._path, _line(node) if node is not None else 1, message))
