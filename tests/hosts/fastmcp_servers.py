"""Servers of FastMCP: honest ones that ask one function, and some that hide things in a way that leaves a hole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from fastmcp import Context, FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.transforms import ResourcesAsTools, Transform
from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.skills.provider import SkillsDirectoryProvider
from fastmcp.tools import Tool
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pytest_invariants import Facts
from pytest_invariants.hosts.fastmcp import FastMCPHost, SkillsHost
from pytest_invariants.hosts.fastmcp.host import names_of
from pytest_invariants.probe.host import Where
from pytest_invariants.registry.model import Manner, VerdictKind

from tests.probe.samples import seal

ENABLED = seal("fastmcp.server.transforms.visibility:is_enabled", VerdictKind.ALLOWED, ("component",), ())
OWN = seal("tests.hosts.fastmcp_servers:may_use", VerdictKind.ALLOWED, ("name",), ())
TOOLS = {"list_tools": Manner.BROWSE, "call_tool": Manner.NAMED}
SEARCHED = {"search_tools": Manner.BROWSE, "call_found_tool": Manner.NAMED}
PROMPTS = {"list_prompts": Manner.BROWSE, "get_prompt": Manner.NAMED}
RESOURCES = {"list_resources": Manner.BROWSE, "read_resource": Manner.NAMED}
READ_BY_TOOLS = {"list_resources_tool": Manner.BROWSE, "read_resource_tool": Manner.NAMED}
SKILLS = {**RESOURCES, "list_skills": Manner.BROWSE, "get_skill": Manner.NAMED}
REALLY: list[str] = []
"""The tools that have really run; the probe must not let that happen."""


def may_use(name: str) -> bool:
    return bool(name)


def shop() -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("shop")

    @server.tool
    def refund(order: str) -> str:
        """Pay the price of an order back."""
        REALLY.append("refund")
        return order

    @server.tool
    def export(columns: list[str]) -> str:
        """Write columns of the customers' table into a file."""
        REALLY.append("export")
        return ",".join(columns)

    @server.prompt(name="refund")
    def apology() -> str:
        """Words for a late parcel."""
        return "We are sorry."

    @server.prompt(name="export")
    def summary() -> str:
        """Words for a table."""
        return "Sum it up."

    @server.resource("manual://refund")
    def how_to_refund() -> str:
        return "How to refund."

    @server.resource("manual://export")
    def how_to_export() -> str:
        return "How to export."

    return server


class Shop(FastMCPHost):
    """What FastMCP itself enables decides."""

    skills = ("refund", "export")

    def uri_of(self, skill: str) -> str:
        return f"manual://{skill}"

    def build(self, facts: Facts) -> FastMCP[Any]:
        return shop()


class Searched(Shop):
    """The model sees a search and a tool that calls what it finds."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()
        server.add_transform(BM25SearchTransform())
        return server


class ReadByTools(Shop):
    """Resources are read by tools as well."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()
        server.add_transform(ResourcesAsTools(server))
        return server


class Mounted(Shop):
    """The shop is mounted in another server, under a prefix."""

    def tool_of(self, skill: str) -> str:
        return f"s_{skill}"

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"component": Where(lambda component: component.name in (skill, f"s_{skill}"))}

    def build(self, facts: Facts) -> FastMCP[Any]:
        server: FastMCP[Any] = FastMCP("mall")
        server.mount(shop(), namespace="s")
        return server


# -- servers with a function of their own that decides


class OwnSeal(Shop):
    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"name": skill}


class Listing(Middleware):
    """Filters the list, and nothing else."""

    async def on_list_tools(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Sequence[Tool]:
        return [tool for tool in await call_next(context) if may_use(tool.name)]


class Asking(Listing):
    """Asks where a tool is called as well."""

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        if not may_use(context.message.name):
            raise PermissionError(f"{context.message.name} is sealed")
        return await call_next(context)


class ListingShop(OwnSeal):
    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()
        server.add_middleware(Listing())
        return server


class AskingShop(OwnSeal):
    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()
        server.add_middleware(Asking())
        return server


class Gate(Transform):
    """One transform that every way to a tool goes through."""

    async def list_tools(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        return [tool for tool in tools if may_use(tool.name)]

    async def get_tool(self, name: str, call_next: Any, *, version: Any = None) -> Tool | None:
        tool: Tool | None = await call_next(name, version=version)
        return tool if tool is None or may_use(tool.name) else None


class GatedShop(OwnSeal):
    """A relay hands on to the server, which goes through the gate."""

    relays = ("relay",)

    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()

        @server.tool
        async def relay(name: str, ctx: Context) -> str:
            """Call another tool by its name."""
            return str((await ctx.fastmcp.call_tool(name, {})).content)

        server.add_transform(Gate())
        return server

    def relay(self, name: str) -> Any:
        return self.called("relay", {"name": name})


class DispatchedShop(GatedShop):
    """The relay takes the tool from its provider, and asks nobody."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()

        @server.tool
        async def relay(name: str) -> str:
            """Call another tool by its name."""
            tool = await server.providers[0].get_tool(name)
            return "" if tool is None else str((await tool.run({})).content)

        server.add_transform(Gate())
        return server


class DisabledShop(OwnSeal):
    """What may not be used is disabled when the server is built."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        server = shop()
        for skill in self.skills:
            if not may_use(skill):
                server.disable(names={skill})
        return server


class BrokenShop(Shop):
    def build(self, facts: Facts) -> FastMCP[Any]:
        raise ValueError("no database")


class OverriddenSdk(MCPServer[Any]):
    """The list is overridden, and nothing else."""

    async def list_tools(self, *arguments: Any, **options: Any) -> Any:
        return [tool for tool in await super().list_tools(*arguments, **options) if may_use(tool.name)]


class GuardedSdk(OverriddenSdk):
    """Calls are overridden as well."""

    async def call_tool(self, name: str, *arguments: Any, **options: Any) -> Any:
        if not may_use(name):
            raise ToolError(f"{name} is sealed")
        return await super().call_tool(name, *arguments, **options)


class SdkShop(OwnSeal):
    kind: ClassVar[type[MCPServer[Any]]] = OverriddenSdk

    def build(self, facts: Facts) -> MCPServer[Any]:
        server = self.kind("shop")

        @server.tool()
        def refund(order: str) -> str:
            """Pay the price of an order back."""
            REALLY.append("refund")
            return order

        @server.tool()
        def export(columns: list[str]) -> str:
            """Write columns of the customers' table into a file."""
            REALLY.append("export")
            return ",".join(columns)

        return server


class GuardedSdkShop(SdkShop):
    kind = GuardedSdk


# -- servers of skills

NAMES = ("notes", "payroll", "stock")
FOLDER = Path(__file__).with_name("skill_folders")


class Skills(SkillsHost):
    """The newer provider; a skill is sealed with its manual, as FastMCP's own `disable` does it by name."""

    skills = NAMES
    folder = FOLDER

    def build(self, facts: Facts) -> FastMCP[Any]:
        server: FastMCP[Any] = FastMCP("skills")
        server.add_provider(SkillsDirectoryProvider(self.folder))
        return server


class WholeSkills(Skills):
    """A skill is sealed with everything below its address."""

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        below = f"skill://{skill}/"
        return {"component": Where(lambda component: any(name.startswith(below) for name in names_of(component)))}


class OldSkills(Skills):
    """The provider that is deprecated and still there: it serves the files of a skill through a template."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        from fastmcp.server.providers.skills import SkillsDirectoryProvider as Old

        server: FastMCP[Any] = FastMCP("skills")
        server.add_provider(Old(self.folder))
        return server


class WholeOldSkills(OldSkills, WholeSkills):
    """The old provider, with a seal that closes everything below the address of a skill."""


class DisabledAtProvider(Skills):
    """What may not be used is disabled at the provider, when the server is built."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        server: FastMCP[Any] = FastMCP("skills")
        provider = SkillsDirectoryProvider(self.folder)
        server.add_provider(provider)
        self.disable_in(provider)
        return server

    def disable_in(self, place: Any) -> None:
        for skill in self.skills:
            if not may_use(skill):
                place.disable(names=set(self.parts(skill)))

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"name": skill}


class DisabledAtServer(DisabledAtProvider):
    """The same at the server."""

    def build(self, facts: Facts) -> FastMCP[Any]:
        server = Skills.build(self, facts)
        self.disable_in(server)
        return server
