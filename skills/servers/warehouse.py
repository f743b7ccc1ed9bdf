"""The warehouse's MCP server: four verbs for each of twelve things, 48 tools in all."""

from __future__ import annotations

from collections.abc import Mapping

from skills.servers.stdio import Served, serve

NAMESPACE = "warehouse"
THINGS = (
    *("aisle", "bin", "carrier", "consignment", "container", "dock"),
    *("inspection", "pallet", "pick_list", "return", "shelf", "shift"),
)
VERBS = {
    "list": "Lists every {} of the warehouse. Read-only. Not for a single one whose id is known.",
    "show": "Shows one {} by its id. Read-only. Not for finding an id.",
    "book": "Books one {} for a later use. Writes. Not for changing an existing booking.",
    "close": "Closes one {} for good. Writes. Not for a temporary hold.",
}


def tools() -> list[Served]:
    """All tools, things before verbs, in the order of the lists above."""
    return [_tool(verb, text, thing) for thing in THINGS for verb, text in VERBS.items()]


def _tool(verb: str, text: str, thing: str) -> Served:
    properties: dict[str, dict[str, object]] = {} if verb == "list" else {"id": {"type": "string", "minLength": 1}}

    def answer(arguments: Mapping[str, object]) -> Mapping[str, object]:
        return {"thing": thing, "verb": verb, **arguments}

    return Served(f"{verb}_{thing}", text.format(thing.replace("_", " ")), properties, answer)


if __name__ == "__main__":
    serve(NAMESPACE, tools())
