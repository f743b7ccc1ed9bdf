"""One conversation: inferences, the calls they lead to, and the record of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from entrypoints.agent import Agent
from entrypoints.approval import approve, hold, waits
from entrypoints.dispatch import dispatch
from entrypoints.growing import Grown, LoadedPolicy
from entrypoints.messages import Message, Role, ToolCall, loaded_skills, run_start
from entrypoints.model import ContentRefused, Model, Reply, Request
from entrypoints.prompt import system_prompt
from entrypoints.segments import Quarantine, Segment
from entrypoints.sources import WORKING_MODEL, Asker
from entrypoints.step import AS_LOADED, Assembly, Step, freeze
from entrypoints.turn import Thread, Turn
from skills.context import NOBODY, Identity
from skills.loader import SkillLoader

STEPS = 16
"""Inferences that one question may lead to."""


class Session:
    """A thread with the models that may serve it, first choice first.

    `loader` is the session's own, or None where the process-wide one is to answer.
    """

    def __init__(
        self,
        agent: Agent,
        thread_id: str,
        models: Sequence[Model],
        loader: SkillLoader | None = None,
        identity: Identity = NOBODY,
        loaded: LoadedPolicy = LoadedPolicy.FOLLOWS_HISTORY,
        assembly: Assembly = AS_LOADED,
        asker: Asker = WORKING_MODEL,
    ) -> None:
        self._agent = agent
        self._thread_id = thread_id
        self._models = tuple(models)
        self._loader = loader
        self._identity = identity
        self._policy = loaded
        self._assembly = assembly
        self._asker = asker
        self._run = Grown()
        self._quarantine = Quarantine()

    def ask(self, text: str) -> str:
        """Put a question and step until the model answers in words.

        Raises:
            RuntimeError: no provider takes the content, or the model does not come to an end.
        """
        thread = self._agent.history.thread(self._thread_id)
        self._agent.history.append(thread, Message(Role.USER, text))
        self._run = Grown()
        for _ in range(STEPS):
            reply = self.step()
            if not reply.calls:
                return reply.text
        raise RuntimeError(f"no answer after {STEPS} inferences")

    def step(self) -> Reply:
        """One inference and the calls that it leads to, all with the facts of this one moment."""
        step, reply = self._infer()
        answers = [self._answer(step, call) for call in reply.calls]
        self._run = self._run.merged(name for answer in answers for name in answer.loaded_skill)
        self._agent.history.append(step.turn.thread, Message(Role.ASSISTANT, reply.text, reply.calls), *answers)
        return reply

    def approve(self, call_id: str, changed: ToolCall | None = None) -> str:
        """Say yes to a call that waits, or to `changed` in its place and under its id; what became of it.

        Raises:
            Refused: no call of this id waits in this thread.
        """
        thread = self._agent.history.thread(self._thread_id)
        if changed is not None:
            self._agent.history.amend(thread, replace(changed, id=call_id))
        step = self._frozen(self._models[0], thread, self._agent.history.messages(thread))
        answer = approve(step, self._agent.history, call_id)
        self._agent.history.append(thread, answer)
        return answer.text

    def _answer(self, step: Step, call: ToolCall) -> Message:
        return hold(step, self._agent.history, call) if waits(step, call) else dispatch(step, call)

    def _infer(self) -> tuple[Step, Reply]:
        """Ask the first provider that has not refused this segment; each sees the table that its own tags allow."""
        thread = self._agent.history.thread(self._thread_id)
        messages = self._agent.history.messages(thread)
        for model in self._models:
            step = self._frozen(model, thread, messages)
            segment = Segment.of(thread, step.router.visible)
            name = model.provider.id or ""
            if self._quarantine.holds(segment, name):
                continue
            try:
                return step, model.infer(Request(system_prompt(step), step.router.visible, messages))
            except ContentRefused:
                self._quarantine.add(segment, name)
        raise RuntimeError("every provider has refused this context")

    def _frozen(self, model: Model, thread: Thread, messages: Sequence[Message]) -> Step:
        grows = self._policy is LoadedPolicy.GROWS
        loaded = self._run.names if grows else loaded_skills(messages)
        since = run_start(messages) if grows else 0
        return freeze(self._turn(model, thread), loaded, messages, model.searches, self._assembly, self._asker, since)

    def _turn(self, model: Model, thread: Thread) -> Turn:
        if self._asker.reviews:
            return self._agent.review(thread, self._asker, model.provider)
        return self._agent.turn(thread, model.provider, self._loader, self._identity)
