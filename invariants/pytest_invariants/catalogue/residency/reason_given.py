"""Nobody makes a skill resident without saying why.

What it states
    A skill that is declared resident needs a reason that is not blank. Without one reading it fails, with a message;
    with one it succeeds.

Why it matters
    Each resident tool costs tokens in every request of every user. The reason is what a reviewer can weigh, and what
    the next reader needs to take the skill out again.

A failing example
    ::

        if "availability_reason" not in header:         # an empty one is there
            raise ValueError("say why")

    Refuted, `fails-open`: a skill is read as resident with the reason `" "`.

The repair
    Strip the reason and refuse what is left empty, in the parser, where every path comes by; say what it is for.

Its limits
    Blank is what consists of white space. Whether the reason is a good one is for people.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen, of_run
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import describe
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "reason-given"
GOOD = "the model needs it before it can ask for anything else"
BLANK = (None, "", " ", "\t", "\n", " \t \n ", "\u00a0", "\u3000")


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("declare_resident")
    with session.stage(world=REAL) as stage:
        refused = _refusal(stage, GOOD)
        if refused is not None:
            message = f"a skill that is resident for a good reason is not read: {refused:.200}"
            raise Fallen(
                Reason.NOT_SHOWN, message, "correct `declare_resident` of the host, or what the parser refuses"
            )
        for blank in BLANK:
            _check(stage, blank)
    return f"a good reason is accepted, and {len(BLANK)} that say nothing are refused with a message"


def _check(stage: Stage, blank: str | None) -> None:
    said = "no reason" if blank is None else f"the reason {blank!r}"
    refused = _refusal(stage, blank)
    if refused is None:
        remedy = "strip the reason in the parser, and refuse what is left empty"
        raise Fallen(Reason.FAILS_OPEN, f"a skill is read as resident with {said}", remedy)
    if not refused.strip():
        message = f"a skill that is resident with {said} is refused without a word"
        raise Fallen(Reason.NOT_SHOWN, message, "say in the exception what the reason is for")


def _refusal(stage: Stage, reason: str | None) -> str | None:
    """The text of the exception, or None where the skill is read."""
    try:
        stage.agent.call("declare_resident", reason)
    except HostError:
        raise
    except REFUSALS as error:
        return str(error) and describe(error)
    return None


INVARIANT = Invariant(id=ID, family="residency", scope=Scope.RUN, page=__doc__ or "", play=play)
