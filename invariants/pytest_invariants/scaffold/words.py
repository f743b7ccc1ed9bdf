"""What names tell. A word is evidence beside what the code does, and never enough by itself."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def word_set(text: str) -> frozenset[str]:
    """Words that are written one after another."""
    return frozenset(text.split())


DECIDES = word_set(
    "allow allows allowed deny denied denies permit permits permitted permission permissions seal sealed sealing enabled "
    "disabled visible visibility hidden available availability unavailable accessible authorize authorized authorise "
    "authorised authorization authorisation forbidden forbid blocked restricted eligible entitled approved revealed "
    "granted gate gated policy acl rbac allowlist denylist whitelist blacklist"
)
"""Words for whether something may be had."""
HINTS = word_set("can may check is filter filtered active activated selected select accepts guard scope role access")
"""Words that go with it, and with much else."""
SHAPES = word_set(
    "validate validates validator validation parse coerce convert normalize normalise sanitize create build "
    "make apply wrap register collect conform add update upsert insert delete remove set save store"
)
"""Words for whether something is well formed, and for making or changing it: a right to have it is something else."""
THINGS = word_set(
    "tool tools skill skills resource resources prompt prompts command commands action actions plugin plugins"
)
"""Words for what a model is given: those of the protocols that agents speak."""
EXERCISE = word_set("call invoke execute run arun ainvoke acall aexecute render perform dispatch handler read fetch")
"""Words for having such a thing do what it does."""
CONTENT = word_set(
    "description schema schemas parameters body content contents markdown manual instructions template declaration "
    "definition definitions def defs docs documentation spec"
)
"""Words for what such a thing says of itself to a model."""


def words(name: str) -> frozenset[str]:
    """The words of a name, in small letters: `_isToolAllowed` and `is_tool_allowed` have the same."""
    return frozenset(word.lower() for word in _WORD.findall(name))
