"""`invariants check --mcp` as a user calls it: the report in every format, the exit status, and what is said when the
server cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_invariants import cli
from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.commands import server
from pytest_invariants.hosts.mcp.seen import Seen
from pytest_invariants.verdict import RUN

ROOT = Path(__file__).resolve().parents[2]
HONEST = f"{sys.executable} -m tests.hosts.serve"


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def check(server: str, *arguments: str) -> int:
    return cli.main(["check", "--mcp", server, "--timeout", "20", *arguments])


def flawed(name: str) -> str:
    return f"{HONEST} --flaw {name}"


def test_a_server_that_holds_is_said_to_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(HONEST) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"{HONEST}: small 1.0, MCP 2025-11-25\n")
    assert "4 tools, 2 resources, 1 resource template, 2 prompts listed, " in out
    assert "sealed" not in out
    assert out.endswith("\nHOLDS\n")


def test_a_server_that_falls_is_shown_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(flawed("folds_names"), "--select", "tools/call", "--select", "callable-is-listed-or-declared") == 1
    out = capsys.readouterr().out
    assert "tools/call: callable-is-listed-or-declared refuted (hidden-runs)" in out
    assert "'LIST_NOTES' is not listed, and reaches `list_notes`, which is" in out
    assert "remedy: look a name up as it came" in out
    assert out.endswith("\n0 hold, 1 fall\nFALLS\n")


def test_json_has_every_key_and_what_does_not_apply_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(HONEST, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"version", "results", "doors", "undecided", "files", "lines", "server", "apart"}
    assert (document["doors"], document["files"], document["lines"]) == (None, None, None)
    assert document["server"]["name"] == "small"
    assert document["server"]["offered"] == {"tool": 4, "resource": 2, "resource template": 1, "prompt": 2}
    verdicts = {(row["surface"], row["invariant"]): row["verdict"] for row in document["results"]}
    assert verdicts["tools/list", "table-stable"] == "held"
    assert verdicts["tools/list", "change-told"] == "not-examined"


def test_sarif_names_the_method_where_there_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(flawed("two_of_one_name"), "--format", "sarif") == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "names-unambiguous"
    assert result["locations"] == [{"logicalLocations": [{"fullyQualifiedName": "tools/list", "kind": "function"}]}]


def test_annotations_stand_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(flawed("prints_a_banner"), "--format", "github", "--select", "wire-clean") == 1
    assert capsys.readouterr().out.startswith("::error title=the run%3A wire-clean refuted (malformed)::1 thing came")


def test_the_page_is_whole_and_has_no_doors(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert check(flawed("does_not_describe"), "--format", "html", "--output", str(page)) == 1
    text = page.read_text(encoding="utf-8")
    assert "<h2>Doors</h2>" not in text
    assert "small 1.0, MCP 2025-11-25" in text
    assert f"<h1>{flawed('does_not_describe')}</h1>" in text
    assert text.endswith("</body></html>\n")


def test_a_server_that_offers_nothing_is_never_green(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "bare.py"
    script.write_text(
        "from tests.hosts.small_server import Server, over_streams\n"
        "server = Server()\n"
        "server.capabilities.clear()\n"
        "server.handlers = {key: server.handlers[key] for key in ('initialize', 'ping')}\n"
        "over_streams(server)\n",
        encoding="utf-8",
    )
    assert check(f"{sys.executable} {script}") == 3
    assert "NOTHING WAS EXAMINED" in capsys.readouterr().out


CANNOT = [
    ("no-such-program-7c1e --serve", "no such program is on the PATH; install it"),
    ("./no-such-file-7c1e", "there is no such program; correct its path"),
    ("./README.md", "is a file that cannot be executed; name its interpreter"),
    ("", "--mcp is empty; name a command"),
    ("run 'it", "No closing quotation; quote the command as a shell would"),
    (f"{sys.executable} -c 'import sys; sys.exit(\"boom: no database\")'", "    | boom: no database"),
    (f"{sys.executable} -c 'import sys; sys.exit(1)'", "ended before it answered `initialize`"),
    (f"{sys.executable} -c 'print(\"hello\")'", "wrote 'hello', which is no message of MCP"),
    ("http://127.0.0.1:9/mcp", "the connection fails: All connection attempts failed"),
    ("http:///mcp", "the address names no host"),
    ("http://[bad/mcp", "Invalid IPv6 URL; write http://HOST:PORT/PATH"),
    ("http://127.0.0.1:port/mcp", "write http://HOST:PORT/PATH"),
    ("http://127.0.0.1:123456/mcp", "Port out of range 0-65535; write http://HOST:PORT/PATH"),
    ("https://exa mple/mcp", "the address names no host; write http://HOST:PORT/PATH"),
]


@pytest.mark.parametrize(("server", "said"), CANNOT)
def test_a_server_that_cannot_be_used_is_the_callers_affair(
    server: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(server) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_a_server_that_never_answers_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    silent = f"{sys.executable} -c 'import sys; sys.stdin.read()'"
    assert cli.main(["check", "--mcp", silent, "--timeout", "1"]) == 2
    said = capsys.readouterr().err
    assert "started and did not answer `initialize` within 1 s" in said
    assert "--timeout SECONDS" in said


def test_what_a_silent_server_prints_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    chatty = f"{sys.executable} -c 'import sys; print(\"Welcome!\", flush=True); sys.stdin.read()'"
    assert cli.main(["check", "--mcp", chatty, "--timeout", "1"]) == 2
    said = capsys.readouterr().err
    assert "wrote 'Welcome!', which is no message of MCP" in said
    assert "let it write nothing but messages to standard output" in said


WRONG = [
    (["--mcp", HONEST, "--static"], "--static: not with --mcp"),
    (["--mcp", HONEST, "--since", "HEAD", "entrypoints"], "--since, REGISTRY: not with --mcp"),
    (["--mcp", HONEST, "--call", "echo"], "--call 'echo': write it as NAME=JSON"),
    (["--mcp", HONEST, "--call", "echo={"], "--call echo: the arguments are no JSON"),
    (["--mcp", HONEST, "--call", "echo=[1]"], "--call echo: the arguments are [1]; give an object"),
    (["--mcp", HONEST, "--timeout", "0"], "--timeout: give a number of seconds above 0"),
    (["--mcp", HONEST, "--header", "A: b"], "--header belongs to a server over HTTP"),
    (["--mcp", "http://127.0.0.1:9/", "--header", "secret"], "write it as 'NAME: VALUE'"),
    (["--mcp", HONEST, "--select", "names-ambiguous"], "did you mean `names-unambiguous`?"),
    (["--call", "echo={}", "--lists-only"], "--call, --lists-only: only with --mcp"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_a_call_that_makes_no_sense_is_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_without_the_client_it_is_said_what_to_install() -> None:
    hidden = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp_types'] = None; "
        "from pytest_invariants.cli import main; "
        f"sys.exit(main(['check', '--mcp', {HONEST!r}]))"
    )
    run = subprocess.run([sys.executable, "-c", hidden], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr == "invariants: --mcp needs the package `mcp`: pip install 'pytest-invariants[mcp]'\n"


def test_the_catalogue_does_not_need_the_client() -> None:
    hidden = "import sys; sys.modules['mcp'] = sys.modules['mcp_types'] = sys.modules['anyio'] = None; import pytest_invariants.catalogue"
    assert subprocess.run([sys.executable, "-c", hidden], check=False).returncode == 0


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_nothing_is_left_running_not_even_a_server_that_ignores_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, started = tmp_path / "stubborn.py", tmp_path / "started"
    script.write_text(
        "import os, pathlib, signal, threading\n"
        f"with pathlib.Path({str(started)!r}).open('a') as file:\n"
        "    print(os.getpid(), file=file)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "from tests.hosts.small_server import Server, over_streams\n"
        "over_streams(Server())\n"
        "threading.Event().wait()\n",
        encoding="utf-8",
    )
    assert check(f"{sys.executable} {script}", "--lists-only") == 0
    assert "HOLDS" in capsys.readouterr().out
    pids = [int(line) for line in started.read_text(encoding="utf-8").split()]
    assert len(pids) == 6
    assert [pid for pid in pids if alive(pid)] == []


def test_a_judge_that_breaks_is_a_fault_of_the_harness(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def judge(seen: Seen, method: str) -> str:
        raise ZeroDivisionError(method)

    broken = Invariant("broken", "server", Scope.RUN, "Breaks.", serve=Serve((RUN,), judge))
    monkeypatch.setattr(server, "SERVED", (broken,))
    assert check(HONEST) == 4
    out, err = capsys.readouterr()
    assert out.endswith("NOT JUDGED: the harness itself failed\n")
    assert "invariants: *: broken: ZeroDivisionError: *" in err
    assert "run again with --debug" in err
