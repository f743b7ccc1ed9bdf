"""A tool that does not come back holds up neither its caller nor anybody else.

What it states
    While a tool hangs, a call of it ends all the same, in time and not as a success. Calls of other tools are answered
    as usual meanwhile, also after so many calls of the hanging one that a pool of threads of the usual size would be
    used up.

Why it matters
    One server that accepts connections and never answers takes the whole agent with it: first the turn that asked it,
    then every turn of every user, once the last thread waits.

A failing example
    ::

        pool = ThreadPoolExecutor()
        return pool.submit(tool.function, arguments).result(timeout=3)      # the thread stays behind

    Refuted, `hangs`: after 33 calls of `read_device`, which hangs, `query_order` does not come back.

The repair
    Bound each call in time, run it where a thread that is left behind takes nothing from others, and after a few hanging
    calls of one tool let further ones fail at once. This holds::

        if hanging[tool.name] >= 2:
            return Result(ok=False, text="it hangs in earlier calls")
        Thread(target=work, args=(tool, arguments, end), daemon=True).start()
        return end.get(timeout=3)

Its limits
    The probe really waits: give the agent under test short limits in time, and the host a `patience` that is longer. A
    pool with more threads than 33 calls use up is not exhausted. One tool that reads, and one that writes, are made to
    hang.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.calls import Bench
from pytest_invariants.probe.declared import Declared
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "hang-contained"
CALLS = 33
"""One more than the threads that `concurrent.futures.ThreadPoolExecutor` has at most by default."""


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("invoke", "effects", "hang", "release")
    with session.stage() as stage:
        bench = Bench(stage)
        readers = [tool for tool in bench.tools.values() if tool.name not in bench.writers]
        if len(readers) < 2:
            raise Lacking("two tools that only read are needed: one to hang, and one beside it")
        hanging, beside = readers[:2]
        for name in sorted(bench.writers)[:1]:
            bench.open(name)
        writers = [tool for tool in bench.tools.values() if tool.name in bench.writers][:1]
        for tool in (hanging, *writers):
            _check(bench, tool, beside)
    return f"{CALLS} hanging calls ended in time, and `{beside.name}` was answered beside them"


def _check(bench: Bench, hanging: Declared, beside: Declared) -> None:
    bench.control(hanging)
    bench.control(beside)
    bench.stage.pull("hang", hanging.name)
    try:
        _expect_end(bench, hanging)
        _expect_answer(bench, beside, f"while `{hanging.name}` hangs")
        for _ in range(CALLS - 1):
            _expect_end(bench, hanging)
        _expect_answer(bench, beside, f"after {CALLS} calls of `{hanging.name}`, which hangs")
    finally:
        bench.stage.pull("release")


def _expect_end(bench: Bench, tool: Declared) -> None:
    called = bench.call(tool.name, bench.good(tool), bench.fresh_key())
    if called.late:
        message = f"a call of `{tool.name}`, which hangs, has not come back after {bench.patience:g} s"
        raise bench.fallen(Reason.HANGS, message, "bound each call in time")
    if called.ok:
        message = f"a call of `{tool.name}`, which hangs, is answered as a success"
        raise bench.fallen(Reason.HANGS, message, "say in the result that the tool did not answer")


def _expect_answer(bench: Bench, tool: Declared, when: str) -> None:
    called = bench.call(tool.name, bench.good(tool), bench.fresh_key())
    if not called.ok:
        message = f"a call of `{tool.name}` {when}: {called}"
        raise bench.fallen(Reason.HANGS, message, "let no tool use up what the others need")


INVARIANT = Invariant(id=ID, family="calls", scope=Scope.RUN, page=__doc__ or "", play=play)
