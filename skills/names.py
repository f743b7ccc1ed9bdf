"""What names may look like. One spelling a name: nothing is folded, trimmed or guessed on the way to a look-up."""

from __future__ import annotations

import re

_SKILL = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_TOOL = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_CATEGORY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_skill_name(text: str) -> bool:
    """Lower-case letters and digits in words joined by one hyphen or underscore; at most 64 characters."""
    return len(text) <= 64 and _SKILL.fullmatch(text) is not None


def is_category(text: str) -> bool:
    """Lower-case letters and digits in words joined by one hyphen."""
    return _CATEGORY.fullmatch(text) is not None


def is_tool_name(text: str) -> bool:
    """Letters, digits, underscore, full stop and hyphen; at most 64 characters."""
    return _TOOL.fullmatch(text) is not None
