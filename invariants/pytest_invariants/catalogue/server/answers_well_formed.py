"""Every answer has the form that the agreed revision of the protocol gives to it.

What it states
    Each result that a list, a call, a reading or a prompt was answered with is valid by the schema that the
    specification publishes for the revision which server and client agreed on; each error has a code and a message.

Why it matters
    Clients read answers by types that are made from that schema. A field that is missing, or of another type, is an
    exception in one client, an empty value in the next, and nothing at all in the one that the author tried.

A failing example
    ::

        return {"content": "done"}          # a string, where a list of parts is due

    Refuted, `malformed`: the result of `tools/call` has no list `content`.

The repair
    Build answers with the types of an SDK, or check them against the schema in the server's own tests.

Its limits
    Only answers that came in this run are read. What an output schema promises is not compared with the results.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import KINDS, METHODS
from pytest_invariants.hosts.mcp.seen import Reply, Seen
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.verdict import Reason

ID = "answers-well-formed"


def judge(seen: Seen, method: str) -> str:
    results = [(what, reply) for what, reply in _replies(seen, method) if reply.result is not None]
    if not results:
        raise Lacking(f"no request of `{method}` was answered with a result")
    for what, reply in results:
        wrong = _wrong(method, str(seen.greeting["protocolVersion"]), reply)
        if wrong:
            message = f"{what} is answered with what is no result of `{method}`: {wrong}"
            raise Fallen(Reason.MALFORMED, message, "build the answer with the types of an SDK")
    return f"{len(results)} {'result has' if len(results) == 1 else 'results have'} the form of the specification"


def _replies(seen: Seen, method: str) -> Iterator[tuple[str, Reply]]:
    for kind in KINDS:
        if kind.lists == method:
            for visit in seen.visits:
                yield from ((f"`{method}`", reply) for reply in visit.first[method].replies)
    yield from ((f"{trial.name!r}", trial.reply) for trial in seen.trials if trial.kind.uses == method)


def _wrong(method: str, version: str, reply: Reply) -> str:
    """The first thing that is wrong with a result, in words."""
    from mcp_types.methods import validate_server_result
    from pydantic import ValidationError

    try:
        validate_server_result(method, version, dict(reply.result or {}))
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (KeyError, ValueError) as error:
        raise Lacking(f"the revision {version} has no form for `{method}`") from error
    return ""


INVARIANT = Invariant(id=ID, family="server", scope=Scope.SURFACE, page=__doc__ or "", serve=Serve(METHODS, judge))
