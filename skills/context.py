"""For whom a tool runs, and where its effects are kept. Identity comes from here, never from an argument."""

from __future__ import annotations

from dataclasses import dataclass, field

from skills.guard import Guard
from skills.store import Store


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is behind a session. None where nobody has been identified."""

    user: str | None = None
    tenant: str | None = None
    permissions: frozenset[str] = frozenset()


NOBODY = Identity()


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """One call's surroundings. `key` is its idempotency key: the same key takes effect once."""

    store: Store
    session: str
    identity: Identity = NOBODY
    key: str | None = None
    guard: Guard = field(default_factory=Guard)
