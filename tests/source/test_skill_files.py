"""What the frontmatter of one SKILL.md may get wrong: each fault with its line and remedy, and its sound twin."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_invariants.source.skill_fields import FIELDS, near_key
from pytest_invariants.source.skill_files import Flaw, Style, check_file

PATH = "skills/notes/SKILL.md"
SOUND = """\
---
name: notes
description: "Keeps notes: short ones."
license: MIT
compatibility: Needs nothing.
metadata:
  author: us
  version: "1.0"
allowed-tools: note_add note_find
categories: [finance, hr]
availability: resident
availability_reason: Every turn may need a note.
writing: open
mcp: [notes_server]
tool-ids: [note_add, note.find]
---

# Notes

---

How to take notes: `a --- b`.
"""
QUOTED = '"Keeps notes: short ones."'
METADATA = 'metadata:\n  author: us\n  version: "1.0"\n'
REASON = "availability_reason: Every turn may need a note.\n"


def flaws(text: str | bytes, folder: str = "notes", **style: bool) -> list[Flaw]:
    raw = text if isinstance(text, bytes) else text.encode()
    return check_file(raw, PATH, folder, Style(**style))


def said(text: str | bytes, folder: str = "notes") -> str:
    return "\n".join(map(str, flaws(text, folder)))


def with_line(old: str, new: str) -> str:
    assert old in SOUND
    return SOUND.replace(old, new, 1)


def test_a_file_with_every_key_is_sound() -> None:
    assert flaws(SOUND) == []


def test_the_smallest_file_is_sound() -> None:
    assert flaws("---\nname: a-1\ndescription: b\n---\nc", "a-1") == []


FAULTS = {
    "byte-order mark": (b"\xef\xbb\xbf" + SOUND.encode(), 1, "byte-order mark"),
    "carriage returns": (SOUND.replace("\n", "\r\n"), 1, "carriage return"),
    "one carriage return": (with_line("license: MIT\n", "license: MIT\r\n"), 4, "carriage return"),
    "not UTF-8": (SOUND.encode().replace(b"MIT", b"M\xefT"), 4, "the byte 0xef is not UTF-8; save the file as UTF-8"),
    "no frontmatter": ("# Notes\n", 1, "there is no frontmatter"),
    "an empty file": ("", 1, "there is no frontmatter"),
    "a blank line before it": ("\n" + SOUND, 1, "there is no frontmatter"),
    "never closed": ("---\nname: notes\n", 1, "the frontmatter is not closed"),
    "a blank beside the fence": (SOUND.replace("---\n\n#", "--- \n\n#"), 16, "blanks stand beside `---`"),
    "empty frontmatter": ("---\n# nothing\n---\ntext\n", 1, "the frontmatter is empty"),
    "no manual": (SOUND.partition("\n\n#")[0] + "\n", 16, "there is no manual"),
    "a list": ("---\n- name\n---\ntext\n", 2, "the frontmatter is no mapping"),
    "a fence inside a value": (with_line("short ones", "short --- ones"), 3, "`---` stands inside a value"),
    "an unquoted colon": (with_line(QUOTED, "Keeps notes: short ones."), 3, "put the value in quotes"),
    "a tab": (with_line("  author", "\tauthor"), 7, "indent with spaces"),
    "a comment in a value": (with_line(QUOTED, "Keeps note #1"), 3, "ends at ` #`"),
    "a name in a block": (with_line("name: notes", "name: |-\n  notes"), 2, "`name` is a block"),
    "a key twice": (with_line("license: MIT", "license: MIT\nlicense: GPL"), 5, "given twice"),
    "no name": (with_line("name: notes\n", ""), 1, "`name` is missing"),
    "no description": (with_line('description: "Keeps notes: short ones."\n', ""), 1, "`description` is missing"),
    "a blank description": (with_line(QUOTED, '" "'), 3, "`description` is blank"),
    "no value": (with_line("name: notes", "name:"), 2, "`name` is blank"),
    "a number for a name": (with_line("name: notes", "name: 12"), 2, "`name` must be text, not a number; put"),
    "a word that is no text": (with_line("name: notes", "name: on"), 2, "`name` must be text, not true or false"),
    "a long description": (with_line("short ones", "x" * 1024), 3, "has 1038 characters; shorten it to 1024"),
    "a long compatibility": (with_line("Needs nothing.", "x" * 501), 5, "has 501 characters; shorten it to 500"),
    "metadata that is no mapping": (with_line(METADATA, "metadata: us\n"), 6, "must be a mapping"),
    "a number in metadata": (with_line('"1.0"', "1.0"), 8, "holds a number where a text belongs"),
    "categories without brackets": (with_line("[finance, hr]", "finance"), 10, "must be a list"),
    "categories left blank": (with_line("categories: [finance, hr]", "categories:"), 10, "must be a list, not nothing"),
    "no category": (with_line("[finance, hr]", "[Finance, hr]"), 10, "`Finance`, which is not a category"),
    "a category twice": (with_line("[finance, hr]", "[hr, hr]"), 10, "`hr` twice"),
    "an availability that is none": (with_line(": resident", ": always"), 11, "`always`; write `resident`"),
    "resident without a reason": (with_line(REASON, ""), 11, "nothing says why"),
    "a blank reason": (with_line("Every turn may need a note.", '""'), 12, "`availability_reason` is blank"),
    "a writing side that is none": (with_line("writing: open", "writing: yes"), 13, "`yes`; write `closed` or `open`"),
    "a namespace that is none": (with_line("[notes_server]", "[Notes]"), 14, "not a namespace"),
    "a tool that is none": (with_line("[note_add, note.find]", '["note add"]'), 15, "not the name of a tool"),
    "a misspelt key": (with_line("categories:", "catgories:"), 10, "did you mean `categories`?"),
    "an underscore in a key": (with_line("tool-ids:", "tool_ids:"), 15, "did you mean `tool-ids`?"),
    "a key in capitals": (with_line("name: notes", "Name: notes"), 2, "did you mean `name`?"),
    "a tag": (with_line("name: notes", "name: !!python/name:os.system notes"), 2, "carries the tag"),
    "an alias that grows": (with_line("license: MIT", "a: &a [x, x]\nb: &b [*a, *a]\nlicense: *c"), 6, "names nothing"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_at_its_line_with_a_remedy(text: str | bytes, line: int, words: str) -> None:
    found = [flaw for flaw in flaws(text) if words in str(flaw)]
    assert [(flaw.path, flaw.line, flaw.note) for flaw in found] == [(PATH, line, False)], said(text)
    assert all(flaw.remedy for flaw in found)


NAMES = {
    "capitals": "Notes", "an underscore": "no_tes", "a hyphen first": "-notes", "a hyphen last": "notes-",
    "two hyphens": "no--tes", "a blank": "no tes", "a dot": "no.tes", "65 letters": "n" * 65,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_that_is_none(name: str) -> None:
    found = flaws(with_line("name: notes", f'name: "{name}"'), folder=name)
    assert [(flaw.line, flaw.note) for flaw in found] == [(2, False)]


@pytest.mark.parametrize("name", ["a", "7", "a-b-c", "n" * 64])
def test_a_name_that_is_one(name: str) -> None:
    assert flaws(with_line("name: notes", f'name: "{name}"'), folder=name) == []


def test_underscores_are_allowed_where_a_repository_says_so() -> None:
    text = with_line("name: notes", "name: my_notes")
    assert flaws(text, "my_notes", underscores=True) == []
    assert flaws(text, "my_notes") != []


def test_a_name_that_is_not_its_folder() -> None:
    assert "`name` is `notes` and the folder is `note`; make them equal" in said(SOUND, "note")


def test_a_letter_that_looks_like_another_is_named() -> None:
    text = with_line("name: notes", "name: nоtes")
    assert "U+043E CYRILLIC SMALL LETTER O" in said(text, "nоtes")


@pytest.mark.parametrize("mark", ["|", ">", "|-", ">-"])
def test_a_description_in_a_block_is_noted_and_not_refused(mark: str) -> None:
    found = flaws(with_line('description: "Keeps notes: short ones."', f"description: {mark}\n  Keeps notes."))
    assert [(flaw.line, flaw.note) for flaw in found] == [(3, True)]


def test_a_key_of_somebodys_own_is_noted_and_not_refused() -> None:
    found = flaws(with_line("license: MIT", "license: MIT\nx-colour: blue"))
    assert [(flaw.line, flaw.note) for flaw in found] == [(5, True)]


def test_all_faults_of_a_file_are_told_at_once() -> None:
    text = with_line("name: notes", "name: Notes").replace("[finance, hr]", "finance").replace(": resident", ": always")
    assert [flaw.line for flaw in flaws(text) if not flaw.note] == [2, 2, 10, 11]


@pytest.mark.parametrize("key", FIELDS)
def test_a_key_is_near_itself_in_other_spellings(key: str) -> None:
    assert near_key(key.upper()) == near_key(key.replace("-", "_")) == key


def test_a_key_that_is_near_to_nothing() -> None:
    assert near_key("colour") is None


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_judged_without_a_fault_of_the_judge(raw: bytes) -> None:
    for text in (raw, b"---\n" + raw + b"\n---\nmanual\n"):
        for flaw in check_file(text, PATH, "notes"):
            assert 1 <= flaw.line <= text.count(b"\n") + text.count(b"\r") + 2
            assert "\n" not in str(flaw)
