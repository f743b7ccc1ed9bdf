"""Surface: finding tools by words. Sealed groups are left out before the best hits are cut off, never after."""

from __future__ import annotations

import re
from collections.abc import Collection

from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for
from skills.model import Schema


def search_tools(turn: Turn, query: str, among: Collection[str], limit: int = 5) -> tuple[Schema, ...]:
    """The open tools of `among` that share most words with the query, at most `limit`; ties go by name."""
    words = _words(query)
    found = [
        schema
        for skill in turn.skills.groups
        if not skill_sealed_for(skill.categories, turn.category)
        for schema in skill.schemas(turn.thread.writing)
        if schema.name in among
    ]
    hits = [schema for schema in found if _score(schema, words)]
    return tuple(sorted(hits, key=lambda schema: (-_score(schema, words), schema.name))[:limit])


def _score(schema: Schema, words: frozenset[str]) -> int:
    return len(words & _words(f"{schema.name} {schema.description}"))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.lower()))
