"""From a code base, and what its people already know of it, to a proposal for the rest of the registry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.registry.suggest import closest
from pytest_invariants.scaffold.draft import Draft, Source
from pytest_invariants.scaffold.guarded import callers_of, guarded, leading
from pytest_invariants.scaffold.kinds import Types
from pytest_invariants.scaffold.registrars import GATE, TOOL, Handed, handed, remarks
from pytest_invariants.scaffold.roles import roles_of
from pytest_invariants.scaffold.seals import Candidate, candidates, evidence, given
from pytest_invariants.scaffold.surfaces import Found, Proposed, surfaces
from pytest_invariants.scaffold.survey import Survey

TRIED = 5
"""Candidates for the seal of which it is asked what they guard; the first that guards anything is proposed."""
SHOWN = 3
"""Other candidates for the seal that are named."""


@dataclass(frozen=True)
class Wish:
    """What is known already: code roots, the seal, capabilities as `module:qualname` or `module:qualname=call`."""

    code: tuple[str, ...] = ()
    seal: str | None = None
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """A draft with its surfaces, and all that is for people to judge. `draft` is None where nothing decides."""

    code: tuple[str, ...]
    files: int
    draft: Draft | None
    others: tuple[str, ...] = ()
    found: Found = field(default_factory=Found)
    handed: tuple[Handed, ...] = ()
    doubts: tuple[str, ...] = ()
    known: tuple[Source, ...] = ()
    """The capabilities that the user named."""

    @property
    def complete(self) -> bool:
        """Whether the registry that comes of it can be read."""
        return bool(self.draft and self.draft.capabilities and any(one.sure for one in self.found.surfaces))


def propose(root: Path, wish: Wish, code: tuple[str, ...]) -> Proposal:
    """Read the code below `code`, and propose.

    :raises UsageError: where the seal or a capability that was given is not in it.
    """
    survey = Survey(root, code)
    types = {ref: Types(survey, function) for ref, function in survey.functions.items()}
    known = [_source(survey, text) for text in wish.capabilities]
    ranked = _ranked(survey, types, known)
    chosen = _chosen(survey, types, wish, ranked)
    over = tuple(handed(survey))
    doubts = [f"{each.path}:{each.line}: {each.message}" for each in survey.unreadable] + remarks(survey)
    if chosen is None:
        doubts.insert(0, "no function decides about others' requests: write the seal, and run this again with --seal")
        return Proposal(code, len(survey.trees), None, handed=over, doubts=tuple(doubts), known=tuple(known))
    draft, unsure = _draft(survey, types, chosen, known, code, over)
    handlers = [one.ref for one in over if one.role not in (TOOL, GATE)]
    found = surfaces(root, survey, types, draft, handlers) if draft.capabilities else Found()
    others = tuple(_named(one) for one in ranked if one.function.ref != draft.seal)[:SHOWN]
    doubts = [*unsure, *found.problems, *(f"{ref}: not followed to its end" for ref in found.unfollowed), *doubts]
    found = replace(found, surfaces=tuple(_with_handlers(found.surfaces, over)))
    return Proposal(code, len(survey.trees), draft, others, found, over, tuple(doubts))


def _source(survey: Survey, text: str) -> Source:
    ref, _, grant = text.partition("=")
    if grant not in ("", "value", "call"):
        raise UsageError(f"--capability {text}: write `=value` or `=call` after it, or nothing")
    known = [*survey.functions, *(f"{cls.ref}.{name}" for cls in survey.classes.values() for name in cls.fields)]
    ours = ref.partition(":")[0].partition(".")[0] in {module.partition(".")[0] for module in survey.trees}
    if ours and ref not in known:
        raise UsageError(f"--capability {ref}: not in the code{_meant(ref, known)}")
    return Source(ref, grant or ("call" if not ours else "value"), "named by you")


def _meant(ref: str, known: Iterable[str]) -> str:
    near = closest(ref, known)
    return f"; did you mean `{near}`?" if near else ""


def _ranked(survey: Survey, types: dict[str, Types], known: list[Source]) -> list[Candidate]:
    """Candidates for the seal; where capabilities are known, those that most ways to one of them ask.

    One that a single function obeys counts where there is no better one: others may ask it through that.
    """
    if not known:
        return candidates(survey, types) or candidates(survey, types, fewest=1)
    callers = callers_of(survey, types)
    near = {ref for one in known for ref in leading(callers, one.ref)}
    near |= {ref for reader in _touching(survey, types, known) for ref in leading(callers, reader)}
    every = candidates(survey, types, fewest=1)
    ranked = {one.function.ref: len(near & leading(callers, one.function.ref)) for one in every}
    return sorted((one for one in every if ranked[one.function.ref]), key=lambda one: -ranked[one.function.ref])


def _touching(survey: Survey, types: dict[str, Types], known: list[Source]) -> set[str]:
    from pytest_invariants.scaffold.surfaces import readers

    return readers(survey, types, [one.ref for one in known])


def _chosen(survey: Survey, types: dict[str, Types], wish: Wish, ranked: list[Candidate]) -> Candidate | None:
    if wish.seal is None:
        guarding = (one for one in ranked[:TRIED] if guarded(survey, types, one, roles_of(one, types)))
        return next(guarding, ranked[0] if ranked else None)
    chosen = given(survey, types, wish.seal)
    if chosen is None:
        raise UsageError(f"--seal {wish.seal}: not in the code{_meant(wish.seal, survey.functions)}")
    return chosen


def _draft(
    survey: Survey,
    types: dict[str, Types],
    seal: Candidate,
    known: list[Source],
    code: tuple[str, ...],
    over: Iterable[Handed],
) -> tuple[Draft, list[str]]:
    roles = roles_of(seal, types)
    named = {one.ref for one in known}
    found = [
        Source(one.ref, one.grant, f"let out at {', '.join(map(str, one.places[:4]))}", one.sure)
        for one in guarded(survey, types, seal, roles)
        if one.ref not in named
    ]
    decorators = {one.decorator: one for one in over if one.decorator and one.role == TOOL}
    tools = [
        Source(str(ref), "call", f"{one.framework} runs what is {one.how}, as at {one.at}", decorated=True)
        for ref, one in sorted(decorators.items(), key=lambda pair: str(pair[0]))
    ]
    draft = Draft(
        code=code,
        seal=seal.function.ref,
        verdict=seal.verdict,
        subject=roles.subject,
        principal=roles.principal,
        state=roles.state,
        capabilities=(*known, *found, *tools),
        evidence=tuple(evidence(seal)),
    )
    return draft, list(roles.unsure)


def _named(candidate: Candidate) -> str:
    return f"{candidate.function.ref} ({candidate.verdict}): {next(evidence(candidate))}"


def _with_handlers(found: Iterable[Proposed], over: Iterable[Handed]) -> Iterable[Proposed]:
    """Where a framework was handed the function, the manner is known, and so is who calls it."""
    known = {one.ref: one for one in over if one.role != GATE}
    for one in found:
        handler = known.get(one.row.function)
        if handler is None:
            yield one
        else:
            manner = "named" if handler.role == TOOL else handler.role
            said = f"{handler.framework} calls it: {handler.how}"
            yield replace(one, row=replace(one.row, manner=manner), evidence=said, sure=True)
