"""A notice comes exactly when a list has changed.

What it states
    Around each call of a tool, and while nothing is called, the lists are asked for again. Where a list differs and
    the server declares `listChanged`, a notice came within a second. Where a notice came, a list differs. A server
    that does not declare `listChanged` sends no notice, and its lists stay what they are.

Why it matters
    Between two notices a client keeps the list that it has. A change without a notice is a tool that is called and not
    there, or there and never called; a notice without a change voids a cache that was right.

A failing example
    ::

        def unlock(password):
            TOOLS.append(secret_tool)           # and nobody is told
            return "unlocked"

    Refuted, `untold`: after `unlock` the list of tools is another, and no notice came.

The repair
    Send `notifications/.../list_changed` from the one place where the list is changed.

Its limits
    The lists change when a tool is called that changes them: name it with `--call NAME=JSON`. Where no list changed
    and no notice came, nothing was examined. `resources/updated` is not looked at.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import PROMPTS, RESOURCES, TEMPLATES, TOOLS, Kind, kind_of
from pytest_invariants.hosts.mcp.seen import Change, Seen
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.verdict import Reason

ID = "change-told"
TOGETHER: dict[Kind, tuple[Kind, ...]] = {TOOLS: (TOOLS,), RESOURCES: (RESOURCES, TEMPLATES), PROMPTS: (PROMPTS,)}
"""The lists that one notice speaks of."""


def judge(seen: Seen, method: str) -> str:
    kind = kind_of(method)
    steps: dict[int, list[Change]] = {}
    for change in seen.changes:
        if change.kind in TOGETHER[kind]:
            steps.setdefault(change.step, []).append(change)
    moved = sum(_told(seen, kind, changes) for changes in steps.values())
    if not moved:
        raise Lacking("the list never changed and no notice came; name a tool that changes it: --call NAME=JSON")
    return f"the list changed {moved} {'once' if moved == 1 else 'times'}, and a notice came each time"


def _told(seen: Seen, kind: Kind, changes: list[Change]) -> bool:
    """Whether the lists changed at this step."""
    moved = [change for change in changes if change.before != change.now]
    notices = changes[0].notices
    after = f"after `{changes[0].after}`" if changes[0].after else "while nothing was called"
    if moved and not notices:
        what = f"{after} the list of {moved[0].kind.word}s is another, and no `{kind.notice}` came"
        declared = "" if seen.told(kind) else "; `listChanged` is not declared, so the list has to stay what it is"
        message, remedy = what + declared, "send the notice where the list is changed, and declare `listChanged`"
        raise Fallen(Reason.UNTOLD, message, remedy, _difference(moved[0]))
    if notices and not moved:
        message = f"{after} `{kind.notice}` came, and the list is what it was"
        raise Fallen(Reason.UNTOLD, message, "send the notice only where the list has changed")
    if notices and not seen.told(kind):
        message = f"{after} `{kind.notice}` came, and `listChanged` is not declared"
        raise Fallen(Reason.UNTOLD, message, f"declare `listChanged` under `{kind.capability}`")
    return bool(moved)


def _difference(change: Change) -> tuple[str, ...]:
    gone = (f"gone: {line:.200}" for line in change.before if line not in change.now)
    new = (f"new: {line:.200}" for line in change.now if line not in change.before)
    return (*gone, *new) or ("the same things in another order",)


INVARIANT = Invariant(
    id=ID,
    family="server",
    scope=Scope.SURFACE,
    page=__doc__ or "",
    serve=Serve(tuple(kind.lists for kind in TOGETHER), judge, of_empty=True),
)
