"""SKILL.md is read tolerantly where tolerance is harmless, and refused with file, line and remedy elsewhere."""

from __future__ import annotations

import pytest

from skills.frontmatter import parse_skill
from skills.model import Availability
from skills.problems import SkillFileError

PATH = "ledger/SKILL.md"


def source(*lines: str) -> str:
    return "\n".join(("---", "name: ledger", "description: Books.", *lines, "---", "The manual.", ""))


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(SkillFileError) as caught:
        parse_skill(text if isinstance(text, bytes) else text.encode(), PATH)
    return [str(problem) for problem in caught.value.problems]


def test_all_fields_are_read() -> None:
    skill = parse_skill(
        source(
            "license: MIT",
            "categories: [finance, hr]",
            "availability: resident",
            "availability_reason: it was forgotten twice",
            "mcp: [books]",
            "tool-ids: [post_entry]",
        ).encode(),
        PATH,
    )
    assert (skill.name, skill.description, skill.body) == ("ledger", "Books.", "The manual.")
    assert (skill.categories, skill.mcp, skill.tool_ids) == (("finance", "hr"), ("books",), ("post_entry",))
    assert (skill.availability, skill.availability_reason) == (Availability.RESIDENT, "it was forgotten twice")


def test_what_is_left_out_is_unrestricted_and_deferred() -> None:
    skill = parse_skill(source().encode(), PATH)
    assert (skill.categories, skill.availability) == ((), Availability.DEFERRED)


@pytest.mark.parametrize("raw", [b"\xef\xbb\xbf" + source().encode(), source().replace("\n", "\r\n").encode()])
def test_byte_order_mark_and_crlf_change_nothing(raw: bytes) -> None:
    assert parse_skill(raw, PATH) == parse_skill(source().encode(), PATH)


def test_three_hyphens_inside_a_value_are_no_fence() -> None:
    skill = parse_skill(b"---\nname: ledger\ndescription: |\n  one\n  ---\n  two --- three\n---\nBody\n---\nmore", PATH)
    assert skill.description == "one\n---\ntwo --- three"
    assert skill.body == "Body\n---\nmore"


def test_a_block_scalar_is_its_text_and_not_a_bar() -> None:
    assert parse_skill(b"---\nname: ledger\ndescription: >\n  two\n  lines\n---\n", PATH).description == "two lines"


@pytest.mark.parametrize(
    "reason", ["", "availability_reason: ''", "availability_reason: '   '", "availability_reason:"]
)
def test_resident_needs_a_reason_that_is_not_blank(reason: str) -> None:
    (problem,) = problems(source("availability: resident", *([reason] if reason else [])))
    assert problem.startswith(f"{PATH}:4: availability: resident needs an availability_reason")
    assert "costs tokens in every turn" in problem


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("categorys: [finance]", "did you mean categories?"),
        ("color: red", "under metadata"),
        ("name: other", "given twice"),
        ("categories: finance", "must be a list"),
        ("categories:", "must be a list"),
        ("categories: [yes]", "is not a category"),
        ("categories: ['']", "is not a category"),
        ("categories: [Finance]", "is not a category"),
        ("availability: always", "write resident or deferred"),
        ("mcp: [a b]", "is not a namespace"),
        ("tool-ids: [3]", "is not a tool's name"),
        ("license: [", "not YAML"),
        ("license: a: b", "not YAML"),
        ("\tlicense: MIT", "not YAML"),
    ],
)
def test_a_fault_is_told_with_its_line(line: str, words: str) -> None:
    (problem,) = problems(source(line))
    assert words in problem
    assert problem.startswith((f"{PATH}:4:", f"{PATH}:5:"))


def test_all_faults_come_at_once() -> None:
    found = problems("---\nname: Ledger Book\ncategories: finance\navailability: never\n---\n")
    assert [problem.split(":")[1] for problem in found] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"# Ledger", "1: no frontmatter"),
        (b"---\nname: ledger\n", "1: the frontmatter is not closed"),
        (b"---\n- a\n---\n", "2: the frontmatter must be a mapping"),
        (b"---\nname: ledger\ndescription: caf\xe9\n---\n", "3: not UTF-8"),
        (b"", "1: no frontmatter"),
    ],
)
def test_a_file_that_is_none(raw: bytes, words: str) -> None:
    assert problems(raw) == [next(problem for problem in problems(raw) if f"{PATH}:{words}" in problem)]
