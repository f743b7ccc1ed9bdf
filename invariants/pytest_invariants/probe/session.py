"""One probe of one registry: sets the stage, and remembers what several invariants need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from importlib import import_module

from pytest_invariants.probe.agent import REFUSALS, Agent, Question, questions_of
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.probe.host import Facts, HostError
from pytest_invariants.probe.levers import RESERVED, method_names
from pytest_invariants.probe.loading import HostLoader
from pytest_invariants.probe.matching import same
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.swap import Arguments, swap
from pytest_invariants.probe.target import Importer, describe, resolve
from pytest_invariants.probe.worlds import ALLOW, World
from pytest_invariants.registry.model import Reference, Registry, Surface
from pytest_invariants.registry.suggest import closest

NOBODYS = "no-such-category"
PAUSES = {"per-step": ("step", "turn"), "per-turn": ("turn", "step")}
"""The levers after which an agent has to hear a changed answer, by the policy `table`."""


class ProbeSession:
    """Plays scripts with the agent of one registry. With `update_snapshots` snapshots are written, not compared.

    Everything here raises HostError, with a message for people, for every way in which the host can be wrong.
    """

    def __init__(
        self, registry: Registry, importer: Importer = import_module, *, update_snapshots: bool = False
    ) -> None:
        self.registry = registry
        self.update_snapshots = update_snapshots
        self._loader = HostLoader(registry, importer)
        self._arguments: dict[Facts, Arguments] = {}
        self.heard: set[tuple[Question, Facts]] = set()
        """The questions on whose way the seal was asked, by any agent of this process under these facts."""
        self.seen: dict[str, Mapping[Question, Fallen]] = {}
        """What an invariant that plays once for all surfaces has found wrong, by its id."""
        self.parts: dict[str, tuple[str, ...]] = {}
        """What belongs to each skill, once it has been asked for while nothing is denied."""

    @property
    def skills(self) -> tuple[str, ...]:
        return self._loader.skills

    @property
    def facts(self) -> tuple[Facts, ...]:
        return self._loader.facts

    def starts(self) -> tuple[Facts, ...]:
        """The host's facts, and the same with a category that seals whatever is restricted."""
        foreign = (replace(facts, category=NOBODYS) for facts in self.facts if facts.category is not None)
        return tuple(dict.fromkeys((*self.facts, *foreign)))

    def resolve(self, reference: Reference) -> object:
        """The object of the repository that the registry names."""
        return resolve(reference, self._loader.module)

    def policy(self, name: str, default: str) -> str:
        return self.registry.policies.get(name, default)

    def has(self, method: str) -> bool:
        return callable(getattr(self._loader.specimen, method, None))

    def need(self, *methods: str) -> None:
        """Raises Lacking where the host has not all of these methods."""
        missing = [f"`{method}`{self._instead(method)}" for method in methods if not self.has(method)]
        if missing:
            raise Lacking(f"the host has no {' and no '.join(missing)}")

    def _instead(self, method: str) -> str:
        """What the host has instead: something of this name that is no method, or a method of nearly this name."""
        odd = getattr(self._loader.type, method, None)
        if odd is not None:
            return f" (its `{method}` is {type(odd).__name__}, no method)"
        known = {*RESERVED, *(name for surface in self.registry.surfaces for name in method_names(surface.id))}
        near = closest(method, [name for name in dir(self._loader.type) if name[0] != "_" and name not in known])
        return f" (it has `{near}`)" if near else ""

    def questions(self, surface: Surface) -> tuple[Question, ...]:
        """How to ask a surface. Raises Lacking where the host has no method for it."""
        names = method_names(surface.id)
        if not any(map(self.has, names)):
            raise Lacking(f"the host has no method `{names[-1]}` for this surface{self._instead(names[-1])}")
        return questions_of(surface)

    def named_question(self, surface: Surface) -> Question:
        """How to ask a surface by name. Raises Lacking where it only lists, or where what it hides may be called."""
        named = next((question for question in self.questions(surface) if not question.lists), None)
        if named is None:
            raise Lacking("a surface that only lists refuses nothing")
        if surface.hidden_but_callable:
            raise Lacking("the surface is declared hidden but callable, so it refuses nothing")
        return named

    def sealed_questions_of(self, surface: Surface) -> tuple[Question, ...]:
        """How to ask a surface for what the seal has to keep in. Raises Lacking where there is nothing to keep in."""
        questions = tuple(each for each in self.questions(surface) if each in self.sealed_questions)
        if not questions:
            raise Lacking("the surface is declared hidden but callable, so it refuses nothing")
        return questions

    @cached_property
    def sealed_questions(self) -> tuple[Question, ...]:
        """Every question that the host can put, but for the named ones of surfaces that are hidden but callable."""
        hidden = {surface.id for surface in self.registry.surfaces if surface.hidden_but_callable}
        return tuple(question for question in self.asked if question.lists or question.surface not in hidden)

    @cached_property
    def asked(self) -> tuple[Question, ...]:
        """Every question that the host can put, in the registry's order."""
        able = [surface for surface in self.registry.surfaces if any(map(self.has, method_names(surface.id)))]
        return tuple(question for surface in able for question in questions_of(surface))

    @cached_property
    def pause(self) -> str | None:
        """The lever after which the agent has to hear a changed answer; None where it hears it at once."""
        levers = PAUSES.get(self.policy("table", "live"), ())
        return next(filter(self.has, levers), None)

    @property
    def changeable(self) -> bool:
        """Whether an open agent can be made to hear a changed answer."""
        return self.pause is not None or self.policy("table", "live") not in PAUSES

    @contextmanager
    def stage(self, facts: Facts | None = None, world: World = ALLOW) -> Iterator[Stage]:
        """An agent that was opened in this world, under the usual facts if none are given; closed at the end."""
        facts = self.facts[0] if facts is None else facts
        known = {} if world.real or world == ALLOW else self.arguments(facts)
        with swap(self.registry.seal, self._loader.module) as swapped:
            swapped.arguments = known
            swapped.enter(world)
            self.forget_declared_caches()
            stage = Stage(self, facts, swapped, self.new_agent())
            try:
                stage.open()
                if world == ALLOW:
                    swapped.arguments = self._arguments[facts] = self.read_arguments(stage.agent)
                yield stage
            finally:
                stage.agent.close()

    def through(self, facts: Facts, worlds: Iterable[World], look: Callable[[Stage], None]) -> None:
        """Look at one agent that lives through these worlds; at a new one in each, where it cannot hear of a change.

        Where one falls that falls also without the worlds before it, the shorter script is told.
        """
        if not self.changeable:
            for world in worlds:
                with self.stage(facts, world) as stage:
                    look(stage)
            return
        with self.stage(facts) as stage:
            for world in worlds:
                if world != stage.swapped.world:
                    stage.enter(world)
                try:
                    look(stage)
                except Fallen as fallen:
                    last, longer = world, fallen
                    break
            else:
                return
        with self.stage(facts) as stage:
            if last != ALLOW:
                stage.enter(last)
            look(stage)
        raise longer

    def new_agent(self) -> Agent:
        """An agent that is not open yet.

        Raises HostError where its host does not say in the right form what can be asked for.
        """
        assert self.skills
        return Agent(self._loader.new())

    def arguments(self, facts: Facts) -> Arguments:
        """What the seal will be asked about for each skill under these facts."""
        if facts not in self._arguments:
            with self.stage(facts):
                pass
        return self._arguments[facts]

    def read_arguments(self, agent: Agent) -> Arguments:
        """What one open agent's host says that the seal will be asked about."""
        try:
            return {skill: self._checked(agent.call("seal_arguments", skill)) for skill in self.skills}
        except HostError:
            raise
        except REFUSALS as error:
            raise HostError(f"`{agent.name}.seal_arguments` raised {describe(error)}; repair it") from error

    def _checked(self, arguments: object) -> Mapping[str, object]:
        known = (*self.registry.seal.subject, *self.registry.seal.principal)
        if not isinstance(arguments, Mapping):
            said = f"`seal_arguments` returned {arguments!r:.60}"
            raise HostError(f"{said}; return a dictionary from the seal's parameters to values")
        for name in arguments:
            if name not in known:
                said = f"`seal_arguments` names `{name}`, the registry's seal has {', '.join(known)}"
                raise HostError(f"{said}; correct one of the two")
        return {name: arguments[name] for name in known if name in arguments}

    def groups(self, facts: Facts) -> tuple[frozenset[str], ...]:
        """The skills in groups that the seal cannot tell apart; none where the host does not say what it is asked."""
        arguments = self.arguments(facts)
        groups: list[list[str]] = []
        for skill in self.skills:
            subject = self._subject(arguments[skill])
            if not subject:
                return ()
            like = (group for group in groups if _alike(subject, self._subject(arguments[group[0]])))
            group = next(like, None)
            if group is None:
                groups.append([skill])
            else:
                group.append(skill)
        return tuple(map(frozenset, groups))

    def _subject(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        return {name: arguments[name] for name in self.registry.seal.subject if name in arguments}

    def forget_declared_caches(self) -> None:
        """Empty the caches that the registry declares right: they hold what the seal said in another world."""
        for cache in self.registry.caches:
            found = self.resolve(cache.of)
            forget = getattr(found, "cache_clear", None) or getattr(found, "clear", None)
            if callable(forget):
                forget()


def _alike(left: Mapping[str, object], right: Mapping[str, object]) -> bool:
    return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
