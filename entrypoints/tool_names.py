"""Names for tools that come from outside: a prefix, legal letters, and a hash where two would still be one name."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from skills.model import Tool

PREFIX = "mcp__"
HASH_DIGITS = 12
LONGEST = 64
"""Letters that providers accept in a name."""


def prefixed(tools: Sequence[Tool], core: Collection[str]) -> tuple[Tool, ...]:
    """The tools of MCP servers under the names that a model is given.

    The names do not depend on the order of the tools. One that would take the name of a core tool is left out.
    """
    plain = Counter(_legal(tool) for tool in tools)
    named = [replace(tool, name=_hashed(tool) if plain[_legal(tool)] > 1 else _legal(tool)) for tool in tools]
    return tuple(tool for tool in named if tool.name not in core)


def _raw(tool: Tool) -> str:
    return f"{PREFIX}{tool.namespace}__{tool.name}"


def _legal(tool: Tool) -> str:
    """The prefixed name in letters that are allowed; one that is too long keeps its beginning and gets a hash."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", _raw(tool))
    return name if len(name) <= LONGEST else _hashed(tool)


def _hashed(tool: Tool) -> str:
    digest = hashlib.sha256(_raw(tool).encode()).hexdigest()[:HASH_DIGITS]
    name = re.sub(r"[^A-Za-z0-9_-]", "_", _raw(tool))
    return f"{name[: LONGEST - HASH_DIGITS - 1]}_{digest}"
