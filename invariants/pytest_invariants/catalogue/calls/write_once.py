"""One idempotency key takes effect once.

What it states
    A tool that writes begins once for one key, however often the call is made: again at once, after a call that failed
    or did not come back, and after a restart. The repeated call is answered like the first. Another key takes effect
    again, and without a key nothing takes effect. No failed write is tried again by anybody but the caller.

Why it matters
    Calls are repeated: by a provider that streams twice, by a loop that resumes, by a model that has not seen the
    result. Twice read is nothing; twice paid is a complaint.

A failing example
    ::

        result = tool.function(arguments)
        if result.ok:
            seen[key] = result                  # a call that timed out is not remembered, and may have taken effect

    Refuted, `repeated`: `pay_order` begins twice under one key, the first time without coming to an end.

The repair
    Write the key down before the tool begins, in a place that survives a restart, and look there first. This holds::

        if not db.execute("insert or ignore into once (key) values (?)", [key]).rowcount:
            return kept_result(key)             # UNKNOWN where the first call has left none
        result = tool.function(arguments)

Its limits
    What counts is how often the tool's function begins; what it does with its own retries is not seen. Calls at the
    very same moment are not tried.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.calls import Bench, Called
from pytest_invariants.probe.declared import Declared
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "write-once"
REMEDY = "write the key down before the tool begins, where a restart finds it, and look there first"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("invoke", "effects", "writers")
    with session.stage() as stage:
        bench = Bench(stage)
        writers = [tool for tool in bench.ready() if tool.name in bench.writers]
        if not writers:
            raise Lacking("the host's `writers` names no tool")
        keys = {tool.name: _twice(bench, tool) for tool in writers}
        if session.has("restart"):
            stage.pull("restart")
            for tool in writers:
                _once(bench, tool, keys[tool.name], 0)
    return f"{len(writers)} writing tools begin once for one key, and not without one"


def _twice(bench: Bench, tool: Declared) -> str:
    """The key of a call that has taken effect."""
    _without_key(bench, tool)
    for lever in ("fail", "hang"):
        _cut_off(bench, tool, lever)
    return _again(bench, tool)


def _without_key(bench: Bench, tool: Declared) -> None:
    if bench.call(tool.name, bench.good(tool), None).effects:
        message = f"`{tool.name}` writes, and is run without a key"
        raise bench.fallen(Reason.REPEATED, message, "refuse a writing call that has no key")


def _again(bench: Bench, tool: Declared) -> str:
    key = bench.fresh_key()
    first = _once(bench, tool, key, 1)
    second = _once(bench, tool, key, 0)
    if second.answer != first.answer:
        message = f"the same call of `{tool.name}` is answered differently under the same key"
        raise bench.fallen(Reason.REPEATED, message, "keep the result with the key, and give it again")
    return key


def _once(bench: Bench, tool: Declared, key: str, times: int) -> Called:
    called = bench.call(tool.name, bench.good(tool), key)
    if len(called.effects) > times:
        raise bench.fallen(Reason.REPEATED, f"`{tool.name}` begins again under the same key", REMEDY)
    if len(called.effects) < times:
        message = f"`{tool.name}` is not run under a key that was never used"
        raise bench.fallen(Reason.NOT_SHOWN, message, "tell keys apart by the whole of them")
    return called


def _cut_off(bench: Bench, tool: Declared, lever: str) -> None:
    """A write that fails, or does not come back, has perhaps taken effect."""
    if not (bench.stage.session.has(lever) and bench.stage.session.has("release")):
        return
    key = bench.fresh_key()
    bench.stage.pull(lever, tool.name, *((TimeoutError("no answer in time"),) if lever == "fail" else ()))
    begun = bench.call(tool.name, bench.good(tool), key).effects
    bench.stage.pull("release")
    if len(begun) > 1:
        message = f"`{tool.name}` is begun {len(begun)} times by one call that does not succeed"
        raise bench.fallen(Reason.REPEATED, message, "never try a write again: whether it took effect is not known")
    _once(bench, tool, key, 0)


INVARIANT = Invariant(id=ID, family="calls", scope=Scope.RUN, page=__doc__ or "", play=play)
