"""The warehouse's MCP server: four verbs for each of twelve things, 48 tools in all."""

from __future__ import annotations

from collections.abc import Mapping

from skills.servers.stdio import Served, serve

NAMESPACE = "warehouse"
THINGS = {
    "aisle": "walkways between two rows of racks",
    "bin": "smallest boxes that hold one article",
    "carrier": "firms whose lorries fetch parcels",
    "consignment": "loads that leave under one waybill",
    "container": "steel crates off some ship",
    "dock": "gates where lorries back up",
    "inspection": "checks of arrived goods by hand",
    "pallet": "wooden platforms a fork-lift moves",
    "pick_list": "routes a picker walks with a trolley",
    "return": "goods that customers sent back",
    "shelf": "boards inside one rack, bottom to top",
    "shift": "crews and their working hours",
}
VERBS = {
    "list": "Lists all ids there are: {}. Read-only. Not for details.",
    "show": "Shows one by its number, of the {}. Read-only. Not for lists.",
    "book": "Reserves ahead: {}. Writes. Not for today.",
    "close": "Ends for good: {}. Writes. Not for a pause.",
}


def tools() -> list[Served]:
    """All tools, things before verbs, in the order of the lists above."""
    return [_tool(verb, thing, text.format(what)) for thing, what in THINGS.items() for verb, text in VERBS.items()]


def _tool(verb: str, thing: str, description: str) -> Served:
    properties: dict[str, dict[str, object]] = {} if verb == "list" else {"id": {"type": "string", "minLength": 1}}

    def answer(arguments: Mapping[str, object]) -> Mapping[str, object]:
        return {"thing": thing, "verb": verb, **arguments}

    return Served(f"{verb}_{thing}", description, properties, answer, writes=verb in ("book", "close"))


if __name__ == "__main__":
    serve(NAMESPACE, tools())
