"""Skill folders at which readers stumble, each with what a reader that accepts it has to make of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Read = Mapping[str, str]
"""Descriptions by the names of skills."""

SAID = "Keeps short notes."


def manual(name: str = "notes", description: str = SAID, more: str = "") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n\n# A manual\n\nWhat to do.\n"


@dataclass(frozen=True, slots=True)
class OddSkills:
    """`files` are the contents by their paths, `links` say where links lead.

    A loader refuses them with a message, or reads them in one of the ways of `reads`; where there is none, it has to
    refuse them.
    """

    words: str
    files: Mapping[str, bytes]
    reads: tuple[Read, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    def lay(self, root: Path) -> bool:
        """Put them into an empty folder; whether the file system can hold them side by side."""
        try:
            for path, content in self.files.items():
                file = root / path
                if file.exists():
                    return False
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            for path, target in self.links.items():
                os.symlink(target, root / path)
        except (OSError, UnicodeError):
            return False
        return True


def _one(words: str, content: str | bytes, *descriptions: str) -> OddSkills:
    raw = content if isinstance(content, bytes) else content.encode()
    return OddSkills(words, {"notes/SKILL.md": raw}, tuple({"notes": each} for each in descriptions))


def _two(words: str, one: str, other: str) -> OddSkills:
    files = {f"{name}/SKILL.md": manual(name, f"Is {name}.").encode() for name in (one, other)}
    return OddSkills(words, files, ({name: f"Is {name}." for name in (one, other)},))


NOTES = {"notes/SKILL.md": manual().encode()}
PLAIN = OddSkills("a sound file", NOTES, ({"notes": SAID},))
COLON = "Keeps notes: short ones."
DASHES = "Keeps --- short notes."

FILES: tuple[OddSkills, ...] = (
    _one("a byte-order mark before the frontmatter", b"\xef\xbb\xbf" + manual().encode(), SAID),
    _one("lines that end with carriage returns", manual().replace("\n", "\r\n"), SAID),
    _one("a description in a literal block", manual(description="|\n  Keeps short notes."), SAID),
    _one("a description in a folded block", manual(description=">\n  Keeps\n  short notes."), SAID),
    _one("a colon in a description without quotes", manual(description=COLON), COLON),
    _one("a colon in a description in quotes", manual(description=f'"{COLON}"'), COLON),
    _one("`---` inside a description", manual(description=DASHES), DASHES),
    _one("`---` in a line of a block", manual(description="|\n  Keeps\n  --- short notes."), DASHES),
    _one("bytes that are not UTF-8", manual(description="Keeps f\xefles.").encode("latin-1"), "Keeps f\xefles."),
    _one("a tab as indentation", manual(more="metadata:\n\tauthor: us\n"), SAID),
    _one("a file without frontmatter", "# Notes\n\nKeeps short notes.\n"),
    _one("a file without a description", "---\nname: notes\n---\n\nWhat to do.\n"),
    _one("frontmatter that is not closed", "---\nname: notes\ndescription: Keeps short notes.\n", SAID),
    OddSkills("a manual called skill.md", {"notes/skill.md": manual().encode()}, ({"notes": SAID},)),
    OddSkills("a link to the folder of a skill", NOTES, ({"notes": SAID},), links={"again": "notes"}),
    OddSkills(
        "a skill inside the folder of another",
        {**NOTES, "notes/more/inner/SKILL.md": manual("inner").encode()},
        ({"notes": SAID}, {"notes": SAID, "inner": SAID}),
    ),
    OddSkills(
        "a name that is not the folder's",
        {"notes/SKILL.md": manual("others").encode()},
        ({"others": SAID}, {"notes": SAID}),
    ),
)
"""What single files and their places get wrong."""

NAMES: tuple[OddSkills, ...] = (
    _two("two names that differ only in case", "notes", "Notes"),
    _two("two names that differ only in their joints", "my-notes", "my_notes"),
    _two("two names of which one has a look-alike letter", "notes", "n\u043etes"),
    OddSkills(
        "one name in the frontmatter of two folders",
        {**NOTES, "others/SKILL.md": manual(description="Keeps others.").encode()},
        ({"notes": SAID, "others": "Keeps others."},),
    ),
)
"""What names get wrong together."""
