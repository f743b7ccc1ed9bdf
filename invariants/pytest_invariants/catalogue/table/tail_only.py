"""What is new stands behind what was there: every earlier byte of the table stays.

What it states
    With `order: appended` among the `policies`, loading a skill leaves every entry of the table where it was, byte for
    byte, and appends. With `order: builtin-first` the agent's own tools stand in front, by name, and those of servers
    behind them, by name: a server that connects leaves the bytes of the agent's own tools alone.

Why it matters
    Providers cache by prefix and read the tools before the system prompt and the messages. One tool that moves in
    front voids the cache of the whole conversation behind it.

A failing example
    ::

        return sorted(tools, key=lambda tool: tool.name)         # base and loaded tools in one list

    Refuted, `moved`: `clock` stood at place 1, and `bank_pay` stands there now. With `[*base, *loaded]`, each part in
    an order of its own, it holds.

The repair
    Put what is always there first, and what was loaded behind it, in the order of loading.

Its limits
    The skills are the host's `skills`, and those that its `owners` names. An agent whose table has an order list
    (`order: listed`) seats new tools where the list says; that is for `order-marker`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import first_move, lighten, mapping, said, settle, shown, tried
from pytest_invariants.verdict import Reason

ID = "tail-only"
SERVER, TOOLS = "probe", ("aaa_first", "zzz_last")


@of_run(ID)
def play(session: ProbeSession) -> str:
    declared = session.policy("order", "")
    match declared:
        case "appended":
            return _appended(session)
        case "builtin-first":
            return _builtin_first(session)
    raise Lacking(f"the registry declares `order: {declared}`" if declared else "the registry declares no `order`")


def _appended(session: ProbeSession) -> str:
    session.need("table", "load")
    grown = 0
    for facts in session.facts:
        with session.stage(facts) as stage:
            lighten(stage)
            for skill in _loadable(stage):
                grown += _load(stage, skill)
    if not grown:
        raise Lacking("no skill adds a tool to the table when it is loaded; let the host's `open` leave some out")
    return f"{grown} times a skill was loaded that brings tools, and they stood behind what was there"


def _loadable(stage: Stage) -> tuple[str, ...]:
    owners = mapping(stage, "owners").values() if stage.session.has("owners") else ()
    return tuple(dict.fromkeys((*stage.session.skills, *(skill for skills in owners for skill in skills))))


def _load(stage: Stage, skill: str) -> bool:
    before = shown(stage)
    stage.pull("load", skill)
    settle(stage)
    after = shown(stage)
    if not after.continues(before):
        message = f"loading `{skill}` moves what was there: {first_move(before, after)}, with {stage.facts}"
        raise Fallen(
            Reason.MOVED,
            message,
            "append what is loaded behind what is there, and sort nothing in",
            tuple(stage.script),
        )
    return len(after.names) > len(before.names)


def _builtin_first(session: ProbeSession) -> str:
    session.need("table", "core")
    for facts in session.facts:
        with session.stage(facts) as stage:
            _parts(stage)
            if session.has("serve"):
                before = _parts(stage)
                tried(stage, "serve", SERVER, *TOOLS)
                settle(stage)
                if _parts(stage) != before:
                    message = f"a server that connects changes the bytes of the agent's own tools, with {facts}"
                    raise Fallen(Reason.MOVED, message, "keep the two parts apart", tuple(stage.script))
    return "the agent's own tools stand in front, those of servers behind them, each part by name"


def _parts(stage: Stage) -> tuple[str, ...]:
    """The bytes of the agent's own tools. Raises Fallen where the order is another."""
    table, core = shown(stage), said(stage, "core")
    own = sorted(name for name in table.names if name in core)
    wanted = (*own, *sorted(name for name in table.names if name not in core))
    if table.names != wanted:
        place = next(place for place, pair in enumerate(zip(table.names, wanted, strict=True)) if pair[0] != pair[1])
        message = f"`{table.names[place]}` stands at place {place + 1}, where `{wanted[place]}` belongs"
        remedy = "sort the agent's own tools and those of servers each by name, then put one behind the other"
        raise Fallen(Reason.MOVED, f"{message}, with {stage.facts}", remedy, tuple(stage.script))
    return table.entries[: len(own)]


INVARIANT = Invariant(id=ID, family="table", scope=Scope.RUN, page=__doc__ or "", play=play)
