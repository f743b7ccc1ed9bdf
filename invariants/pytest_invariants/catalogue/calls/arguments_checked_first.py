"""Arguments that a tool's schema forbids never reach the tool.

What it states
    For every tool that can be called: a call that lacks a required argument, has one of the wrong type, out of its
    bounds or of no known name, ends before the tool's function begins, and is not answered as a success.

Why it matters
    A model writes arguments that look right. What is not checked at the door is found out downstream, after the first
    of three writes, or it is not found out: a number that was text, a date in the wrong field, an empty filter that
    means "all".

A failing example
    ::

        def invoke(name, arguments):
            return TOOLS[name].function(**arguments)        # the schema is for the model only

    Refuted, `unchecked-arguments`: `order_find` is run though `number` does not match its pattern.

The repair
    Validate against the very schema that the model is shown, with a library, in the one place through which every call
    goes. This holds::

        def invoke(name, arguments):
            problem = best_match(Draft202012Validator(TOOLS[name].schema).iter_errors(arguments))
            return Result(ok=False, text=problem.message) if problem else TOOLS[name].function(**arguments)

Its limits
    The rules are those that stand in the schema in plain words; what hides behind `anyOf` or `$ref` is not broken.
    Arguments are broken one at a time. A tool whose schema forbids nothing has nothing to check.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp import using
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.arguments import spoiled
from pytest_invariants.probe.calls import Bench
from pytest_invariants.probe.declared import Declared
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "arguments-checked-first"
REMEDY = "validate the arguments against the tool's own schema before anything downstream hears of the call"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("invoke", "effects")
    with session.stage() as stage:
        bench = Bench(stage)
        broken = {tool.name: _check(bench, tool) for tool in bench.ready()}
    strict = sum(map(bool, broken.values()))
    if not strict:
        raise Lacking(f"no schema of the {len(broken)} tools forbids anything in plain words")
    return f"{sum(broken.values())} calls with bad arguments ended before any of {strict} tools began"


def _check(bench: Bench, tool: Declared) -> int:
    """How many bad calls there were."""
    bad = list(spoiled(tool.parameters, bench.good(tool)))
    for words, arguments in bad:
        called = bench.call(tool.name, arguments, bench.fresh_key())
        if called.effects:
            raise bench.fallen(Reason.UNCHECKED_ARGUMENTS, f"`{tool.name}` is run though {words}", REMEDY)
        if called.ok:
            message = f"a call of `{tool.name}` is answered as a success though {words}"
            raise bench.fallen(Reason.UNCHECKED_ARGUMENTS, message, REMEDY)
    return len(bad)


INVARIANT = Invariant(
    id=ID,
    family="calls",
    scope=Scope.RUN,
    page=__doc__ or "",
    play=play,
    serve=Serve(using.CHECKED, using.arguments_checked),
)
