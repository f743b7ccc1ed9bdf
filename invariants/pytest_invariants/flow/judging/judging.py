"""From grants to a verdict: proved, refuted with the shortest way around, or undecided with the sites."""

from __future__ import annotations

from pytest_invariants.flow.domain.state import Doubt, Open, Related, State, Trail
from pytest_invariants.flow.domain.terms import Element, Literal, Named, Param, Term, given_up, rewrite, roots
from pytest_invariants.flow.domain.values import term_of
from pytest_invariants.flow.judging.activation import Activation, resume
from pytest_invariants.flow.judging.wording import MESSAGES, REMEDIES
from pytest_invariants.flow.machine import effort
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.machine.machine import Event
from pytest_invariants.flow.seal.covering import cover, in_other_round, speaks_of
from pytest_invariants.registry.model import Grant, Surface, VerdictKind
from pytest_invariants.verdict import Finding, Place, Reason, Step, Verdict

ID = "seal-consulted"
LEVELS = {
    Reason.NEVER_REACHES_SEAL: 0,
    Reason.PATH_WITHOUT_SEAL: 1, Reason.NOT_AWAITED: 1, Reason.NOT_ITERATED: 1, Reason.NOT_ENTERED: 1,
    Reason.GRANT_BEFORE_SEAL: 1, Reason.WRONG_SUBJECT: 3, Reason.WRONG_PRINCIPAL: 3, Reason.CONSTANT_PRINCIPAL: 3,
    Reason.STALE_VERDICT: 4, Reason.SUBJECT_REBOUND: 4,
}  # fmt: skip
"""The level that is reached although the next one falls; level 2 where nothing else is said."""


class Judge:
    """Judges the activations of one surface."""

    def __init__(self, m: Analysis, surface: Surface, activations: list[Activation], *, asked: bool = False) -> None:
        self.m, self.surface, self.activations = m, surface, activations
        if activations:
            resume(m, activations[0])
        self.events = [e for a in activations for e in a.events if not e.label.aside or self._covered(e)]
        self.asked = asked or any(a.effects.asked for a in activations)
        self.refused = any(a.refused for a in activations)

    def verdict(self) -> Finding:
        open_events = [e for e in self.events if not self._covered(e)]
        refuted, undecided = [], []
        for event in open_events:
            doubts = self._doubts(event)
            if not doubts and (event.label.doubt is None or self._surely(event)):
                refuted.append(event)
            else:
                undecided.append((event, doubts))
        if any(a.fault for a in self.activations):
            return self._too_large()
        if refuted:
            return self._refuted(refuted)
        if undecided:
            return self._undecided(undecided)
        if not all(a.complete for a in self.activations):
            return self._too_large()
        if not any(e.label.capability >= 0 for e in self.events):
            return self._nothing()
        return self._proved()

    def _surely(self, event: Event) -> bool:
        """Whether it makes no difference what a callee made of a capability, since nobody asks about any on this path, or on
        behalf of somebody else only."""
        asked = self.asked and event.state.calls and event.label.missed not in MISTAKEN
        return not asked and event.label.doubt is Reason.TOO_MANY_TARGETS and event.label.capability >= 0

    def _covered(self, event: Event) -> bool:
        return event.by is not None or event.label.cleared is not None

    def _doubts(self, event: Event) -> list[Doubt]:
        """The calls on the path that may have asked the seal about this."""
        fault = cover(self.m, event.label, event.state.facts).fault or event.label.missed
        if fault is Reason.OPAQUE_CALLABLE:
            at = event.label.read
            return [Doubt(Reason.OPAQUE_CALLABLE, at, frozenset(), "the principal's origin")]
        involved = {t for t in roots(event.label.subject) if not isinstance(t, Literal | Named)}
        found = [d for d in event.state.doubts if self._relevant(d, involved)] + _given_up(event) + self._blurred(event)
        return sorted(found, key=lambda d: (d.at, d.reason, d.note))

    def _blurred(self, event: Event) -> list[Doubt]:
        """In a surface that is large, or not followed to its end, paths were joined early: that an answer does not fit is not
        sure then."""
        if not event.state.calls or all(one.sampled or (one.complete and not one.large) for one in self.activations):
            return []
        return [Doubt(Reason.TOO_MANY_TARGETS, event.at, frozenset(), "there are more paths than are looked at")]

    def _relevant(self, doubt: Doubt, involved: set[Term]) -> bool:
        leaves = {t for t in doubt.roots if not isinstance(t, Literal | Named)}
        return bool(leaves & involved) or any(isinstance(t, Param) for t in leaves)

    def _refuted(self, events: list[Event]) -> Finding:
        reasons = {id(e): self.reason(e) for e in events}
        shortest = min(events, key=lambda e: (PREFERENCE.get(reasons[id(e)], 2), by_length(e)))
        reason = reasons[id(shortest)]
        last = Step(shortest.at, self._gets_out(shortest))
        return Finding(
            self.surface.id,
            ID,
            Verdict.REFUTED,
            LEVELS.get(reason, 2),
            reason,
            shortest.at,
            (*_steps(shortest), last),
            f"{MESSAGES[reason]} ({self._named(shortest)})",
            REMEDIES[reason],
        )

    def _named(self, event: Event) -> str:
        if event.label.capability < 0:
            return "an unknown value"
        capability = self.m.registry.capabilities[event.label.capability]
        return f"`{capability.of or capability.decorated}`"

    def _gets_out(self, event: Event) -> str:
        exercised = event.label.capability >= 0 and self.m.grant_of(event.label) is Grant.CALL
        return f"{self._named(event)} {'is exercised' if exercised else 'gets out'}"

    def reason(self, event: Event) -> Reason:
        """The reason code: what is wrong on this path, the most telling first."""
        label, state = event.label, event.state
        fault = cover(self.m, label, state.facts).fault
        if fault is not None or label.missed is not None:
            return fault or label.missed or Reason.WRONG_SUBJECT
        pending = self._pending(event)
        if pending is not None:
            return pending
        outcomes = self._outcomes(event)
        if label.stale or "stale" in outcomes:
            return Reason.STALE_VERDICT
        if not self.asked:
            return Reason.NEVER_REACHES_SEAL
        if "swallowed" in outcomes:
            return Reason.SWALLOWED_REFUSAL
        if "broke" in outcomes:
            return Reason.FAILS_OPEN
        if any(
            isinstance(f, Open) and not f.asserted and not in_other_round(f.call, label.subject) for f in state.facts
        ):
            return Reason.WRONG_SUBJECT
        if label.joined and not outcomes & {"denied", "partial", "mixed", "untested"}:
            return Reason.ADDED_AFTER_SEAL
        return self._ignored(event, outcomes)

    def _outcomes(self, event: Event) -> set[str]:
        """How the answers about this very subject were taken; of others only what matters whatever they spoke of."""
        state = event.state
        links = [fact for fact in state.facts if isinstance(fact, Related)]
        filters = self.m.seal.kind is VerdictKind.FILTERS
        subject, undrawn = event.label.subject, rewrite(event.label.subject, _undrawn)
        every = {outcome for outcome in state.outcomes.values() if outcome in ("swallowed", "broke", "stale")}
        return every | {
            outcome
            for number, outcome in state.outcomes.items()
            if number in state.calls
            and (
                filters
                or speaks_of(self.m, state.calls[number], subject, links)
                or (outcome == "denied" and speaks_of(self.m, state.calls[number], undrawn, links))
            )
        }

    def _ignored(self, event: Event, outcomes: set[str]) -> Reason:
        covered = [e for e in self.events if self._covered(e)]
        if "denied" in outcomes:
            if not any(e.at == event.at for e in covered):
                return Reason.INVERTED
            elsewhere = any(at != event.at for a in self.activations for at in a.effects.refused)
            return Reason.PARTIAL_VERDICT if self.refused or elsewhere else Reason.VERDICT_IGNORED
        if "partial" in outcomes:
            return Reason.PARTIAL_VERDICT
        if "mixed" in outcomes:
            return Reason.VERDICT_IGNORED
        if "open" in outcomes and covered:
            return Reason.ADDED_AFTER_SEAL
        if covered and self.m.seal.kind is VerdictKind.FILTERS:
            return Reason.ADDED_AFTER_SEAL
        if outcomes & {"untested", "open"}:
            return Reason.VERDICT_IGNORED
        called = event.label.capability >= 0 and self.m.grant_of(event.label) is Grant.CALL
        if called and not covered and self._asked_later(event):
            return Reason.GRANT_BEFORE_SEAL
        return Reason.PATH_WITHOUT_SEAL

    def _asked_later(self, event: Event) -> bool:
        """Whether a path that goes on from the grant asks the seal after all."""
        return any(
            _goes_on(state.trail, event.state.trail) and state.calls.keys() > event.state.calls.keys()
            for activation in self.activations
            for state in activation.states
        )

    def _pending(self, event: Event) -> Reason | None:
        return self._pending_in(event.state)

    def _pending_in(self, state: State) -> Reason | None:
        """A call that would have asked, had anybody awaited, iterated or entered it."""
        kinds = {"coroutine": Reason.NOT_AWAITED, "context": Reason.NOT_ENTERED}
        for number, kind, _ in sorted(state.pending, key=repr):
            if self.m.would_ask(number):
                return kinds.get(kind, Reason.NOT_ITERATED)
        return None

    def _undecided(self, events: list[tuple[Event, list[Doubt]]]) -> Finding:
        events = sorted(events, key=lambda pair: (by_length(pair[0]), [(d.at, d.reason, d.note) for d in pair[1]]))
        event, doubts = events[0]
        sites = tuple(Step(d.at, f"{d.reason}: {d.note}") for _, ds in events for d in ds)
        if event.label.doubt is not None and not doubts:
            reason = event.label.doubt
            sites = (Step(event.label.read, f"{reason}: read here"), *sites)
        else:
            reason = doubts[0].reason if doubts else Reason.UNTYPED_RECEIVER
        return Finding(
            self.surface.id,
            ID,
            Verdict.UNDECIDED,
            1 if self.asked else 0,
            reason,
            event.at,
            _steps(event),
            MESSAGES[reason],
            REMEDIES[reason],
            sites=tuple(dict.fromkeys(sites)),
        )

    def _too_large(self) -> Finding:
        fault = next((a.fault for a in self.activations if a.fault), "")
        if fault:
            return Finding(
                self.surface.id,
                ID,
                Verdict.UNDECIDED,
                None,
                Reason.HARNESS,
                self.surface.at,
                (),
                f"a fault of the prover: {fault}",
                "report the surface's source; until then cover it by a probe",
            )
        reason = Reason.TOO_MANY_TARGETS
        way = next((a.effort.heaviest() for a in self.activations if not a.complete), [])
        trace = effort.trace(way)
        sites = next((found for info, _ in reversed(way) if (found := effort.sites(self.m, info))), ())
        return Finding(
            self.surface.id,
            ID,
            Verdict.UNDECIDED,
            None,
            reason,
            next((step.at for step in (*sites, *trace[-1:])), self.surface.at),
            trace,
            "the surface has more paths than are looked at",
            "say what the values named are instances of, or ask the seal closer to the grant"
            if sites
            else REMEDIES[reason],
            sites=sites,
        )

    def _nothing(self) -> Finding:
        pending = next((r for a in self.activations for s in a.states for r in [self._pending_in(s)] if r), None)
        if pending is not None:
            return Finding(
                self.surface.id,
                ID,
                Verdict.REFUTED,
                1,
                pending,
                self.surface.at,
                (),
                MESSAGES[pending],
                REMEDIES[pending],
            )
        sites = tuple(Step(at, f"{why}: {text}") for a in self.activations for why, at, text in a.effects.unresolved)
        if sites:
            reason = Reason(sites[0].note.partition(":")[0])
            return Finding(
                self.surface.id,
                ID,
                Verdict.UNDECIDED,
                0,
                reason,
                sites[0].at,
                (),
                MESSAGES[reason],
                REMEDIES[reason],
                sites=tuple(dict.fromkeys(sites))[:8],
            )
        return Finding(
            self.surface.id,
            ID,
            Verdict.REFUTED,
            0,
            Reason.NO_GRANT,
            self.surface.at,
            (),
            MESSAGES[Reason.NO_GRANT],
            REMEDIES[Reason.NO_GRANT],
        )

    def _proved(self) -> Finding:
        guards = sorted({place for e in self.events for place in guard_places(e)})
        suspended = any(e.label.suspended or (e.by is not None and e.by.epoch < e.state.epoch) for e in self.events)
        names = tuple(f"the seal asked at {place}" for place in guards)
        assumptions = ["functions of other packages neither hold a capability nor swallow an exception"]
        if suspended:
            assumptions.append(
                "the thread's facts do not change while the surface waits between the seal and the grant"
            )
        return Finding(
            self.surface.id,
            ID,
            Verdict.PROVED,
            4 if suspended else 5,
            None,
            self._first(),
            (),
            "",
            "",
            names,
            tuple(assumptions),
        )

    def _first(self) -> Place:
        return min(e.at for e in self.events)


def _given_up(event: Event) -> list[Doubt]:
    """Questions about one of many values: whether it was the one that gets out is not known."""
    reason, note = Reason.TOO_MANY_TARGETS, "one of many values is asked about"
    asked = [(call.at, term_of(value)) for call in event.state.calls.values() for value in call.subjects]
    asked.append((event.label.read, event.label.subject))
    places = [at for at, term in asked if given_up(term)]
    return [Doubt(reason, at, frozenset(), note) for at in places]


MISTAKEN = (Reason.CONSTANT_PRINCIPAL, Reason.WRONG_PRINCIPAL)
"""What is wrong with an answer that was given to somebody else."""


def _goes_on(trail: Trail | None, earlier: Trail | None) -> bool:
    while trail is not None and trail is not earlier:
        trail = trail.before
    return trail is earlier


def _undrawn(term: Term) -> Term | None:
    """What an element was drawn from, where that stands for all: the question was asked about it as such."""
    return term.base if isinstance(term, Element) and isinstance(term.base, Element) else None


PREFERENCE = {
    Reason.INVERTED: 0, Reason.SWALLOWED_REFUSAL: 0, Reason.STALE_VERDICT: 0, Reason.WRONG_PRINCIPAL: 1, Reason.WRONG_SUBJECT: 1,
    Reason.PARTIAL_VERDICT: 1, Reason.CONSTANT_PRINCIPAL: 1, Reason.VERDICT_IGNORED: 3, Reason.FAILS_OPEN: 4,
}  # fmt: skip
"""Which of several findings tells most about what is wrong; 2 where nothing is said."""


def guard_places(event: Event) -> list[Place]:
    found = [event.by.call.at] if event.by is not None else []
    return found + ([event.label.cleared] if event.label.cleared is not None else [])


def by_length(event: Event) -> tuple[object, ...]:
    """The shortest way first; of ways of one length always the same one."""
    steps = _steps(event)
    way = [(str(step.at), step.note) for step in steps]
    return len(steps), event.at, str(event.label.read), event.label.capability, way


def _steps(event: Event) -> tuple[Step, ...]:
    return event.state.trail.steps() if event.state.trail is not None else ()
