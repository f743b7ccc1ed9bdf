"""A failure that is to be expected is a result that says so, and no exception.

What it states
    Where arguments are bad, something downstream takes too long, refuses the connection or breaks, the caller of a tool
    gets an answer: no success, with a text that the model can read and, where results have codes, a code that no
    success has. A programming error in a tool may be an exception; it is never answered as a success.

Why it matters
    An exception ends the turn, takes the answers of the parallel calls with it, and leaves in the history a call
    without a result, which many providers then refuse. A failure that reads like a success makes the model go on.

A failing example
    ::

        try:
            return Result(ok=True, text=fetch(url))
        except TimeoutError as error:
            return Result(ok=True, text=str(error))         # the model reads it as an answer

    Refuted, `raised`: `fetch` fails with TimeoutError, and the call is answered as a success.

The repair
    Catch what can fail downstream in the one place through which every call goes, and make a result of it with a code.
    This holds::

        except TimeoutError as error:
            return Result(ok=False, code="DOWNSTREAM_TIMEOUT", text=f"{tool.name}: {error}")

Its limits
    The failures are those that the host can bring about. What they leave half done is not looked at.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import of_run
from pytest_invariants.probe.arguments import spoiled
from pytest_invariants.probe.calls import Bench, Called
from pytest_invariants.probe.declared import Declared
from pytest_invariants.probe.host import Answer
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "failure-is-result"
EXPECTED = (
    TimeoutError("no answer in time"),
    ConnectionRefusedError("nobody there"),
    OSError("the disk is full"),
)
MISTAKE = ZeroDivisionError("a mistake in the tool")


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("invoke", "effects", "fail", "release")
    with session.stage() as stage:
        bench = Bench(stage)
        tools = 0
        for tool in bench.ready():
            _check(bench, tool, bench.successes[tool.name])
            tools += 1
    return f"{tools} tools answer each of {len(EXPECTED) + 1} failures with a result that says so"


def _check(bench: Bench, tool: Declared, success: Answer) -> None:
    bad = next(iter(spoiled(tool.parameters, bench.good(tool))), None)
    if bad is not None:
        words, arguments = bad
        _expect(bench, tool, words, bench.call(tool.name, arguments, bench.fresh_key()), success)
    for error in EXPECTED:
        said = f"its function fails with {type(error).__name__}"
        _expect(bench, tool, said, _failing(bench, tool, error), success)
    if _failing(bench, tool, MISTAKE).ok:
        message = f"a mistake in the code of `{tool.name}` is answered as a success"
        raise bench.fallen(Reason.RAISED, message, "let programming errors through, or answer them as failures")


def _failing(bench: Bench, tool: Declared, error: Exception) -> Called:
    bench.stage.pull("fail", tool.name, error)
    called = bench.call(tool.name, bench.good(tool), bench.fresh_key())
    bench.stage.pull("release")
    return called


def _expect(bench: Bench, tool: Declared, words: str, called: Called, success: Answer) -> None:
    """Raises Fallen where the call did not end in a result that tells of the failure."""
    said = f"`{tool.name}`: {words}"
    remedy = "catch what is to be expected where every call goes through, and make a result of it"
    if called.answer is None:
        raise bench.fallen(Reason.RAISED, f"{said}, and {called}", remedy)
    if called.answer.ok:
        raise bench.fallen(Reason.RAISED, f"{said}, and the call is answered as a success", remedy)
    if not called.answer.text.strip():
        raise bench.fallen(Reason.RAISED, f"{said}, and the answer says nothing", "say in the result what went wrong")
    if success.code and called.answer.code in ("", success.code):
        message = f"{said}, and the answer has the code {called.answer.code!r}, a success {success.code!r}"
        raise bench.fallen(Reason.RAISED, message, "give each kind of failure a code of its own")


INVARIANT = Invariant(id=ID, family="calls", scope=Scope.RUN, page=__doc__ or "", play=play)
