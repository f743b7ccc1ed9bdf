"""The same server over HTTP: the same answers, and words for each status that keeps a client out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import pytest
from pytest_invariants import cli
from pytest_invariants.commands.server import Choice, judged, look
from pytest_invariants.report.model import Status

from tests.hosts.flaws import FLAWS
from tests.hosts.small_server import Object, Server, http_server

Served = Callable[..., str]


@contextmanager
def running(server: Server, statuses: Mapping[str, int]) -> Iterator[str]:
    http = http_server(server, statuses)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}/mcp"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


@pytest.fixture
def served() -> Iterator[Served]:
    """Runs a server for the length of a test; returns its address."""
    with ExitStack() as stack:

        def start(server: Server, **statuses: int) -> str:
            return stack.enter_context(running(server, statuses))

        yield start


def test_the_honest_server_holds_over_http_as_well(served: Served) -> None:
    report = judged(look(Choice(served(Server()))))
    assert [finding.message for finding in report.falling] == []
    assert report.status() is Status.HOLDS
    assert report.offered == {"tool": 4, "resource": 2, "resource template": 1, "prompt": 2}
    stable = next(one for one in report.findings if one.invariant == "table-stable")
    assert stable.message == "4 in the same order, byte for byte, asked twice in 3 sessions"


@pytest.mark.parametrize("name", ["folds_names", "turns_when_asked", "lists_a_tool_that_is_gone", "no_schema"])
def test_a_flaw_is_seen_over_http_as_well(name: str, served: Served) -> None:
    server, flaw = Server(), FLAWS[name]
    flaw.spoil(server)
    falling = judged(look(Choice(served(server)))).falling
    assert (flaw.method, flaw.invariant) in {(one.surface, one.invariant) for one in falling}


STATUSES = {
    401: "HTTP 401; name who you are with --header 'Authorization: Bearer ...'",
    403: "HTTP 403; it knows who you are and does not let you in",
    404: "HTTP 404; nothing is served at this path; the path of the endpoint is often /mcp",
    405: "HTTP 405; this address takes no POST",
    500: "HTTP 500; see the server's own log",
}


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_that_keeps_a_client_out_is_told_with_a_remedy(
    status: int, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "--mcp", served(Server(), initialize=status)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"answers `initialize` with {STATUSES[status]}" in err


def test_headers_go_with_every_request(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    server = Server()
    assert cli.main(["check", "--mcp", served(server), "--header", "X-Who: me", "--lists-only"]) == 0
    assert "HOLDS" in capsys.readouterr().out
    assert set(server.callers) == {"me"}


def test_a_connection_that_breaks_over_a_name_is_a_finding_and_no_usage_error(served: Served) -> None:
    server = Server()
    honest = server.call

    def call(params: Object) -> Object:
        if params["name"].startswith("no_such"):
            raise ConnectionAbortedError
        return honest(params)

    server.handlers["tools/call"] = call
    falling = judged(look(Choice(served(server)))).falling
    (finding,) = [one for one in falling if one.surface == "tools/call"]
    assert (finding.invariant, finding.reason) == ("callable-is-listed-or-declared", "silent")
    assert "the connection fails" in finding.message
