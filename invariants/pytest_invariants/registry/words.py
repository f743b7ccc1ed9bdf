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


def _mend_name(text: str) -> str:
    return "-".join(text.split())


REFERENCE: Text[Reference] = Text(
    words="a reference `module:qualname`",
    pattern=f"{_MODULE}:{_QUALNAME}",
    convert=Reference.parse,
    repair=_mend_reference,
    example="agent.doors:activate",
)
IDENTIFIER: Text[str] = Text(
    words="a name of a parameter or attribute", pattern=_IDENTIFIER, convert=str, repair=str.strip, example="categories"
)
NAME: Text[str] = Text(
    words="a name of letters, digits, `_`, `-` and `.`",
    pattern=r"[A-Za-z0-9_\u0080-\uffff][A-Za-z0-9_.\u0080-\uffff-]*",
    convert=str,
    repair=_mend_name,
    example="activate",
)
SENTENCE: Text[str] = Text(
    words="a sentence that says why", pattern=r"[\s\S]*\S[\s\S]*", convert=str.strip, example="operator's console"
)
FOLDER: Text[str] = Text(
    words="a folder or package below the repository's root",
    pattern=rf"(?!/)(?!(?:[^/]+/)*\.\.(?:/|$)){_SEGMENT}(?:/{_SEGMENT})*/?",
    convert=str,
    repair=lambda text: text.strip().replace("\\", "/"),
    example="agent",
)
