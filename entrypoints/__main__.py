"""The demonstration: `python -m entrypoints` plays two short conversations and prints what came of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from entrypoints.agent import Agent, open_agent
from entrypoints.bridge import child_facts, open_bridge
from entrypoints.core_tools import BASE
from entrypoints.messages import Role, ToolCall
from entrypoints.model import Reply, ScriptedModel
from entrypoints.session import Session
from entrypoints.turn import Provider
from skills.loader import SkillLoader
from skills.mcp_client import McpConnection

SHOP = ("after_sale_apply", "fault_diagnosis", "iot_bundle", "order_change", "order_checkout")
CLERK = Provider("clerk", ("finance",))


def order_desk(agent: Agent) -> None:
    """Three inferences: what each is shown depends on what has been read by then."""
    lines = [
        Reply("", (ToolCall("load_skill", {"names": ["order_change"]}),)),
        Reply("", (ToolCall("query_order", {"order_id": "88239"}),)),
        Reply("It has not left yet. Shall I cancel it?"),
    ]
    model = ScriptedModel(CLERK, lines)
    agent.history.open_thread("orders")
    print(Session(agent, "orders", [model]).ask("I no longer want that telephone."))
    for number, request in enumerate(model.requests, start=1):
        print(f"  inference {number}: {len(request.tools)} tools, the last is {request.tools[-1].name}")


def books(agent: Agent, home: Path) -> None:
    """A finance thread reaches the books and nothing of the clinic, in this process and in a child."""
    thread = agent.history.open_writing(agent.history.open_thread("books", "finance"), "ledger")
    lines = [
        Reply("", (ToolCall("ledger_post", {"account": "cash", "cents": 250}), ToolCall("clinic_visits"))),
        Reply("Booked."),
    ]
    print(Session(agent, "books", [ScriptedModel(CLERK, lines)]).ask("Book 250 cents, and how is the patient?"))
    for message in agent.history.messages(thread):
        if message.role is Role.TOOL:
            print(f"  {message.tool}: {message.text}")
    with open_bridge(child_facts(agent.turn(thread, CLERK), home, CLERK, ("clinic", "ledger"))) as bridge:
        print(f"  a child reads {bridge.call('ledger_balance', {'account': 'cash'}).data}")
        print(f"  and hears: {bridge.call('clinic_visits', {}).message}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, McpConnection("shop", "skills.servers.shop") as shop:
        home = Path(folder)
        order_desk(open_agent(home / "orders", SkillLoader(enabled=SHOP), shop.tools(), core=BASE))
        books(open_agent(home / "books", SkillLoader(enabled=("clinic", "ledger"))), home / "books")


if __name__ == "__main__":
    main()
