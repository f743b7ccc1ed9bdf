"""A description is an interface: what the tool does, whether it reads or writes, and what it is not for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from skills.model import Tool

TOO_ALIKE = 0.5
"""Two descriptions that share more than this part of their words are a defect: a model cannot tell the tools apart."""
_COMMON = frozenset(
    {"a", "an", "and", "as", "for", "in", "is", "it", "not", "of", "only", "or", "read", "the", "to", "writes"}
)


def description_problems(tools: Sequence[Tool]) -> list[str]:
    """Every defect of the tools' descriptions, one line each."""
    pairs = combinations(tools, 2)
    return [
        *(problem for tool in tools for problem in _own(tool)),
        *(f"{a.name} and {b.name}: their descriptions share most words" for a, b in pairs if overlap(a, b) > TOO_ALIKE),
    ]


def overlap(one: Tool, other: Tool) -> float:
    """The share of common words among all words of two descriptions, between 0 and 1."""
    left, right = _words(one), _words(other)
    return len(left & right) / len(left | right) if left | right else 1.0


def _own(tool: Tool) -> list[str]:
    side = "Writes." if tool.writes else "Read-only."
    problems = [] if side in tool.description else [f"{tool.name}: say {side!r} in the description"]
    return problems if "Not " in tool.description else [*problems, f"{tool.name}: say what it is not for"]


def _words(tool: Tool) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", tool.description.lower())) - _COMMON
