"""The seal: the one place where it is decided whether a skill may be used in a thread."""

from __future__ import annotations

from collections.abc import Sequence


def skill_sealed_for(categories: Sequence[str], thread_category: str | None) -> bool:
    """True when a skill of these categories is sealed for a thread of this category.

    No categories: unrestricted. Otherwise they are an allow list, so a thread without a category matches none of them.
    """
    if not categories:
        return False
    return thread_category is None or thread_category not in categories
