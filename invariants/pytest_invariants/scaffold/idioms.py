"""How frameworks are told of tools and handlers: the shapes in which langchain, deepagents, fastmcp, mcp, agentscope,
pydantic-ai, openai-agents and google-adk take a function, and what the framework then does with it.

A table, not a search by likeness: a function counts because it is handed to a registrar that is listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BROWSE, NAMED = "browse", "named"


@dataclass(frozen=True, slots=True)
class Framework:
    """The registrars of one framework. Names of registrars are `package:qualname`; packages match with all below them.

    `tools` are decorators that make of a function a tool; `makers` functions and classes that are given tools in the
    arguments `tool_arguments`, or as their first one (`wrappers`). `methods` are methods of registering objects that
    are used as decorators or called with a function: each gives the manner of the handler, or `tool`. `overrides` are
    methods of subclasses that the framework asks. `gates` are arguments that take a function which decides for a tool.
    """

    name: str
    packages: tuple[str, ...]
    tools: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()
    tool_arguments: tuple[str, ...] = ("tools",)
    wrappers: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    methods: Mapping[str, str] | None = None
    bases: tuple[str, ...] = ()
    overrides: Mapping[str, str] | None = None
    gates: tuple[str, ...] = ()
    remark: str = ""
    """What is to be known of the framework's own dispatch, as measured by running it."""


_MCP_HANDLERS = {
    "list_tools": BROWSE,
    "call_tool": NAMED,
    "list_resources": BROWSE,
    "list_resource_templates": BROWSE,
    "read_resource": NAMED,
    "list_prompts": BROWSE,
    "get_prompt": NAMED,
}
_MCP_OBJECT = {"tool": "tool", "resource": "tool", "prompt": "tool", "add_tool": "tool"}

FRAMEWORKS = (
    Framework(
        name="langchain and deepagents",
        packages=("langchain", "langchain_core", "langgraph", "deepagents"),
        tools=("tool",),
        makers=("create_agent", "create_react_agent", "create_deep_agent", "ToolNode", "bind_tools"),
        wrappers=("StructuredTool", "StructuredTool.from_function", "Tool", "Tool.from_function"),
        bases=("AgentMiddleware", "BaseTool", "SkillsMiddleware"),
        overrides={
            "wrap_model_call": BROWSE,
            "awrap_model_call": BROWSE,
            "before_model": BROWSE,
            "abefore_model": BROWSE,
            "before_agent": BROWSE,
            "abefore_agent": BROWSE,
            "wrap_tool_call": NAMED,
            "awrap_tool_call": NAMED,
            "_run": NAMED,
            "_arun": NAMED,
        },
        remark="a list that `wrap_model_call` filters is not what is dispatched from: a tool that it hides still runs "
        "by its exact name; ask the seal in `wrap_tool_call` as well",
    ),
    Framework(
        name="fastmcp",
        packages=("fastmcp", "mcp.server.fastmcp"),
        objects=("FastMCP",),
        methods=_MCP_OBJECT,
        bases=("Middleware", "Provider", "Transform"),
        overrides={f"on_{name}": manner for name, manner in _MCP_HANDLERS.items()},
        remark="middleware that filters `on_list_tools` does not stop `on_call_tool`; of a skill each file is a "
        "resource of its own",
    ),
    Framework(
        name="mcp",
        packages=("mcp",),
        objects=("Server", "MCPServer"),
        methods={**_MCP_HANDLERS, **_MCP_OBJECT},
        makers=("Server",),
        tool_arguments=(),
        bases=("MCPServer", "Server"),
        overrides=_MCP_HANDLERS,
        remark="an overridden `list_tools` is not consulted by `call_tool`",
    ),
    Framework(
        name="agentscope",
        packages=("agentscope",),
        makers=("Toolkit", "ToolGroup", "Agent", "ReActAgent"),
        wrappers=("FunctionTool",),
        objects=("Toolkit",),
        methods={"register_tool_function": "tool", "register_middleware": NAMED},
        bases=("Toolkit", "ToolBase"),
        overrides={
            "get_tool_schemas": BROWSE,
            "get_json_schemas": BROWSE,
            "get_skill_instructions": BROWSE,
            "call_tool": NAMED,
            "call_tool_function": NAMED,
            "check_tool_available": NAMED,
        },
        gates=("permission",),
        remark="groups are asked about everywhere, permissions are not: an approved call runs after its rule became deny",
    ),
    Framework(
        name="pydantic-ai",
        packages=("pydantic_ai",),
        makers=("Agent", "FunctionToolset"),
        wrappers=("Tool",),
        objects=("Agent", "FunctionToolset"),
        methods={"tool": "tool", "tool_plain": "tool", "add_function": "tool", "toolset": BROWSE},
        bases=("AbstractToolset", "WrapperToolset", "FilteredToolset"),
        overrides={"get_tools": BROWSE, "call_tool": NAMED},
        gates=("prepare_tools", "prepare", "filter_func"),
    ),
    Framework(
        name="openai-agents",
        packages=("agents",),
        tools=("function_tool",),
        makers=("Agent", "RealtimeAgent", "SandboxAgent"),
        wrappers=("FunctionTool",),
        bases=("AgentHooks", "RunHooks"),
        overrides={"on_tool_start": NAMED, "on_invoke_tool": NAMED},
        gates=("is_enabled", "tool_filter"),
    ),
    Framework(
        name="google-adk",
        packages=("google.adk",),
        makers=("Agent", "LlmAgent"),
        wrappers=("FunctionTool", "LongRunningFunctionTool"),
        bases=("BaseToolset", "BaseTool", "BasePlugin"),
        overrides={
            "get_tools": BROWSE,
            "run_async": NAMED,
            "process_llm_request": BROWSE,
            "before_tool_callback": NAMED,
        },
        gates=("tool_filter", "before_tool_callback", "before_model_callback", "require_confirmation"),
    ),
)
