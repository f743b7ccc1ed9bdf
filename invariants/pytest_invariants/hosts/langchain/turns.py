"""Turns of a LangChain agent whose model reads from a script, and whose threads are kept in memory."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, cast

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langsmith import tracing_context

from pytest_invariants.hosts.building import begin, require
from pytest_invariants.hosts.langchain.model import Request, ScriptedModel, Tape, text_of
from pytest_invariants.hosts.langchain.thread import Threads
from pytest_invariants.hosts.langchain.tools import Disarmed, Graph, sample_of, tools_of
from pytest_invariants.probe.host import Facts, Host, HostError, Outcome
from pytest_invariants.probe.target import describe

MAIN = "main"
STEPS = 100
"""Steps that the agent may take in one turn."""
Reply = Sequence[ToolCall]


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of one turn: the messages that came into the thread, and what the model was sent in its course."""

    thread: str
    messages: tuple[BaseMessage, ...]
    requests: tuple[Request, ...]
    waiting: int
    """How many calls wait for a decision."""

    @property
    def answers(self) -> str:
        """What the tools, or the framework in their place, have answered in the agent's own thread."""
        return "\n".join(text_of(message) for message in self.messages if isinstance(message, ToolMessage))


class Turns(Host):
    """Builds the agent, takes the tools of its skills out, and plays turns in its thread or in copies of it."""

    asynchronous: ClassVar[bool] = False
    """Whether everything takes the asynchronous way."""
    arguments: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Arguments for tools whose schema does not tell what they accept."""
    further_tools: ClassVar[Sequence[BaseTool]] = ()
    """Tools that the agent's own tool node does not know: those of its skills and of its subagents."""

    opened: Facts
    graph: Graph

    @abstractmethod
    def build(self, model: BaseChatModel, facts: Facts) -> Graph:
        """The agent under these facts, with this model in the place of its own. What it is stored in is replaced."""

    def given(self) -> Mapping[str, object]:
        """What each turn is given beside the messages."""
        return {}

    def context(self) -> object:
        """The run-time context of each turn."""
        return None

    def open(self, facts: Facts) -> None:
        self.opened = facts
        self.tape, self.threads, self.disarmed = Tape(), Threads(), Disarmed()
        self.later = self.asynchronous
        self.lead: tuple[Reply, ...] = ()
        self._runner: asyncio.Runner | None = None
        self._numbers = count(1)
        self.restart()
        self.asked(thread=MAIN)

    def close(self) -> None:
        self.disarmed.restore()
        if self._runner is not None:
            self._runner.close()

    def restart(self) -> None:
        """Build the agent anew; it knows only what was stored."""
        graph: Graph = begin(self, ScriptedModel(tape=self.tape), self.opened)
        require(self, graph, CompiledStateGraph, "the agent that `create_agent` makes")
        graph.checkpointer = self.threads
        self.graph = graph
        self._disarm()

    def turn(self) -> None:
        """The user says something, and the model has nothing to call."""
        self.asked(thread=MAIN)

    def tool_of(self, skill: str) -> str:
        """The tool that is called for a skill; here a skill is a tool."""
        return skill

    # Turns

    def calling(self, tool: str, **arguments: object) -> ToolCall:
        """A call of the model, with the arguments given, or with some that the tool accepts."""
        if not arguments and tool in self.arguments:
            arguments = dict(self.arguments[tool])
        elif not arguments and tool in self.disarmed.tools:
            arguments = sample_of(self.disarmed.tools[tool])
        return ToolCall(name=tool, args=arguments, id=f"call-{next(self._numbers)}", type="tool_call")

    def exchange(self, call: ToolCall, answer: str) -> tuple[BaseMessage, ...]:
        """The record of a call that was carried out."""
        return AIMessage("", tool_calls=[call]), ToolMessage(answer, tool_call_id=call["id"], name=call["name"])

    def asked(self, *replies: Reply, thread: str | None = None, given: Mapping[str, object] | None = None) -> Turn:
        """A turn in which the model gives these replies: in a copy of the thread, or in the thread that is named.

        Calls that wait for a person are approved.
        """
        where = thread or self.copied()
        try:
            return self.until_done(self.begun(*replies, thread=where, given=given))
        finally:
            if where != thread:
                self.threads.delete_thread(where)

    def begun(self, *replies: Reply, thread: str | None = None, given: Mapping[str, object] | None = None) -> Turn:
        """As `asked`, and what waits for a person waits."""
        message = {"messages": [HumanMessage("Go on.")], **self.given(), **(given or {})}
        return self.played(message, [*self.lead, *replies], thread or self.copied())

    def until_done(self, turn: Turn) -> Turn:
        while turn.waiting:
            turn = self.decided(turn, {"type": "approve"})
        return turn

    def decided(self, turn: Turn, decision: Mapping[str, object]) -> Turn:
        """Every call that waits is decided in this way."""
        resume: Command[Any] = Command(resume={"decisions": [decision] * turn.waiting})
        return self.played(resume, [], turn.thread)

    def played(self, given: object, replies: Iterable[Reply], thread: str) -> Turn:
        """Run the agent on one thread. Raises what the agent raises; then the thread is left as it is."""
        self.tape.replies[:] = [list(reply) for reply in replies]
        before, known = len(self.tape.requests), {message.id for message in self.stored(thread)}
        found = self._run(given, self.config(thread))
        came = tuple(message for message in found["messages"] if message.id not in known)
        waiting = sum(_due(interrupt.value) for interrupt in found.get("__interrupt__", ()))
        return Turn(thread, came, tuple(self.tape.requests[before:]), waiting)

    def shown(self, turn: Turn) -> Request:
        """What the model was sent first, after it was led where this host's surfaces are."""
        if len(turn.requests) <= len(self.lead):
            raise HostError(
                "the model was not asked in a turn; let the agent built by `build` use the model it is given"
            )
        return turn.requests[len(self.lead)]

    def ran(self, ask: Callable[[], Turn]) -> Outcome:
        """Whether any tool began, whatever the agent says; what the agent raises is its refusal."""
        before = len(self.disarmed.began)
        try:
            text = ask().answers
        except (Exception, asyncio.CancelledError) as error:
            text = describe(error)
        return Outcome(len(self.disarmed.began) > before, text)

    def write(self, *messages: BaseMessage, thread: str = MAIN) -> None:
        """Write into a stored thread, past the agent."""
        self.graph.update_state(self.config(thread), {"messages": list(messages)}, as_node="model")

    def stored(self, thread: str = MAIN) -> Sequence[BaseMessage]:
        """The messages of a thread, as they are stored."""
        return cast("Sequence[BaseMessage]", self.graph.get_state(self.config(thread)).values.get("messages", ()))

    def copied(self) -> str:
        """A copy of the thread as it is now."""
        thread = f"question-{next(self._numbers)}"
        self.threads.copy_thread(MAIN, thread)
        return thread

    def config(self, thread: str) -> Any:
        return {"configurable": {"thread_id": thread}, "recursion_limit": STEPS}

    def _run(self, given: object, config: Any) -> Any:
        """Nothing is sent to LangSmith, whatever the environment says."""
        with tracing_context(enabled=False):
            if not self.later:
                return self.graph.invoke(given, config, context=self.context())
            if self._runner is None:
                self._runner = asyncio.Runner()
            return self._runner.run(self.graph.ainvoke(given, config, context=self.context()))

    def _disarm(self) -> None:
        """Raises HostError where the tool of a skill is not found: a tool that is not watched would seem never to run."""
        wanted = {self.tool_of(skill) for skill in self.skills} - {""}
        found = {tool.name: tool for tool in (*self.further_tools, *tools_of(self.graph))}
        missing = ", ".join(f"`{name}`" for name in sorted(wanted - found.keys()))
        if missing:
            known = ", ".join(sorted(found)) or "none"
            said = f"the agent's tool node has no tool {missing} (it has {known})"
            raise HostError(f"{said}; correct `skills`, or give the tool in `further_tools`")
        self.disarmed.disarm(found[name] for name in sorted(wanted))


def _due(value: Any) -> int:
    """How many decisions an interrupt asks for; none where it is no request for approval."""
    return len(value["action_requests"]) if isinstance(value, Mapping) and "action_requests" in value else 0
