"""The table is the same, byte for byte, whatever order things happened to come in.

What it states
    Under the same facts the table of a step has the same bytes: asked twice in one step, in two processes with
    different hash seeds, in processes in which folders are listed, tools are registered and concurrent loads end in
    another order, after the skill files were read again, and after a server has dropped out and come back. So it is,
    between processes, with the text that the model is told beside the table, where the host has `prompt`.

Why it matters
    Providers keep the prefix of a request in a cache, tools first. A table that moves costs the whole history again,
    in every request. Hash order, the order of a file system, of registration and of whoever answers first, and a server
    that is appended anew when it comes back are the usual causes; none shows on the machine of the code's author.

A failing example
    ::

        tools = {tool.name: tool for folder in Path("skills").iterdir() for tool in load(folder)}
        return [tool.schema for tool in tools.values()]

    Refuted, `disagrees`: with folders listed in another order the table begins with another tool.

The repair
    Sort where you list (`sorted(path.iterdir())`), sort sets before they become lists, and give the table an order of
    its own that does not depend on who came first.

Its limits
    Registration is shuffled by the host, which is told a seed (`facts.order`); the probe shuffles folders, and delays
    the tasks of `asyncio` and of pools of threads by up to 20 ms, which what takes longer does not notice.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp import listing
from pytest_invariants.probe import child
from pytest_invariants.probe.answers import Fallen, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.levers import words
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import Table, difference, first_move, settle, shown
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "table-stable"
SHUFFLES = (7, 8)


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table")
    for facts in session.facts:
        _stay(session, facts)
    plain = child.Job(session.registry, session.facts, 0)
    running = {"with hash seed 1": child.start(plain, 1), "with hash seed 2": child.start(plain, 2)}
    for seed in SHUFFLES:
        name = f"with folders, registration and loads in another order (seed {seed})"
        running[name] = child.start(replace(plain, order=seed), 1)
    try:
        answers = {name: each.tables() for name, each in running.items()}
    finally:
        for each in running.values():
            each.stop()
    for facts in session.facts:
        _compare(facts, {name: tables[str(facts)] for name, tables in answers.items()})
    return f"the table has the same bytes in {len(running)} processes, asked twice in each, and after what comes back"


def _stay(session: ProbeSession, facts: Facts) -> None:
    """Reading again, and coming back, leave the table as it was."""
    moves: list[tuple[str, ...]] = [("reload",)] if session.has("reload") else []
    moves += [("drop", "connect")] * 2 if session.has("drop") and session.has("connect") else []
    if not moves:
        return
    with session.stage(facts, REAL) as stage:
        if stage.dead:
            return
        before = shown(stage)
        for move in moves:
            for lever in move:
                stage.pull(lever)
                settle(stage)
            after = shown(stage)
            _judge(stage, " and ".join(map(words, move)), before, after)
            before = after


def _judge(stage: Stage, what: str, before: Table, after: Table) -> None:
    """A server that was not there when the agent opened may add to the table when it connects for the first time."""
    lost = [name for name in before.names if name not in after.names]
    if lost or (len(before.names) == len(after.names) and before != after):
        how = f"{quoted(lost)} is gone" if lost else first_move(before, after)
        message = f"with {stage.facts} the table is another one after {what}: {how}"
        remedy = "give the table an order that does not depend on who came last"
        raise Fallen(Reason.DISAGREES, message, remedy, tuple(stage.script))


def _compare(facts: Facts, tables: dict[str, tuple[str, ...]]) -> None:
    first = next(iter(tables))
    if not all(tables.values()):
        message = f"with {facts} the agent does not open in every process"
        raise Fallen(Reason.NOT_SHOWN, message, "repair the host's `open`")
    for name, twice in tables.items():
        if len(set(twice)) > 1:
            _fall(f"with {facts} the table changes within one step", twice[0], twice[-1])
        if twice[0] != tables[first][0]:
            _fall(f"with {facts} the table {name} is not the one {first}", tables[first][0], twice[0])


def _fall(message: str, old: str, new: str) -> None:
    remedy = "sort where things are listed, registered, loaded or kept in sets"
    raise Fallen(Reason.DISAGREES, message, remedy, difference(old, new))


INVARIANT = Invariant(
    id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play, serve=Serve(listing.LISTS, listing.stable)
)
