"""What a server offers, kind by kind, and by which methods it is listed and used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Object: TypeAlias = Mapping[str, Any]
"""A JSON object as it came over the wire, its keys in the server's order."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing: `key` holds the list in the answer, `id` names a thing, `capability` declares the kind."""

    word: str
    lists: str
    uses: str
    key: str
    id: str
    capability: str
    notice: str

    def names(self, items: tuple[Object, ...]) -> tuple[str, ...]:
        """The names of these things, in their order; one without a name is left out."""
        return tuple(name for name in (item.get(self.id) for item in items) if isinstance(name, str))


TOOLS = Kind("tool", "tools/list", "tools/call", "tools", "name", "tools", "notifications/tools/list_changed")
RESOURCES = Kind(
    "resource",
    "resources/list",
    "resources/read",
    "resources",
    "uri",
    "resources",
    "notifications/resources/list_changed",
)
TEMPLATES = Kind(
    "resource template",
    "resources/templates/list",
    "resources/read",
    "resourceTemplates",
    "uriTemplate",
    "resources",
    "notifications/resources/list_changed",
)
PROMPTS = Kind(
    "prompt", "prompts/list", "prompts/get", "prompts", "name", "prompts", "notifications/prompts/list_changed"
)
KINDS = (TOOLS, RESOURCES, TEMPLATES, PROMPTS)
NAMED = (TOOLS, RESOURCES, PROMPTS)
"""Those that are used by the name that the list gives."""
METHODS = (*(kind.lists for kind in KINDS), *(kind.uses for kind in NAMED))
"""Every method by which something is listed or used."""


def kind_of(method: str) -> Kind:
    """The kind that this method lists or uses.

    :raises KeyError: where no kind has it.
    """
    for kind in KINDS:
        if method in (kind.lists, kind.uses):
            return kind
    raise KeyError(method)
