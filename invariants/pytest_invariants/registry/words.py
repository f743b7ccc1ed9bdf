"""The words of a registry: references, parameters, names and folders, each with its pattern and its likely slips."""

from __future__ import annotations

from pytest_invariants.registry.kinds import Text
from pytest_invariants.registry.model import Reference

# Where letters are that are not ASCII; the gaps hold blanks, quotes, dashes and symbols, which arrive by pasting.
_LETTERS = (
    r"\u00aa\u00b5\u00ba\u00c0-\u1fff\u2c00-\u2fef\u3005-\u3007\u3040-\ud7ff\uf900-\ufdcf\ufdf0-\ufefe\uff10-\uffdc"
)
_IDENTIFIER = rf"[A-Za-z_{_LETTERS}][A-Za-z0-9_{_LETTERS}]*"
_MODULE = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"
_PART = rf"(?:{_IDENTIFIER}|<lambda>)"
_QUALNAME = rf"{_PART}(?:\.(?:<locals>\.)?{_PART})*"
_AROUND = " \t\n\u00a0\u200b\u2018\u2019\u201c\u201d`'\""
_SEGMENT = r"[^/\\:\u0000-\u001f]+"


def _mend_reference(text: str) -> str:
    """What was probably meant by `agent/doors.py:f()`, `agent.doors.f`, `agent.doors::f` or curly quotes."""
    module, colon, qualname = text.strip(_AROUND).removesuffix("()").replace("::", ":").partition(":")
    module = module.removesuffix(".py").replace("/", ".").replace("\\", ".").strip(".")
    if not colon:
        module, _, qualname = module.rpartition(".")
    return f"{module.strip()}:{qualname.strip().replace(':', '.')}"


def reference(example: str) -> Text[Reference]:
    """`module:qualname`, where the qualname may pass through `<locals>`."""
    words = "a reference `module:qualname`"
    return Text(words, f"{_MODULE}:{_QUALNAME}", Reference.parse, f'"{example}"', _mend_reference)


def identifier(example: str) -> Text[str]:
    """A parameter or an attribute."""
    return Text("the name of a parameter or attribute", _IDENTIFIER, str, example)


def name(example: str) -> Text[str]:
    """A name of the author's choice; it becomes part of a test's id."""
    words = "a name of letters, digits, `_`, `-` and `.`"
    pattern = rf"[A-Za-z0-9_{_LETTERS}][A-Za-z0-9_.{_LETTERS}-]*"
    return Text(words, pattern, str, example, repair=lambda text: "-".join(text.split()))


def sentence(example: str) -> Text[str]:
    """Anything but blanks."""
    return Text("a sentence", r"[\s\S]*\S[\s\S]*", str.strip, f'"{example}"')


def folder(example: str) -> Text[str]:
    """A relative path with forward slashes that climbs nowhere, or a dotted package."""
    pattern = rf"(?!/)(?!(?:[^/]+/)*\.\.(?:/|$)){_SEGMENT}(?:/{_SEGMENT})*/?"
    words = "a folder or package of the repository"
    return Text(words, pattern, str, example, repair=lambda text: text.strip().replace("\\", "/"))
