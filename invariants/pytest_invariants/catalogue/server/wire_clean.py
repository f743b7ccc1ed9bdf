"""Nothing comes over the wire but messages of the protocol, and each answers what was asked.

What it states
    Over standard streams every line of standard output is one message of JSON-RPC. Over either transport no answer
    comes for a request that was never sent, and no request is answered twice.

Why it matters
    One line of a log on standard output, a banner, a progress bar, is a broken message to every client. Some clients
    skip it, some close the connection; the author's own client is usually one that skips.

A failing example
    ::

        print("server ready")           # standard output is the wire
        serve(sys.stdin, sys.stdout)

    Refuted, `malformed`: the line `'server ready'` is no message.

The repair
    Write logs to standard error, or send them as `notifications/message`. Where a library prints, point its output
    elsewhere before the server starts.

Its limits
    Lines that the requests of this run did not cause are not seen. Over HTTP the transport keeps bodies that are no
    messages to itself; then the request counts as not answered.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.seen import Seen
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.verdict import RUN, Reason

ID = "wire-clean"


def judge(seen: Seen, _method: str) -> str:
    if seen.strays:
        number = len(seen.strays)
        message = f"{number} {'thing' if number == 1 else 'things'} came that no client can use, first {seen.strays[0]}"
        remedy = "write logs to standard error, and answer each request once"
        raise Fallen(Reason.MALFORMED, message, remedy, seen.strays)
    return f"only messages came over {len(seen.visits)} connections"


INVARIANT = Invariant(id=ID, family="server", scope=Scope.RUN, page=__doc__ or "", serve=Serve((RUN,), judge))
