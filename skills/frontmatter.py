"""The one parser of SKILL.md: YAML between two `---` lines, then the manual. It reads a skill; it decides nothing."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence

import yaml

from skills.model import Availability, Skill, Writing
from skills.names import is_category, is_skill_name, is_tool_name
from skills.problems import Problem, SkillFileError

FENCE = "---"
STANDARD_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
"""The keys of the agentskills.io format."""
KEYS = STANDARD_KEYS | {"categories", "availability", "availability_reason", "writing", "mcp", "tool-ids"}
LIMITS = {"name": 64, "description": 1024}
"""Texts that may not be blank, and how many characters they may have: the agentskills.io format's figures."""
_TEXT, _NOTHING = "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"
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
    fields = _fields(header, path)
    problems = list(_problems(fields, path))
    if problems:
        raise SkillFileError(problems)
    return Skill(
        name=_text(fields, "name"),
        description=_text(fields, "description"),
        body=body,
        categories=_words(fields, "categories"),
        availability=Availability(_text(fields, "availability") or Availability.DEFERRED),
        availability_reason=_text(fields, "availability_reason"),
        writing=Writing(_text(fields, "writing") or Writing.CLOSED),
        mcp=_words(fields, "mcp"),
        tool_ids=_words(fields, "tool-ids"),
    )


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
    except RecursionError:
        raise SkillFileError([Problem(path, 2, "nested too deeply: write keys and values, one a line")]) from None
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


def _problems(fields: Mapping[str, yaml.Node], path: str) -> Iterator[Problem]:
    """Everything that is wrong with the values."""
    for key in ("name", "description"):
        if key not in fields:
            yield Problem(path, 1, f"{key} is missing: give it a text")
    for key, node in fields.items():
        yield from (Problem(path, _line(at), message) for at, message in _faults(key, node))
    resident = _text(fields, "availability") == Availability.RESIDENT
    if resident and not _text(fields, "availability_reason"):
        yield Problem(path, _line(fields["availability"]), _REASON_MISSING)


def _faults(key: str, node: yaml.Node) -> Iterator[tuple[yaml.Node, str]]:
    """What is wrong with one value, and where."""
    match key:
        case "name" | "description" | "availability_reason":
            yield from _text_faults(key, node)
        case "availability":
            yield from _choice_faults(node, tuple(Availability))
        case "writing":
            yield from _choice_faults(node, tuple(Writing))
        case "categories":
            yield from _word_faults(key, node, is_category, "a category: lower-case letters, digits and hyphens")
        case "mcp":
            yield from _word_faults(key, node, is_skill_name, "a namespace: lower-case letters, digits, - and _")
        case "tool-ids":
            yield from _word_faults(key, node, is_tool_name, "a tool's name")


def _text_faults(key: str, node: yaml.Node) -> Iterator[tuple[yaml.Node, str]]:
    text = _scalar(node)
    if text is None:
        yield node, f"{key} must be text: put it in quotes"
    elif key in LIMITS and not text:
        yield node, f"{key} is blank: give it a text"
    elif len(text) > LIMITS.get(key, len(text)):
        yield node, f"{key} has {len(text)} characters: at most {LIMITS[key]}"
    elif key == "name" and not is_skill_name(text):
        yield node, f"{text!r} is no skill name: lower-case letters, digits, - and _"


def _choice_faults(node: yaml.Node, choices: Sequence[str]) -> Iterator[tuple[yaml.Node, str]]:
    if _scalar(node) not in ("", *choices):
        yield node, f"{node.value!r}: write {' or '.join(choices)}"


def _word_faults(key: str, node: yaml.Node, legal: Callable[[str], bool], what: str) -> Iterator[tuple[yaml.Node, str]]:
    if not isinstance(node, yaml.SequenceNode):
        yield node, f"{key} must be a list: write [] for none, or [a, b]"
        return
    for item in node.value:
        if item.tag != _TEXT or not legal(item.value):
            yield item, f"{key}: {item.value!r} is not {what}"


def _scalar(node: yaml.Node) -> str | None:
    """The text of a value; blank for an empty one, None for what is no text."""
    if not isinstance(node, yaml.ScalarNode) or node.tag not in (_TEXT, _NOTHING):
        return None
    return str(node.value).strip() if node.tag == _TEXT else ""


def _text(fields: Mapping[str, yaml.Node], key: str) -> str:
    return (_scalar(fields[key]) or "") if key in fields else ""


def _words(fields: Mapping[str, yaml.Node], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(item.value) for item in fields[key].value)) if key in fields else ()
