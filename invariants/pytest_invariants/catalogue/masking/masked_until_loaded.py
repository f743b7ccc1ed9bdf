"""A tool that waits for a manual is not shown until one of its skills has been loaded, and then it is.

What it states
    Each tool that the host's `owners` names is out of the table while none of its skills counts as loaded, and in it
    from the step on in which one of them does. Loading a skill hides nothing that was there.

Why it matters
    These are the tools that cannot be used rightly without the manual. Shown too early, the model guesses; not shown
    after loading, it has read a manual about a tool that it does not have.

A failing example
    ::

        masked = {tool for skill in skills for tool in skill.tool_ids if skill.name not in read}   # `read`: by any door

    Refuted, `disagrees`, where `read` forgets a skill that was loaded by an order for two: `pay_order` is not shown
    though `order_checkout` was loaded. Reading what is loaded off one record holds.

The repair
    Compute what is masked before each step: all that is listed, less what the loaded skills list.

Its limits
    The seal says yes to everything meanwhile: that a loaded skill which is sealed today frees nothing is for
    `seal-decides`. That a masked tool runs when it is called is for `callable-is-listed-or-declared`.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe import masks
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.tables import lighten, mapping, settle, shown
from pytest_invariants.verdict import Reason

ID = "masked-until-loaded"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table", "owners", "load", "loaded")
    unlocked: set[str] = set()
    for facts in session.facts:
        with session.stage(facts) as stage:
            lighten(stage)
            owners = mapping(stage, "owners")
            masks.judge(stage, owners)
            for skill in dict.fromkeys(skill for skills in owners.values() for skill in skills):
                unlocked |= _load(stage, owners, skill)
    if not unlocked:
        raise Lacking("no tool waits for a manual that can be loaded here; let the host's `open` leave some out")
    return f"each of {len(unlocked)} tools was shown when one of its skills had been loaded, and not before"


def _load(stage: Stage, owners: masks.Owners, skill: str) -> frozenset[str]:
    before = frozenset(shown(stage).names)
    stage.pull("load", skill)
    settle(stage)
    after = frozenset(shown(stage).names)
    if skill not in stage.agent.names("loaded"):
        message = f"`{skill}` does not count as loaded though its manual was loaded, with {stage.facts}"
        raise Fallen(Reason.NOT_SHOWN, message, "correct `load` or `loaded` of the host", tuple(stage.script))
    masks.judge(stage, owners)
    lost = before - after - masks.search_tool(stage)
    if lost:
        message = f"loading `{skill}` takes {quoted(lost)} out of the table, with {stage.facts}"
        raise Fallen(Reason.DISAGREES, message, "let loading only unlock", tuple(stage.script))
    return frozenset(after - before) & frozenset(owners)


INVARIANT = Invariant(id=ID, family="masking", scope=Scope.RUN, page=__doc__ or "", play=play)
