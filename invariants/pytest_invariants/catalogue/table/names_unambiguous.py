"""One name, one tool: no two tools of a table have the same name, and none is lost to another one's name.

What it states
    In no state of the agent a name stands twice in the table. When servers connect whose tools have the same names, or
    names that differ only in characters that are not allowed (`read.file` and `read_file`), each tool gets a name of
    its own by which it runs, or the agent refuses aloud. The names do not depend on which server came first.

Why it matters
    Names are normalised on the way to the model. Where two become one, the last server that was loaded wins, without a
    word: a rule for the one tool then covers the other, and a call reaches a server that nobody meant.

A failing example
    ::

        tools = {re.sub(r"\\W", "_", tool.name): tool for server in servers for tool in server.tools}

    Refuted, `ambiguous`: three tools were served and two names are there. With the server's name in front, and a hash
    where two names are still one, it holds.

The repair
    Prefix the names with the server, add a hash of the raw name where they collide, and refuse a name that is taken.

Its limits
    Two servers and four tools are tried. Which tool answered is told by what it says: `server/tool`.
"""

from __future__ import annotations

from collections import Counter

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp import listing
from pytest_invariants.probe import paths
from pytest_invariants.probe.answers import Fallen, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import called, reachable, settle, shown, tried
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "names-unambiguous"
SERVERS = {"probe-one": ("read.file", "read_file"), "probe-two": ("read_file", "read-file")}
REMEDY = "put the server's name in front, add a hash where two names are still one, and refuse a name that is taken"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table")
    looked = 0
    for facts in session.facts:
        with session.stage(facts, REAL) as stage:
            looked += 0 if stage.dead else sum(_unique(stage) for _ in paths.states(stage))
    if not session.has("serve"):
        return f"no name stands twice in {looked} tables; the host has no `serve`, so no clash was made"
    names = [_served(session, facts) for facts in session.facts]
    return f"no name stands twice in {looked} tables, and {max(names)} of 4 tools that clash got names of their own"


def _unique(stage: Stage) -> bool:
    twice = [name for name, count in Counter(shown(stage).names).items() if count > 1]
    if twice:
        message = f"{quoted(twice)} stands more than once in the table, with {stage.facts}"
        raise Fallen(Reason.AMBIGUOUS, message, "give each tool a name of its own", tuple(stage.script))
    return True


def _served(session: ProbeSession, facts: Facts) -> int:
    """How many names there are for the tools of servers that clash."""
    found = {}
    for order in (tuple(SERVERS), tuple(reversed(SERVERS))):
        with session.stage(facts, REAL) as stage:
            if stage.dead:
                return 0
            new = _connect(stage, order)
            found[order] = _call_all(stage, new) if session.has("call") else dict.fromkeys(new, "")
    one, other = found.values()
    changed = [name for name in (*one, *other) if one.get(name) != other.get(name)]
    if changed:
        message = f"what `{changed[0]}` stands for depends on which server came first, with {facts}"
        raise Fallen(
            Reason.AMBIGUOUS, message, "make a name of its server and of what the tool is called, and of no more"
        )
    return len(one)


def _connect(stage: Stage, servers: tuple[str, ...]) -> frozenset[str]:
    """The names that are new when these servers have connected, one for each tool of those that were not refused."""
    before = reachable(stage)
    taken = [server for server in servers if tried(stage, "serve", server, *SERVERS[server]) is None]
    settle(stage)
    _unique(stage)
    new = reachable(stage) - before
    due = sum(len(SERVERS[server]) for server in taken)
    if len(new) != due:
        message = f"{due} tools were served, and the names that are there now are {quoted(new) or 'none'}"
        raise Fallen(Reason.AMBIGUOUS, f"{message}, with {stage.facts}", REMEDY, tuple(stage.script))
    return new


def _call_all(stage: Stage, names: frozenset[str]) -> dict[str, str]:
    """Which tool each name reaches; it has to be one of its own."""
    answers: dict[str, str] = {}
    for name in sorted(names):
        text = called(stage, name).text
        which = next((mark for mark in _marks() if mark in text), "")
        if which and which in answers.values():
            message = f"`{name}` and another name both reach {which}, with {stage.facts}"
            raise Fallen(Reason.AMBIGUOUS, message, REMEDY, tuple(stage.script))
        answers[name] = which
    return answers


def _marks() -> tuple[str, ...]:
    """What the tools of the servers answer."""
    return tuple(f"{server}/{tool}" for server, tools in SERVERS.items() for tool in tools)


INVARIANT = Invariant(
    id=ID,
    family="table",
    scope=Scope.RUN,
    page=__doc__ or "",
    play=play,
    serve=Serve(listing.LISTS, listing.told_apart),
)
