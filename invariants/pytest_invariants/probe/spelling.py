"""Other spellings of a name: what a careless look-up takes for the same, and a seal may take for another."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""ASCII to its full-width forms, which NFKC folds back."""
LOOK_ALIKE = str.maketrans({"a": "а", "c": "с", "e": "е", "o": "о", "p": "р", "s": "ѕ", "i": "і", "y": "у"})
"""Latin letters to Cyrillic ones that look the same."""
PREFIXES = ("mcp__", "skill:", "skill://", "skills/", "skills.", "@", "/")
HASHES = ("sha256", "sha1", "md5")
DIGITS = (8, 12)
"""Hexadecimal digits that hash names usually have."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """`kind` says in words how it differs from the name."""

    kind: str
    text: str


def spellings(name: str, more: Iterable[str] = ()) -> tuple[Spelling, ...]:
    """Every other spelling of a name, each text once; `more` are names that the host knows of."""
    every = (
        *(Spelling("by another name", text) for text in more),
        *_case(name),
        *_spaces(name),
        *_encoded(name),
        *_unicode(name),
        *_paths(name),
        *_affixes(name),
    )
    first = {spelling.text: spelling for spelling in reversed(every)}
    return tuple(spelling for spelling in every if spelling.text != name and first[spelling.text] is spelling)


def _case(name: str) -> Iterator[Spelling]:
    for text in (name.upper(), name.capitalize(), name.title(), name.swapcase(), name.casefold()):
        yield Spelling("in another case", text)
    for text in (name.replace("_", "-"), name.replace("-", "_"), name.replace("_", " "), name.replace("_", "")):
        yield Spelling("with other joints", text)


def _spaces(name: str) -> Iterator[Spelling]:
    yield Spelling("with a space before it", f" {name}")
    for text in (f"{name} ", f"{name}\n", f"{name}\t", f"{name}\u00a0"):
        yield Spelling("with white space after it", text)
    for text in (f"{name}\u200b", f"\ufeff{name}", f"{name}\0"):
        yield Spelling("with an invisible character", text)


def _encoded(name: str) -> Iterator[Spelling]:
    first = f"%{ord(name[0]):02X}{name[1:]}" if name[:1].isascii() and name else name
    dots = name.replace(".", "%2E")
    for text in (first, dots, name.replace("/", "%2F"), quote(name, safe="")):
        yield Spelling("URL-encoded", text)
    yield Spelling("URL-encoded twice", first.replace("%", "%25"))


def _unicode(name: str) -> Iterator[Spelling]:
    yield Spelling("in full-width letters", name.translate(WIDE))
    yield Spelling("with a long s", name.replace("s", "\u017f", 1))
    yield Spelling("with a Kelvin sign", name.replace("k", "\u212a", 1))
    yield Spelling("with letters that look alike", name.translate(LOOK_ALIKE))
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield Spelling(f"normalised ({form})", unicodedata.normalize(form, name))


def _paths(name: str) -> Iterator[Spelling]:
    for text in (f"./{name}", f"{name}/", f"{name}/.", f"//{name}", f"x/../{name}", f"../skills/{name}", f".\\{name}"):
        yield Spelling("as a path", text)
    head, slash, rest = name.partition("/")
    if slash:
        yield Spelling("as a path", f"{head}//{rest}")
        yield Spelling("as a path", f"{head}/../{head}/{rest}")
    yield Spelling("as a file", f"{name}.md")
    yield Spelling("as a file", f"{name}/SKILL.md")


def _affixes(name: str) -> Iterator[Spelling]:
    for prefix in PREFIXES:
        yield Spelling("with a prefix", f"{prefix}{name}")
    for algorithm in HASHES:
        digest = hashlib.new(algorithm, name.encode(), usedforsecurity=False).hexdigest()
        for digits in DIGITS:
            yield Spelling("by its hash", digest[:digits])
            yield Spelling("with a hash", f"{name}_{digest[:digits]}")
