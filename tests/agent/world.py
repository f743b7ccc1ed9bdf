"""What the agent's tests share: namespaces without a process, and skill folders written on the spot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from entrypoints.messages import Message, Role
from entrypoints.turn import Provider
from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import ToolResult, done
from skills.servers import shop, warehouse
from skills.servers.stdio import Served

SHOP_SKILLS = ("after_sale_apply", "fault_diagnosis", "iot_bundle", "order_change", "order_checkout")
ALL_WRITING = ("clinic", "crm", "ledger", "order", "payroll", "user", "warehouse")
"""The skills whose writing side a session has to open."""
SEALED_SKILLS = {"ledger": "finance", "payroll": "hr", "clinic": "health", "warehouse": "logistics"}
"""The sealed skills of the repository, each with a category that opens it."""
TRUSTED = Provider("trusted", ("finance", "health", "hr", "logistics"))
"""A provider that may serve every kind of thread."""
RAN = "ran"
"""The kind of row that a tool of a namespace without a process leaves in the store: proof that it ran."""


def served(namespace: str, tools: Sequence[Served]) -> tuple[Tool, ...]:
    """The tools of a server without its process."""
    return tuple(
        Tool(
            tool.name,
            tool.description,
            {"type": "object", "properties": dict(tool.properties), "required": list(tool.properties)},
            leaves_trace(tool.name),
            namespace=namespace,
            writes=tool.writes,
        )
        for tool in sorted(tools, key=lambda tool: tool.name)
    )


def leaves_trace(name: str) -> Callable[[ExecutionContext, Arguments], ToolResult]:
    """A tool's function that proves by a row in the store that it ran."""

    def run(context: ExecutionContext, _arguments: Arguments) -> ToolResult:
        context.store.add(RAN, name)
        return done("ran")

    return run


def plain_tool(name: str, namespace: str | None = None) -> Tool:
    return Tool(
        name, f"Does what {name} says.", {"type": "object"}, leaves_trace(name), namespace=namespace, writes=False
    )


SHOP = served(shop.NAMESPACE, shop.tools())
WAREHOUSE = served(warehouse.NAMESPACE, warehouse.tools())


def sample(parameters: Mapping[str, object]) -> dict[str, object]:
    """Arguments that satisfy a tool's schema: the first example of each property, or a value of its type."""
    values: dict[str, object] = {"string": "1", "integer": 1}
    found = parameters.get("properties")
    properties = found if isinstance(found, dict) else {}
    return {
        name: rule["examples"][0] if "examples" in rule else values[rule["type"]] for name, rule in properties.items()
    }


def fresh_key() -> str:
    return uuid4().hex


def loading(*names: str) -> Message:
    """The result that loading these skills leaves in a history."""
    return Message(Role.TOOL, "the manual", tool="load_skill", loaded_skill=names)


def calling(tool: str) -> Message:
    """The result that a call of this tool leaves in a history."""
    return Message(Role.TOOL, "done", tool=tool, ran=True)


def write_skill(root: Path, name: str, header: str = "", tools: Sequence[str] = (), body: str = "A manual.") -> Path:
    """A skill folder; `header` holds further lines of the frontmatter, `tools` the names of its own tools."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name}\ndescription: What {name} is for.\n{header}\n---\n{body}\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    if tools:
        lines = ["from tests.agent.world import plain_tool", f"TOOLS = tuple(map(plain_tool, {list(tools)!r}))"]
        (folder / "tools.py").write_text("\n".join(lines), encoding="utf-8")
    return folder
