"""Judging how names are used: what is listed can be used, and what can be used is listed."""

from __future__ import annotations

import re

from pytest_invariants.hosts.mcp.kinds import NAMED, PROMPTS, RESOURCES, TOOLS, Kind, kind_of
from pytest_invariants.hosts.mcp.seen import PARTIAL, SPELLED, UNKNOWN, WHOLE, Reply, Seen, Trial
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.verdict import Reason

USES = tuple(kind.uses for kind in NAMED)
CHECKED = (TOOLS.uses, PROMPTS.uses)
CODES = {TOOLS: (-32602,), PROMPTS: (-32602,), RESOURCES: (-32002, -32602)}
"""The error codes that the specification has for an unknown name, by the kind of thing."""
NAME = re.compile(r"[A-Za-z][\w.:/-]*\w")
ENUMERATED = re.compile(rf"(?:[\"'`]?{NAME.pattern}[\"'`]?\s*,\s*)+(?:(?:and|or)\s+)?[\"'`]?{NAME.pattern}")
"""Names in a row with commas between them, as an error text enumerates what there is."""
READ = 4000
"""Characters of a refusal that are read."""
NOTHING_CALLED = "no tool that says of itself that it only reads was called; allow one: --call NAME=JSON"


def listed_is_usable(seen: Seen, method: str) -> str:
    """What is listed is there when it is used. Judged where it may be tried: see `trials.harmless_uses`."""
    kind = kind_of(method)
    trials = seen.tried(kind, WHOLE, PARTIAL)
    known = [trial for trial in trials if trial.name in seen.listing(kind).names]
    unknown = next(iter(seen.tried(kind, UNKNOWN)), None)
    for trial in known:
        _there(trial, unknown)
    answered = sum(not trial.reply.lost for trial in known)
    if not answered:
        raise Lacking(NOTHING_CALLED if kind is TOOLS else f"no {kind.word} was used")
    left = f"; not called: {', '.join(seen.untried)}" if kind is TOOLS and seen.untried else ""
    return f"{answered} of {len(seen.listing(kind).names)} were tried, and are there{left}"


def _there(trial: Trial, unknown: Trial | None) -> None:
    said = (f"{trial}", f"{unknown}") if unknown else (f"{trial}",)
    if not trial.alive:
        message = f"`{trial.name}` is listed, and the server is gone when it is used: {trial.reply}"
        raise Fallen(Reason.SILENT, message, "answer with an error, and go on serving", said)
    if trial.reply.refused and unknown and same(trial, unknown):
        message = f"`{trial.name}` is listed, and is answered like a name that nothing has"
        raise Fallen(Reason.NOT_CALLABLE, message, "list and use from one table", said)
    if trial.role == WHOLE and trial.kind is not TOOLS and trial.reply.code is not None:
        message = f"`{trial.name}` is listed, and `{trial.kind.uses}` refuses it: {trial.reply}"
        raise Fallen(Reason.NOT_CALLABLE, message, f"take it out of `{trial.kind.lists}`, or let it be used", said)


def usable_is_listed(seen: Seen, method: str) -> str:
    """What is not listed is refused: a name that nothing has, one that is asked for, other spellings of listed ones."""
    kind = kind_of(method)
    unknown = seen.tried(kind, UNKNOWN)[0]
    _refused(unknown)
    _tells_nothing(unknown, frozenset(seen.listing(kind).names))
    hidden = unlisted(seen, kind)
    for trial in hidden:
        _refused(trial)
    real = {trial.name: trial for trial in seen.tried(kind, WHOLE, PARTIAL)}
    spelled = seen.tried(kind, SPELLED)
    for trial in spelled:
        _not_resolved(trial, real[trial.of], unknown)
    asked = f", so is {', '.join(repr(trial.name) for trial in hidden)}" if hidden else ""
    others = f", and {len(spelled)} other spellings of listed ones" if spelled else ""
    return f"a name that nothing has is refused{asked}{others} ({how(unknown)})"


def unlisted(seen: Seen, kind: Kind) -> tuple[Trial, ...]:
    """What the user had called by its name, and no list had."""
    listed = seen.ever_listed(kind)
    return tuple(trial for trial in seen.tried(kind, WHOLE) if trial.name not in listed)


def how(unknown: Trial) -> str:
    """In which way a name that nothing has is refused, measured by the specification."""
    codes = " or ".join(map(str, CODES[unknown.kind]))
    if unknown.reply.code in CODES[unknown.kind]:
        return f"with error {unknown.reply.code}"
    if unknown.reply.code is None:
        return f"with a result that is marked as an error; the specification has error {codes} for it"
    return f"with error {unknown.reply.code}; the specification has {codes} for it"


def _refused(trial: Trial) -> None:
    said = (str(trial),)
    if trial.reply.granted:
        message = (
            f"the {trial.kind.word} {trial.name!r} is not listed, and `{trial.kind.uses}` answers it with a result"
        )
        remedy = f"refuse it with error {CODES[trial.kind][-1]}"
        raise Fallen(Reason.HIDDEN_RUNS, message, remedy, said)
    if trial.reply.lost or not trial.alive:
        message = f"`{trial.kind.uses}` for {trial.name!r}, which is not listed, gets {trial.reply}"
        raise Fallen(Reason.SILENT, message, "answer with an error, and go on serving", said)


def _tells_nothing(trial: Trial, listed: frozenset[str]) -> None:
    """A refusal that enumerates what there is names nothing that is not listed."""
    for row in ENUMERATED.findall(trial.reply.text[:READ]):
        names = NAME.findall(row)
        hidden = [name for name in names if name not in (*listed, trial.name)]
        if hidden and not listed.isdisjoint(names):
            message = f"the refusal of {trial.name!r} names {', '.join(hidden[:5])}, which is not listed"
            remedy = "let a refusal name what is listed, or nothing"
            raise Fallen(Reason.LEAKED, message, remedy, (f"{trial}",))


def _not_resolved(trial: Trial, real: Trial, unknown: Trial) -> None:
    """A spelling is resolved where it is answered with a result, or as its name is and not as an unknown one."""
    answered_alike = same(trial, real) and not same(trial, unknown)
    if trial.reply.granted or (trial.reply.refused and answered_alike):
        message = f"{trial.name!r} is not listed, and reaches `{trial.of}`, which is"
        remedy = "look a name up as it came: compare whole strings, without folding, trimming or decoding"
        raise Fallen(Reason.HIDDEN_RUNS, message, remedy, (f"{real}", f"{trial}", f"{unknown}"))


def same(one: Trial, other: Trial) -> bool:
    """Whether two answers are the same but for the name that they speak of."""
    return _bare(one.reply, one.name) == _bare(other.reply, other.name)


def _bare(reply: Reply, name: str) -> tuple[object, ...]:
    kind = "lost" if reply.lost else "error" if reply.code is not None else reply.refused
    return kind, reply.code, reply.text.replace(name, "<name>").replace(name.strip(), "<name>")


def arguments_checked(seen: Seen, method: str) -> str:
    """Arguments that are missing are noticed before anything is done."""
    kind = kind_of(method)
    trials = [trial for trial in seen.tried(kind, PARTIAL) if not trial.reply.lost]
    if not trials:
        reads = ", and says of itself that it only reads," if kind is TOOLS else ""
        raise Lacking(f"no {kind.word} that requires arguments{reads} was used without them")
    for trial in trials:
        if trial.reply.granted:
            message = f"`{trial.name}` requires arguments, and is answered with a result where there are none"
            remedy = "check the arguments before anything is done, or do not require them"
            raise Fallen(Reason.UNCHECKED_ARGUMENTS, message, remedy, (f"{trial}",))
    return f"{len(trials)} that require arguments are refused without them"
