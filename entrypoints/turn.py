"""The facts of one turn: which thread, which provider, which skills and tools. A fact left out opens nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from skills.context import ExecutionContext
from skills.groups import SkillIndex
from skills.names import is_category
from skills.residency import ALWAYS_AVAILABLE


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation. `category` is None for a plain one, `scene` where nothing in particular is done in it.

    `writing` are the skills whose writing side this session has opened.
    """

    id: str
    category: str | None = None
    scene: str | None = None
    writing: frozenset[str] = frozenset()


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
    category: str | None = field(init=False)
    """What the seal is asked about: the thread's own category, where the provider has the tag for it.

    None without a provider, without the tag, in a plain thread, and where a category is not spelled as categories are:
    None matches no seal. It follows from the other facts, so nobody can say it.
    """

    def __post_init__(self) -> None:
        own = self.thread.category
        vouched = own is not None and own in self.provider.tags and is_category(own)
        object.__setattr__(self, "category", own if vouched else None)
