"""`invariants check --mcp`: connect to a server, judge what it answers, and show the report."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant, Judge, Serve
from pytest_invariants.cli import UsageError
from pytest_invariants.commands import check
from pytest_invariants.commands.common import require_known
from pytest_invariants.hosts.mcp.kinds import KINDS, METHODS, TOOLS, kind_of
from pytest_invariants.hosts.mcp.seen import Seen
from pytest_invariants.hosts.mcp.target import ServerError, target_of
from pytest_invariants.hosts.mcp.trials import Call
from pytest_invariants.hosts.mcp.using import unlisted
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.registry.suggest import closest
from pytest_invariants.report import output
from pytest_invariants.report.model import Fault
from pytest_invariants.report.server import ServerReport
from pytest_invariants.verdict import RUN, Finding, Reason, Step, Verdict

SERVED: tuple[Invariant, ...] = tuple(invariant for invariant in CATALOGUE if invariant.serve)
MISSING = "--mcp needs the package `mcp`: pip install 'pytest-invariants[mcp]'"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which server, what may be done with it, and what is asked of it. `calls` are as the user wrote them."""

    target: str
    headers: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    lists_only: bool = False
    patience: float | None = None
    select: tuple[str, ...] = ()
    debug: bool = False


def run(choice: Choice, format: str, target: Path | None) -> int:
    """Examine, and show the report on standard output or in `target`."""
    if target:
        output.check_writable(target)
    require_known(choice.select, (*(invariant.id for invariant in SERVED), *METHODS, RUN))
    with output.kept_clean():
        seen = look(choice)
    report = judged(seen, choice.select)
    check.show(report, format, target)
    check.show_faults(report, debug=choice.debug)
    return int(report.status())


def look(choice: Choice) -> Seen:
    """See what the server answers.

    :raises UsageError: where the call is wrong, the client is not installed, or the server cannot be used.
    """
    try:
        from pytest_invariants.hosts.mcp import tour
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "httpx2"):
            raise
        raise UsageError(MISSING) from error
    patience = tour.PATIENCE if choice.patience is None else choice.patience
    if patience <= 0:
        raise UsageError("--timeout: give a number of seconds above 0")
    allowed = tour.Choice(tuple(map(call_of, choice.calls)), choice.lists_only, patience)
    try:
        seen = tour.look_at(target_of(choice.target, choice.headers), allowed, check.status)
    except ServerError as error:
        raise UsageError(str(error)) from error
    finally:
        check.status("")
    _require_meant(seen)
    return seen


def _require_meant(seen: Seen) -> None:
    """A name that no list has may be meant, to see it refused; one that is nearly that of a tool is a slip.

    :raises UsageError: for slips, all at once.
    """
    refused = [trial.name for trial in unlisted(seen, TOOLS) if trial.reply.refused]
    near = {name: closest(name, sorted(seen.ever_listed(TOOLS))) for name in refused}
    slips = [f"--call {name}: no such tool is listed; did you mean `{meant}`?" for name, meant in near.items() if meant]
    if slips:
        raise UsageError("\n".join(slips))


def call_of(text: str) -> Call:
    """`NAME=JSON`, as the user allows it.

    :raises UsageError: where it is not of this form.
    """
    name, equals, arguments = text.partition("=")
    if not equals or not name:
        raise UsageError(f'--call {text!r}: write it as NAME=JSON, for example --call \'echo={{"message": "hello"}}\'')
    try:
        given = json.loads(arguments)
    except json.JSONDecodeError as error:
        raise UsageError(f"--call {name}: the arguments are no JSON ({error}); quote them for the shell") from error
    if not isinstance(given, dict):
        raise UsageError(f"--call {name}: the arguments are {given!r:.40}; give an object, {{}} for none")
    return Call(name, given)


def judged(seen: Seen, select: Sequence[str] = ()) -> ServerReport:
    """Ask every invariant that a server can be asked; `select` keeps ids and methods as for an agent."""
    asked = list(questions(seen, select))
    answers = [_answer(seen, *question) for question in asked]
    info = seen.greeting.get("serverInfo")
    named = info if isinstance(info, dict) else {}
    return ServerReport(
        target=seen.target,
        name=str(named.get("name", "a server without a name")),
        version=str(named.get("version", "")),
        protocol=str(seen.greeting.get("protocolVersion")),
        invariants=tuple(one for one in SERVED if one in {invariant for invariant, _ in asked}),
        findings=tuple(finding for finding, _ in answers),
        methods=METHODS,
        offered={kind.word: len(seen.listing(kind).items) for kind in KINDS if seen.declares(kind)},
        tried=len(seen.trials),
        faults=tuple(fault for _, fault in answers if fault),
    )


def questions(seen: Seen, select: Sequence[str] = ()) -> Iterator[tuple[Invariant, str]]:
    """Method by method in the protocol's order, for what the server declares, then those about the connection."""
    ids = {invariant.id for invariant in SERVED}
    invariants = [one for one in SERVED if one.id in select or not ids.intersection(select)]
    methods = [method for method in METHODS if seen.declares(kind_of(method))]
    for method in (*methods, RUN):
        if method in select or not {*METHODS, RUN}.intersection(select):
            yield from ((one, method) for one in invariants if one.serve and _suits(seen, one.serve, method))


def _suits(seen: Seen, serve: Serve, method: str) -> bool:
    full = method == RUN or bool(seen.listing(kind_of(method)).items)
    return method in serve.methods and (full or serve.of_empty)


def _answer(seen: Seen, invariant: Invariant, method: str) -> tuple[Finding, Fault | None]:
    assert invariant.serve is not None
    try:
        return _finding(seen, invariant.id, method, invariant.serve.judge), None
    except Exception as error:
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        message = f"the harness itself failed here: {said}"
        finding = Finding(method, invariant.id, Verdict.UNDECIDED, reason=Reason.HARNESS, message=message)
        return finding, Fault(method, invariant.id, said, traceback.format_exc())


def _finding(seen: Seen, id: str, method: str, judge: Judge) -> Finding:
    try:
        return Finding(method, id, Verdict.HELD, message=judge(seen, method))
    except Lacking as lack:
        return Finding(method, id, Verdict.UNEXAMINED, message=str(lack))
    except Fallen as fallen:
        trace = tuple(Step(None, note) for note in fallen.script)
        return Finding(
            method,
            id,
            Verdict.REFUTED,
            reason=fallen.reason,
            trace=trace,
            message=fallen.message,
            remedy=fallen.remedy,
        )
