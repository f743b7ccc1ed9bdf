"""A stage: one agent, opened while the seal is swapped, with a script of all that was done to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_invariants.probe.agent import REFUSALS, Agent, Question
from pytest_invariants.probe.blame import raised
from pytest_invariants.probe.host import Facts, Host, HostError, Listing, Outcome
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.swap import Call, Swapped
from pytest_invariants.probe.target import describe
from pytest_invariants.probe.voice import as_answer
from pytest_invariants.probe.worlds import ALLOW, Asker, World
from pytest_invariants.registry.model import VerdictKind

if TYPE_CHECKING:
    from pytest_invariants.probe.session import ProbeSession


UNKNOWN = "no-such-skill"
UNSPOKEN = (VerdictKind.FILTERS, VerdictKind.ENTERS)
"""Kinds of seals whose answer is no value."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What came out of one surface: the skills that it showed, what it said of each, and the calls of the seal."""

    question: Question
    skills: frozenset[str]
    texts: Mapping[str, str]
    calls: tuple[Call, ...]
    broke: str = ""
    """The exception that a listing raised."""

    def said(self, skill: str) -> str:
        return self.texts.get(skill, "") or self.broke


@dataclass(slots=True)
class Stage:
    """Every step goes into `script`, in words."""

    session: ProbeSession
    facts: Facts
    swapped: Swapped
    agent: Agent
    script: list[str] = field(default_factory=list)
    seen: dict[Question, frozenset[str]] = field(default_factory=dict)
    """The skills that came out earlier, by the question that was asked."""
    spans: list[tuple[Question, range]] = field(default_factory=list)
    """Which calls of the seal came while which question was asked."""
    dead: str = ""
    """Why the agent did not open in this world; then nothing comes out of it."""
    asker: Asker | None = None
    """On whose behalf this agent asks, where worlds tell askers apart."""

    @property
    def world(self) -> World:
        """What the seal says to this agent."""
        return self.swapped.world.heard_by(self.asker)

    @property
    def allowed(self) -> frozenset[str]:
        """The skills that the seal allows to this agent."""
        world = self.world
        return frozenset(skill for skill in self.session.skills if world.allows(skill))

    @property
    def _root(self) -> Path:
        return self.session.registry.root

    def open(self) -> None:
        """Open the agent. Where everything is allowed it has to open; elsewhere, failing is a way to be closed."""
        self.script.append(f"an agent opens with {self.facts} while {self.swapped.world}")
        try:
            self.agent.open(self.facts)
        except HostError:
            raise
        except REFUSALS as error:
            if self.swapped.world == ALLOW:
                raise HostError(
                    f"`{self.agent.name}.open` raised {raised(error, self._root)}; repair the host"
                ) from error
            self.dead = describe(error)
            self.script.append(f"it does not open: {self.dead}")
            return
        self._speak_for(self.agent.host)

    def _speak_for(self, host: Host) -> None:
        self.swapped.voice = replace(
            self.swapped.voice,
            denial=getattr(host, "denial", None),
            permission=getattr(host, "permission", None),
        )
        if self.swapped.world == ALLOW:
            self._check_voice(host)

    def _check_voice(self, host: Host) -> None:
        """Raises HostError where the host says yes by what it gives out as a no, or the other way round."""
        voice, skill = self.swapped.voice, next(iter(self.session.skills))
        for name, told, meant in (("denial", voice.denial, False), ("permission", voice.permission, True)):
            if told is not None and voice.kind not in UNSPOKEN:
                answer = told(skill)
                if voice.means_yes(as_answer(answer)) is not meant:
                    said = (
                        f"`{type(host).__name__}.{name}` returned {answer!r:.60}, which is a {'no' if meant else 'yes'}"
                    )
                    raise HostError(f"{said} of a seal whose verdict is `{voice.kind}`; return what the seal would")

    def enter(self, world: World, *, at_rest: bool = False) -> None:
        """Change what the seal says, and go on to where the declared policy lets the agent hear of it.

        At rest the agent does not go on: whatever comes next has to hear of it. An agent that did not open in the world
        before is opened anew.
        """
        self.swapped.enter(world)
        self.session.forget_declared_caches()
        if self.dead:
            self.agent.close()
            self.agent, self.dead = self.session.new_agent(), ""
            self.open()
            return
        self.script.append(f"now {world}")
        if not at_rest:
            self.go_on()

    def go_on(self) -> None:
        """Go on to where the declared policy lets the agent hear of a change."""
        if self.session.pause is not None and self.agent.has(self.session.pause):
            self.pull(self.session.pause)

    def pull(self, lever: str, *arguments: object) -> object:
        """Move a lever of the host.

        Raises HostError where the lever fails in a world in which nothing is refused.
        """
        self.script.append(words(lever, *arguments))
        if self.dead:
            return None
        before = len(self.swapped.calls)
        try:
            return self.agent.call(lever, *arguments)
        except HostError:
            raise
        except REFUSALS as error:
            if self.swapped.world == ALLOW:
                raise HostError(
                    f"`{self.agent.name}.{lever}` raised {raised(error, self._root)}; repair the host"
                ) from error
            self.script.append(f"which fails: {describe(error)}")
            return None
        finally:
            if lever in (
                "load",
                "pend",
            ):  # as good as questions: the agent asks the seal about what is loaded or called
                self.spans.append((Question(lever, lists=False), range(before, len(self.swapped.calls))))

    def able(self, questions: tuple[Question, ...]) -> tuple[Question, ...]:
        """Those questions for which this agent's host has a method: a child's may have fewer than its parent's."""
        return tuple(question for question in questions if self.agent.method_of(question.surface))

    @property
    def unknown(self) -> str:
        """A name that no skill has."""
        return str(self.agent.call("unknown")) if self.session.has("unknown") else UNKNOWN

    def ask(self, question: Question) -> Shown:
        """Ask one surface about every skill."""
        before = len(self.swapped.calls)
        if self.dead:
            return Shown(question, frozenset(), {}, (), broke=self.dead)
        if question.lists:
            return self._listed(question, self.agent.listing(question.surface), before)
        outcomes = {skill: self.agent.ask(question.surface, skill) for skill in self.session.skills}
        return self._ran(question, outcomes, before)

    async def ask_later(self, question: Question) -> Shown:
        """The same, as a task among others on the agent's event loop."""
        before = len(self.swapped.calls)
        if self.dead:
            return Shown(question, frozenset(), {}, (), broke=self.dead)
        if question.lists:
            return self._listed(question, await self.agent.listing_later(question.surface), before)
        outcomes = {skill: await self.agent.ask_later(question.surface, skill) for skill in self.session.skills}
        return self._ran(question, outcomes, before)

    def calls_for(self, question: Question) -> list[Call]:
        """The calls of the seal while this question was asked, or while none was: what other questions led to is theirs."""
        own = {number for asked, span in self.spans if asked == question for number in span}
        others = {number for asked, span in self.spans if asked != question for number in span} - own
        return [call for number, call in enumerate(self.swapped.calls) if number not in others]

    def _listed(self, question: Question, listing: Listing, before: int) -> Shown:
        skills = self.session.skills
        self.spans.append((question, range(before, len(self.swapped.calls))))
        shown, texts = frozenset(listing.names) & frozenset(skills), dict.fromkeys(skills, listing.text)
        return Shown(question, shown, texts, self._since(before), listing.text if listing.broke else "")

    def _ran(self, question: Question, outcomes: Mapping[str, Outcome], before: int) -> Shown:
        self.spans.append((question, range(before, len(self.swapped.calls))))
        ran = frozenset(skill for skill, outcome in outcomes.items() if outcome.ran)
        texts = {skill: outcome.text for skill, outcome in outcomes.items()}
        return Shown(question, ran, texts, self._since(before))

    def _since(self, before: int) -> tuple[Call, ...]:
        return tuple(self.swapped.calls[before:])
