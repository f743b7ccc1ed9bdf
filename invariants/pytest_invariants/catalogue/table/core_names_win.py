"""No server takes over the name of one of the agent's own tools.

What it states
    When a server connects that offers tools under the names of the agent's own ones, the agent's own stay in the table,
    byte for byte and each once, and a call by that name does not reach the server. The server's tools may get other
    names, be left out, or the server be refused.

Why it matters
    A server that may name its tool `load_skill` or `read_file` reads what the model meant for the agent. The model
    cannot tell the two apart, and the description is the server's.

A failing example
    ::

        tools = {**{tool.name: tool for tool in own}, **{tool.name: tool for tool in served}}

    Refuted, `ambiguous`: the schema of `load_skill` is the server's. With the agent's own behind, or with prefixes, it
    holds.

The repair
    Leave out, or rename, what would take one of the agent's own names, wherever tools are brought together.

Its limits
    Names that only look like one of the agent's own (another case, look-alike letters) are not tried. Which tool
    answered is told by what it says: `server/tool`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import called, said, settle, shown, tried
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "core-names-win"
SERVER = "probe"
REMEDY = "leave out, or rename, what would take one of the agent's own names"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "core", "serve")
    clashes = 0
    for facts in session.facts:
        with session.stage(facts, REAL) as stage:
            clashes += 0 if stage.dead else _clash(stage)
    if not clashes:
        raise Lacking("none of the agent's own tools is in the table under any of the host's facts")
    return f"the agent's own tools kept their names in {clashes} clashes with those of a server"


def _clash(stage: Stage) -> int:
    before = shown(stage)
    core = [name for name in before.names if name in said(stage, "core")]
    for name in core:
        tried(stage, "serve", SERVER, name)
    settle(stage)
    after = shown(stage)
    for name in core:
        if after.names.count(name) != 1 or after.entry(name) != before.entry(name):
            count = after.names.count(name)
            what = f"stands {count} times in the table" if count != 1 else "has another schema"
            _fall(stage, f"`{name}` {what} once a server offers a tool of that name")
        if stage.session.has("call") and f"{SERVER}/{name}" in called(stage, name).text:
            _fall(stage, f"a call of `{name}` reaches the server that took the name")
    return len(core)


def _fall(stage: Stage, message: str) -> None:
    raise Fallen(Reason.AMBIGUOUS, f"{message}, with {stage.facts}", REMEDY, tuple(stage.script))


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
