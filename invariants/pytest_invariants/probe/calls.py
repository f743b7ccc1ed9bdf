"""Calling the tools of one agent: every call by name, under a key of its own, and with what reached the tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.probe.arguments import accepted
from pytest_invariants.probe.declared import Declared, declarations
from pytest_invariants.probe.host import Answer, Effect, HostError
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import describe
from pytest_invariants.probe.waiting import Late
from pytest_invariants.verdict import Reason

USER = "ann"
"""To whom the session belongs, where a host can say it."""
PATIENCE = 10.0
"""Seconds that a call may take: more than three times what a read is usually given."""

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Called:
    """What became of a call. `answer` is None where it ended in an exception (`raised`) or has not ended (`late`)."""

    answer: Answer | None
    effects: tuple[Effect, ...]
    raised: str = ""
    late: bool = False

    @property
    def ok(self) -> bool:
        return self.answer is not None and self.answer.ok

    def __str__(self) -> str:
        if self.late:
            return "it has not come back"
        return f"it raises {self.raised}" if self.answer is None else f"it answers {self.answer.text!r:.120}"


class Bench:
    """The tools of the agent on a stage. Whatever is done goes into the stage's script."""

    def __init__(self, stage: Stage) -> None:
        stage.session.need("invoke", "effects")
        self.stage = stage
        self.successes: dict[str, Answer] = {}
        """What was answered to a good call, by the tool's name."""
        self._keys = 0
        if stage.session.has("sign_in"):
            stage.pull("sign_in", USER)

    @property
    def tools(self) -> dict[str, Declared]:
        """What may be called now. Raises Lacking where the host says nothing of its tools."""
        method = "tools" if self.stage.session.has("tools") else "table"
        self.stage.session.need(method)
        found = declarations(self.stage.agent.call(method))
        if not found:
            raise Lacking(f"the host's `{method}` shows no tool to call")
        return found

    @property
    def writers(self) -> frozenset[str]:
        return self._names("writers")

    @property
    def closed_writers(self) -> frozenset[str]:
        """The writers that a session has to open."""
        return self.writers - self._names("open_from_start")

    @property
    def patience(self) -> float:
        return float(self.stage.agent.call("patience")) if self.stage.session.has("patience") else PATIENCE

    def good(self, tool: Declared) -> Arguments:
        """Arguments that the tool accepts."""
        has = self.stage.session.has("sample")
        found = self.stage.agent.call("sample", tool.name) if has else accepted({"type": "object", **tool.parameters})
        if not isinstance(found, Mapping):
            raise HostError(f"`sample` returned {found!r:.60} for `{tool.name}`; return a dictionary of arguments")
        return found

    def fresh_key(self) -> str:
        self._keys += 1
        return f"key-{self._keys}"

    def open(self, tool: str) -> None:
        """Have the session open the side on which a tool writes, where it has to."""
        if tool in self.closed_writers and self.stage.session.has("open_writing"):
            self.stage.pull("open_writing", tool)

    def ready(self) -> Iterator[Declared]:
        """Every tool, once it has been shown that a call of it arrives: until then nothing follows from its silence."""
        for name in sorted(self.closed_writers):
            self.open(name)
        tools = self.tools
        hidden = sorted(self.writers - tools.keys())
        if hidden:
            raise HostError(f"`writers` names `{hidden[0]}`, which `tools` does not show; correct one of the two")
        for tool in tools.values():
            self.control(tool)
            yield tool

    def control(self, tool: Declared) -> None:
        """Raises Fallen where a good call does not succeed, or does not reach the tool once."""
        called = self.call(tool.name, self.good(tool), self.fresh_key())
        if not called.ok or called.answer is None or [effect.tool for effect in called.effects] != [tool.name]:
            reached = f"reaches {', '.join(effect.tool for effect in called.effects) or 'no tool'}"
            remedy = "give the host a `sample` of good arguments for it, or correct `effects`"
            raise self.fallen(Reason.NOT_SHOWN, f"a good call of `{tool.name}` {reached}; {called}", remedy)
        self.successes[tool.name] = called.answer

    def call(self, tool: str, arguments: Arguments, key: str | None) -> Called:
        """Call a tool; whatever is no refusal of the agent but the host's own mistake is raised as HostError."""
        before = len(self._effects())
        under = f"under {key}" if key else "without a key"
        self.stage.script.append(f"{tool} is called with {dict(arguments)!r:.120} {under}")
        answer, raised, late = None, "", False
        try:
            answer = self.stage.agent.call_within(self.patience, "invoke", tool, dict(arguments), key)
        except HostError:
            raise
        except Late:
            late = True
        except REFUSALS as error:
            raised = describe(error)
        if not late and not raised and not isinstance(answer, Answer):
            raise HostError(f"`invoke` returned {answer!r:.60} for `{tool}`; return Answer(ok, text)")
        called = Called(answer, self._effects()[before:], raised, late)
        self.stage.script.append(f"{called}; {len(called.effects)} reached a tool")
        return called

    def fallen(self, reason: Reason, message: str, remedy: str) -> Fallen:
        """A counterexample with the last steps of the script: what went before was about other tools."""
        opening, *steps = self.stage.script
        return Fallen(reason, message, remedy, (opening, *steps[-8:]))

    def _names(self, method: str) -> frozenset[str]:
        return frozenset(self.stage.agent.names(method)) if self.stage.session.has(method) else frozenset()

    def _effects(self) -> tuple[Effect, ...]:
        found = tuple(self.stage.agent.call("effects"))
        if not all(isinstance(effect, Effect) for effect in found):
            raise HostError(f"`effects` returned {found!r:.60}; return a list of Effect(tool, user)")
        return found
