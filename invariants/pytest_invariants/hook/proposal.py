"""The row that the registry lacks: what a door would be called, its manner, and the exact lines in the file's style."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pytest_invariants.hook.standing import Entry
from pytest_invariants.registry.problems import RegistryError

_GENERAL = frozenset({"call", "get", "handle", "handler", "list", "main", "render", "run", "serve", "show", "wrapper"})
"""Names that say nothing without their module or class."""
_NAMES_ONE = re.compile(r"(?:.*_)?(?:names?|ids?|keys?|tools?|skills?|slugs?|uris?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """A surface that may be added."""

    id: str
    function: str
    manner: str

    def added_to(self, text: str) -> str:
        """The registry with this row.

        :raises EditError, RegistryError: where it cannot be added safely.
        """
        from pytest_invariants.registry.edit import add_surface

        return add_surface(text, self.id, self.function, self.manner)

    def lines(self, text: str) -> list[str]:
        """What is added, as it will stand there."""
        import difflib

        from pytest_invariants.registry.edit import EditError

        try:
            changed = self.added_to(text)
        except (EditError, RegistryError):
            return [f'  {self.id}: {{function: "{self.function}", manner: {self.manner}}}']
        rows = difflib.ndiff(text.splitlines(), changed.splitlines())
        return [row[2:] for row in rows if row.startswith("+ ")]


def propose(doors: Iterable[Entry], taken: Collection[str]) -> dict[str, Row]:
    """A row for each door, by its function; `taken` are the ids that the registry has."""
    ids = set(taken)
    rows: dict[str, Row] = {}
    for door in doors:
        id = _free(_id(door.function), ids)
        ids.add(id)
        rows[door.function] = Row(id, door.function, manner_of(door.parameters))
    return rows


def manner_of(parameters: Iterable[str]) -> str:
    """A parameter that names one thing (`name`, `tool_id`) makes a door `named`; without one it is `browse`."""
    return "named" if any(_NAMES_ONE.fullmatch(parameter) for parameter in parameters) else "browse"


def _id(function: str) -> str:
    module, _, qualname = function.partition(":")
    names = [part for part in qualname.replace("<locals>.", "").split(".") if part != "<lambda>"]
    name = names[-1].strip("_") if names else ""
    if name and name not in _GENERAL:
        return name
    above = [*module.split("."), *names[:-1]][-1].strip("_")
    return f"{above}_{name}".strip("_") or "door"


def _free(name: str, taken: Collection[str]) -> str:
    number = 1
    chosen = name
    while chosen in taken:
        number += 1
        chosen = f"{name}_{number}"
    return chosen
