"""The table is the same, byte for byte, whatever order things happened to come in.

What it states
    Under the same facts the table of a step has the same bytes: asked twice in one step, in two processes with
    different hash seeds, and in a process in which folders are listed and tools are registered in another order.

Why it matters
    Providers keep the prefix of a request in a cache, tools first. A table that moves costs the whole history again,
    in every request. Hash order, the order of a file system and the order of registration are the usual causes, and
    none of them shows on the machine where the code was written.

A failing example
    ::

        tools = {tool.name: tool for folder in Path("skills").iterdir() for tool in load(folder)}
        return [tool.schema for tool in tools.values()]

    Refuted, `disagrees`: with folders listed in another order the table begins with another tool.

The repair
    Sort where you list (`sorted(path.iterdir())`), sort sets before they become lists, and give the table an order of
    its own that does not depend on who came first.

Its limits
    The order in which concurrent loads end is not forced. Registration is shuffled by the host, which is told a seed
    (`facts.order`); folders are shuffled by the probe.
"""

from __future__ import annotations

import difflib

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp import listing
from pytest_invariants.probe import child
from pytest_invariants.probe.answers import Fallen, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "table-stable"
SHUFFLE = 7
SHOWN = 12
"""Lines of a difference that are shown."""


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table")
    plain, shuffled = (child.Job(session.registry, session.facts, order) for order in (0, SHUFFLE))
    running = {
        "with hash seed 1": child.start(plain, 1),
        "with hash seed 2": child.start(plain, 2),
        f"with folders and registration in another order (seed {SHUFFLE})": child.start(shuffled, 1),
    }
    try:
        answers = {name: each.tables() for name, each in running.items()}
    finally:
        for each in running.values():
            each.stop()
    for facts in session.facts:
        _compare(facts, {name: tables[str(facts)] for name, tables in answers.items()})
    return f"the table has the same bytes in {len(running)} processes, asked twice in each"


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
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), "one", "the other", lineterm="", n=1))
    raise Fallen(
        Reason.DISAGREES, message, "sort where things are listed, registered or kept in sets", tuple(lines[:SHOWN])
    )


INVARIANT = Invariant(
    id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play, serve=Serve(listing.LISTS, listing.stable)
)
