"""The shop's MCP server: 14 tools, of which six cannot be used rightly without a manual."""

from __future__ import annotations

from collections.abc import Mapping

from skills.servers.stdio import Served, serve

NAMESPACE = "shop"
ORDER = {"order_id": {"type": "string", "minLength": 1}}
TEXT = {"text": {"type": "string", "minLength": 1}}
TOOLS: dict[str, tuple[str, dict[str, dict[str, object]]]] = {
    "query_order": ("Shows an order and its state. Read-only. Not for after-sale cases.", ORDER),
    "query_after_sale": ("Shows how far an after-sale case has got. Read-only. Not for orders as such.", ORDER),
    "query_cart": ("Shows what lies in the customer's cart. Read-only. Not for placed orders.", {}),
    "query_coupons": ("Lists the coupons that a customer may redeem. Read-only. Not for prices.", {}),
    "query_logistics": ("Tells where a parcel is. Read-only. Not for the state of a payment.", ORDER),
    "search_product": ("Finds goods by words. Read-only. Not for stock in a certain branch.", TEXT),
    "read_device": ("Reads the sensors of a connected appliance. Read-only. Not for switching it.", TEXT),
    "submit_ticket": ("Hands a matter to a person. Writes. Not for what another tool settles at once.", TEXT),
    "apply_after_sale": ("Opens a return or an exchange. Writes. Not before its terms were explained.", ORDER),
    "cancel_order": ("Cancels a placed purchase. Writes. Not once the goods have left.", ORDER),
    "change_address": ("Changes where a purchase goes. Writes. Not for the customer's profile.", {**ORDER, **TEXT}),
    "update_cart_item": ("Sets how many of an article are wanted. Writes. Not for placed purchases.", TEXT),
    "create_order": ("Turns the basket into a purchase. Writes. Not for paying it.", TEXT),
    "pay_order": ("Takes the money for a purchase. Writes. Not for refunds.", ORDER),
}


def tools() -> list[Served]:
    """All tools, in the order of the list above."""
    return [_tool(name, description, properties) for name, (description, properties) in TOOLS.items()]


def _tool(name: str, description: str, properties: dict[str, dict[str, object]]) -> Served:
    def answer(arguments: Mapping[str, object]) -> Mapping[str, object]:
        return {"tool": name, **arguments}

    return Served(name, description, properties, answer, writes="Writes." in description)


if __name__ == "__main__":
    serve(NAMESPACE, tools())
