"""The host of a server that FastMCP (or the SDK below it) has built, asked through a client in the same process."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import Any, ClassVar, TypeAlias, TypeVar

from fastmcp import Client, FastMCP
from fastmcp.skills import SkillsClientExtension
from mcp.server import MCPServer

from pytest_invariants.hosts.building import begin, require
from pytest_invariants.hosts.fastmcp.recorder import Recorder
from pytest_invariants.probe.host import Facts, Host, Listing, Outcome, Where

Server: TypeAlias = "FastMCP[Any] | MCPServer[Any]"
Answer = TypeVar("Answer")


class FastMCPHost(Host):
    """Give `skills` (names of tools) and `build`. No tool does anything while the probe runs.

    Surfaces: `list_tools` and `call_tool`; `list_prompts` and `get_prompt`; `list_resources` and `read_resource`;
    with a search transform `search_tools` and `call_found_tool`; with `ResourcesAsTools` `list_resources_tool` and
    `read_resource_tool`. Name those in the registry that your server has for each of `skills`.

    Without `seal_arguments` of your own the seal is FastMCP's: `fastmcp.server.transforms.visibility:is_enabled`, with
    the verdict `allowed` and the subject `component`.
    """

    relays: ClassVar[tuple[str, ...]] = ()
    """Tools of the server that call other tools by name; they really run."""
    query: ClassVar[str] = ""
    """What finds every tool in a search; without it, the names of the tools."""

    app: Server
    client: Client[Any]
    connection: AsyncExitStack
    recorder: Recorder
    opened: Facts

    @abstractmethod
    def build(self, facts: Facts) -> Server | Awaitable[Server]:
        """A fresh server under these facts: one of FastMCP, or of the SDK that it rests on."""

    # What a skill is called, by kind

    def tool_of(self, skill: str) -> str:
        return skill

    def prompt_of(self, skill: str) -> str:
        return skill

    def uri_of(self, skill: str) -> str:
        """The address of its resource; what is an address already stays as it is."""
        return skill

    def arguments_of(self, skill: str) -> dict[str, Any]:
        """With what its tool or prompt is asked."""
        del skill
        return {}

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        names = {self.tool_of(skill), self.prompt_of(skill), self.uri_of(skill)}
        return {"component": Where(lambda component: bool(names & set(names_of(component))))}

    # Opening

    async def open(self, facts: Facts) -> None:
        self.opened = facts
        self.recorder = Recorder(self.relays)
        self.connection = AsyncExitStack()
        self.recorder.on()
        self.app = await self._built()
        await self._connect()

    async def close(self) -> None:
        try:
            await self._disconnect()
        finally:
            self.recorder.off()

    # Surfaces: tools

    async def list_tools(self) -> Listing:
        tools = await self.asked(lambda client: client.list_tools())
        return self.listing(self.tool_of, [tool.name for tool in tools], tools)

    async def call_tool(self, name: str) -> Outcome:
        return await self.called(self.tool_of(name), self.arguments_of(name))

    async def search_tools(self) -> Listing:
        query = self.query or " ".join(map(self.tool_of, self.skills)).replace("_", " ")
        answer = await self.asked(lambda client: client.call_tool_mcp("search_tools", {"query": query}))
        return self.mentioned(self.tool_of, text_of(answer.content))

    async def call_found_tool(self, name: str) -> Outcome:
        return await self.called("call_tool", {"name": self.tool_of(name), "arguments": self.arguments_of(name)})

    # Surfaces: prompts and resources

    async def list_prompts(self) -> Listing:
        prompts = await self.asked(lambda client: client.list_prompts())
        return self.listing(self.prompt_of, [prompt.name for prompt in prompts], prompts)

    async def get_prompt(self, name: str) -> Outcome:
        prompt, arguments = self.prompt_of(name), self.arguments_of(name)
        answer = await self.asked(lambda client: client.get_prompt(prompt, arguments))
        return Outcome(bool(answer.messages), "\n".join(text_of([message.content]) for message in answer.messages))

    async def list_resources(self) -> Listing:
        resources = await self.asked(lambda client: client.list_resources())
        return self.listing(self.uri_of, [str(resource.uri) for resource in resources], resources)

    async def read_resource(self, name: str) -> Outcome:
        return await self.read(self.uri_of(name))

    async def list_resources_tool(self) -> Listing:
        answer = await self.asked(lambda client: client.call_tool_mcp("list_resources", {}))
        return self.mentioned(self.uri_of, text_of(answer.content))

    async def read_resource_tool(self, name: str) -> Outcome:
        uri = self.uri_of(name)
        answer = await self.asked(lambda client: client.call_tool_mcp("read_resource", {"uri": uri}))
        return Outcome(not answer.is_error, text_of(answer.content))

    # Levers and facts

    async def resume(self, fresh: bool) -> None:
        """A new session, on the same server or (fresh) on a new one."""
        if fresh:
            self.app = await self._built()
        await self._connect()

    async def restart(self) -> None:
        await self.resume(fresh=True)

    async def table(self) -> list[dict[str, Any]]:
        tools = await self.asked(lambda client: client.list_tools())
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    async def call(self, tool: str) -> Outcome:
        return await self.called(tool, {})

    def prompt(self) -> str:
        """What the server tells a model about itself."""
        return self.app.instructions or ""

    def unknown(self) -> str:
        return "no_such_thing"

    # Asking, also for surfaces of your own

    async def asked(self, ask: Callable[[Client[Any]], Awaitable[Answer]]) -> Answer:
        """What the client gets; where the server broke down over it, the reason, and a new session for what follows."""
        try:
            return await ask(self.client)
        except (Exception, BaseExceptionGroup) as error:
            if isinstance(error, BaseExceptionGroup) or not self.client.is_connected():
                await self._connect()
            raise _innermost(error) from error

    async def called(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        """Whether anything ran. What has run has run, also where the call is refused afterwards."""
        before = len(self.recorder.ran)
        try:
            text = text_of((await self.asked(lambda client: client.call_tool_mcp(tool, arguments))).content)
        except Exception as error:
            text = str(error)
        return Outcome(len(self.recorder.ran) > before, text)

    async def read(self, uri: str) -> Outcome:
        """Whether anything is at this address."""
        contents = await self.asked(lambda client: client.read_resource(uri))
        return Outcome(bool(contents), "\n".join(getattr(part, "text", "") for part in contents))

    def listing(self, name_of: Callable[[str], str], names: Iterable[str], shown: object) -> Listing:
        """The skills that go by these names."""
        listed = tuple(names)
        known = {name_of(skill): skill for skill in self.skills}
        return Listing(tuple(known[name] for name in listed if name in known), repr(shown))

    def mentioned(self, name_of: Callable[[str], str], text: str) -> Listing:
        """The skills whose names stand in a text of JSON."""
        return Listing(tuple(skill for skill in self.skills if f'"{name_of(skill)}"' in text), text)

    async def _built(self) -> Server:
        made = begin(self, self.opened)
        app: Server = await made if inspect.isawaitable(made) else made
        require(self, app, (FastMCP, MCPServer), "a server of FastMCP, or of the SDK below it")
        return app

    async def _connect(self) -> None:
        await self._disconnect()
        self.connection = AsyncExitStack()
        self.client = Client(self.app, extensions=[SkillsClientExtension()])
        await self.connection.enter_async_context(self.client)

    async def _disconnect(self) -> None:
        """End the session; one that broke down says once more why it did, and was heard already."""
        try:
            await self.connection.aclose()
        except BaseExceptionGroup as group:
            if isinstance(_innermost(group), KeyboardInterrupt | SystemExit):
                raise
        except RuntimeError:
            pass


def text_of(content: Iterable[Any]) -> str:
    return "\n".join(part.text for part in content if isinstance(getattr(part, "text", None), str))


def names_of(component: object) -> tuple[str, ...]:
    """By what a component can be asked for: its name, and the address that it has or is made from."""
    found = (getattr(component, attribute, None) for attribute in ("name", "uri", "uri_template"))
    return tuple(str(each) for each in found if each is not None)


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
