"""From a code base, and what its people already know of it, to a proposal for the rest of the registry."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.registry.suggest import closest
from pytest_invariants.scaffold.draft import Draft, Source
from pytest_invariants.scaffold.guarded import guarded
from pytest_invariants.scaffold.proving import Answers, answers
from pytest_invariants.scaffold.reading import Reading, read_code
from pytest_invariants.scaffold.registrars import GATE, TOOL, Handed, remarks
from pytest_invariants.scaffold.roles import roles_of
from pytest_invariants.scaffold.seals import Candidate, candidates, evidence, given
from pytest_invariants.scaffold.surfaces import Found, Proposed, surfaces
from pytest_invariants.scaffold.survey import Function
from pytest_invariants.scaffold.weighing import Reason, Weighed, speaks_of_a_right

TRIED = 5
"""Candidates for the seal of which it is asked what they guard; the first that guards anything is proposed."""
SHOWN = 4
"""Other candidates for the seal that are named."""
SAID = 4
"""Reasons that are given for a candidate."""
PROVED = 40
"""Surfaces of which the prover is asked, as far as its budget goes."""
_MANY = frozenset({"list", "List", "tuple", "Sequence", "Iterable", "dict", "Mapping", "set"})
_CONTEXT = frozenset({"ctx", "context", "runtime", "run_context", "tool_context", "turn", "state", "request"})
"""What a framework hands to a tool beside what the model writes."""
NOBODY = "no_seal_yet:decides"
"""A name that no code has."""


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
    functions: Mapping[str, Function] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether the registry that comes of it can be read."""
        return bool(self.draft and self.draft.capabilities and any(one.sure for one in self.found.surfaces))


def propose(root: Path, wish: Wish, code: tuple[str, ...], *, prove: bool = True) -> Proposal:
    """Read the code below `code`, and propose; without `prove` nobody is asked whether the surfaces obey the seal.

    :raises UsageError: where the seal or a capability that was given is not in it.
    """
    read = read_code(root, code)
    known = [_source(read, text) for text in wish.capabilities]
    ranked = _ranked(read, known)
    chosen = _chosen(read, wish, ranked)
    files, over = len(read.survey.trees), read.over
    doubts = [f"{each.path}:{each.line}: {each.message}" for each in read.survey.unreadable] + remarks(read.survey)
    if chosen is None:
        doubts.insert(0, "no function decides about others' requests: write the seal, and run this again with --seal")
        found = surfaces(read, without_seal(code, known))
        return Proposal(code, files, None, (), found, over, tuple(doubts), tuple(known), read.survey.functions)
    draft, unsure = _draft(read, chosen, known, code)
    if wish.seal is None and not speaks_of_a_right(chosen.function):
        unsure.insert(0, f"neither name nor docstring of {draft.seal} speaks of a right to anything: is it the seal?")
    found = surfaces(read, draft) if draft.capabilities else Found()
    found = replace(found, surfaces=tuple(_with_handlers(found.surfaces, over, read.survey.functions)))
    if prove and any(one.sure for one in draft.capabilities):
        found = _proved(root, draft, found)
    others = tuple(_named(one) for one in ranked if one.candidate.function.ref != draft.seal)[:SHOWN]
    told = (*unsure, *found.problems, *doubts)
    return Proposal(code, files, draft, others, found, over, told, tuple(known), read.survey.functions)


def without_seal(code: tuple[str, ...], known: Iterable[Source]) -> Draft:
    """The ways to a known capability can be told before there is a seal: nobody asks it yet."""
    return Draft(code, NOBODY, "sealed", (), {}, (), tuple(known))


def _source(read: Reading, text: str) -> Source:
    ref, _, grant = text.partition("=")
    if grant not in ("", "value", "call"):
        raise UsageError(f"--capability {text}: write `=value` or `=call` after it, or nothing")
    survey = read.survey
    known = [*survey.functions, *(f"{cls.ref}.{name}" for cls in survey.classes.values() for name in cls.fields)]
    ours = ref.partition(":")[0].partition(".")[0] in survey.tops
    if ours and ref not in known:
        raise UsageError(f"--capability {ref}: not in the code{_meant(ref, known)}")
    return Source(ref, grant or ("call" if not ours else "value"), "named by you")


def _meant(ref: str, known: Iterable[str]) -> str:
    near = closest(ref, known)
    return f"; did you mean `{near}`?" if near else ""


def _ranked(read: Reading, known: list[Source]) -> list[Weighed]:
    """Candidates for the seal; where capabilities are known, those that ways to one of them ask, most of all."""
    ranked = read.scales.ranked(candidates(read.graph, read.things))
    if not known:
        return ranked
    graph = read.graph
    using = {ref for one in known for ref in graph.readers.get(one.ref, set()) | graph.callers.get(one.ref, set())}
    near = {each for ref in using for each in graph.leading(ref, 2)}
    shared = {one.candidate.function.ref: len(near & graph.leading(one.candidate.function.ref, 4)) for one in ranked}
    asked = [one for one in ranked if shared[one.candidate.function.ref]]
    return sorted(asked, key=lambda one: -one.points - 3 * math.log2(1 + shared[one.candidate.function.ref]))


def _chosen(read: Reading, wish: Wish, ranked: list[Weighed]) -> Candidate | None:
    if wish.seal is not None:
        chosen = given(read.graph, read.things, wish.seal)
        if chosen is None:
            raise UsageError(f"--seal {wish.seal}: not in the code{_meant(wish.seal, read.survey.functions)}")
        return chosen
    for one in ranked[:TRIED]:
        if any(each.sure for each in guarded(read, one.candidate, roles_of(one.candidate, read.types, read.things))):
            return one.candidate
    return ranked[0].candidate if ranked else None


def _draft(read: Reading, seal: Candidate, known: list[Source], code: tuple[str, ...]) -> tuple[Draft, list[str]]:
    roles = roles_of(seal, read.types, read.things)
    named = {one.ref for one in known}
    found = [
        Source(one.ref, one.grant, f"{one.why} at {', '.join(map(str, one.places[:4]))}", one.sure)
        for one in guarded(read, seal, roles)
        if one.ref not in named
    ]
    decorators = {one.decorator: one for one in read.over if one.decorator and one.role == TOOL}
    tools = [
        Source(str(ref), "call", f"{one.framework} runs what is {one.how}, as at {one.at}", decorated=True)
        for ref, one in sorted(decorators.items(), key=lambda pair: str(pair[0]))
    ]
    weighed = read.scales.ranked([seal])[0]
    draft = Draft(
        code=code,
        seal=seal.function.ref,
        verdict=seal.verdict,
        subject=roles.subject,
        principal=roles.principal,
        state=roles.state,
        capabilities=(*known, *found, *tools),
        evidence=(*evidence(seal), *(each.said for each in _speaking(weighed) if not each.counts)),
    )
    return draft, list(roles.unsure)


def _said(weighed: Weighed) -> Iterator[str]:
    """What speaks for a candidate most, in words."""
    yield from (each.said for each in _speaking(weighed)[:SAID])


def _speaking(weighed: Weighed) -> list[Reason]:
    return sorted((each for each in weighed.reasons if each.points > 0), key=lambda each: -each.points)


def _named(weighed: Weighed) -> str:
    one = weighed.candidate
    return f"{one.function.ref} ({one.verdict}): {'; '.join(_said(weighed))}"


def _with_handlers(
    found: Iterable[Proposed], over: Iterable[Handed], functions: Mapping[str, Function]
) -> Iterable[Proposed]:
    """Where a framework was handed the function, the manner is known, and so is who calls it."""
    known = {one.ref: one for one in over if one.role != GATE}
    for one in found:
        handler = known.get(one.row.function)
        if handler is None:
            yield one
        else:
            manner = _manner(functions[handler.ref]) if handler.role == TOOL else handler.role
            said = f"{handler.framework} calls it: {handler.how}"
            sure = one.sure or bool(one.way)
            yield replace(one, row=replace(one.row, manner=manner), evidence=said, sure=sure)


def _manner(tool: Function) -> str:
    """A tool that is asked for nothing, or that gives back many, lists; another is asked for one thing."""
    match tool.node.returns:
        case ast.Subscript(value=ast.Name(id=name)) if name in _MANY:
            return "browse"
    return "named" if set(tool.parameters) - _CONTEXT else "browse"


def _proved(root: Path, draft: Draft, found: Found) -> Found:
    """What the prover says of the sure ones, where it answers in time."""
    wanted = [one.row.function for one in found.surfaces if one.sure][:PROVED]
    if not wanted:
        return found
    said = answers(root, draft, wanted)
    problems = list(said.problems)
    if late := [ref for ref in wanted if ref not in said.verdicts] if said.late else []:
        problems.append(
            f"{len(late)} of {len(wanted)} surfaces were not judged in time: `invariants check` judges them"
        )
    judged = tuple(_judged(one, said) for one in found.surfaces)
    return replace(
        found, surfaces=tuple(sorted(judged, key=lambda one: (not one.sure, one.at))), problems=tuple(problems)
    )


def _judged(one: Proposed, said: Answers) -> Proposed:
    answer = said.verdicts.get(one.row.function)
    if answer is None:
        return one
    if answer.reason == "no-grant":
        doubted = f"{one.evidence}, but the prover sees nothing get out"
        return replace(one, sure=False, asks=True, evidence=doubted, answer=answer)
    asks = answer.verdict == "proved" or (one.asks and answer.verdict != "refuted")
    return replace(one, asks=asks, answer=answer)
