"""The facts of one turn: which thread, which provider, which skills and tools. A fact left out opens nothing."""

from __future__ import annotations

from dataclasses import dataclass

from skills.context import ExecutionContext
from skills.groups import SkillIndex
from skills.names import is_category
from skills.residency import ALWAYS_AVAILABLE


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation. `category` is None for a plain one.

    Raises:
        ValueError: the category is not spelled as categories are.
    """

    id: str
    category: str | None = None

    def __post_init__(self) -> None:
        if self.category is not None and not is_category(self.category):
            raise ValueError(f"{self.category!r} is no category: lower-case letters, digits and hyphens")


@dataclass(frozen=True, slots=True)
class Provider:
    """Who runs the model. `tags` are the categories of threads that it may serve."""

    id: str | None = None
    tags: tuple[str, ...] = ()


NO_PROVIDER = Provider()


@dataclass(frozen=True, slots=True)
class Turn:
    """What every surface is called with; made anew for each inference and frozen for as long as that lasts."""

    thread: Thread
    skills: SkillIndex
    context: ExecutionContext
    provider: Provider = NO_PROVIDER
    resident: frozenset[str] = ALWAYS_AVAILABLE

    @property
    def category(self) -> str | None:
        """The category that the seal is asked about: the thread's own, where the provider has the tag for it.

        None without a provider, without the tag, and in a plain thread: None matches no seal.
        """
        return self.thread.category if self.thread.category in self.provider.tags else None
