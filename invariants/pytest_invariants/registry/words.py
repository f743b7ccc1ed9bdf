"""The words of a registry: references, parameters, names and folders, each with its pattern and its likely slips."""

from __future__ import annotations

from pytest_invariants.registry.kinds import Text
from pytest_invariants.registry.model import Reference

_IDENTIFIER = r"[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*"
_MODULE = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"
_PART = rf"(?:{_IDENTIFIER}|<lambda>)"
_QUALNAME = rf"{_PART}(?:\.(?:<locals>\.)?{_PART})*"
_SEGMENT = r"[^/\\:\u0000-\u001f]+"


def _mend_reference(text: str) -> str:
    """What was probably meant by `agent/doors.py:f()`, `agent.doors.f` or `agent.doors::f`."""
    module, colon, qualname = text.strip().removesuffix("()").replace("::", ":").partition(":")
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
    pattern = r"[A-Za-z0-9_\u0080-\uffff][A-Za-z0-9_.\u0080-\uffff-]*"
    return Text(words, pattern, str, example, repair=lambda text: "-".join(text.split()))


def sentence(example: str) -> Text[str]:
    """Anything but blanks."""
    return Text("a sentence", r"[\s\S]*\S[\s\S]*", str.strip, f'"{example}"')


def folder(example: str) -> Text[str]:
    """A relative path with forward slashes that climbs nowhere, or a dotted package."""
    pattern = rf"(?!/)(?!(?:[^/]+/)*\.\.(?:/|$)){_SEGMENT}(?:/{_SEGMENT})*/?"
    words = "a folder or package of the repository"
    return Text(words, pattern, str, example, repair=lambda text: text.strip().replace("\\", "/"))
