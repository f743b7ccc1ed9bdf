"""What stands on the disable list is gone, and an entry that matches nothing is told.

What it states
    A skill that is disabled comes out of no surface, and nothing of its group does: not its own tools, not the tools of
    the namespaces that it claims, not its files. The others come out as before. A name that differs in its spelling
    (case, joints, blanks, a path) is refused with a message, or takes the skill away all the same.

Why it matters
    A disable list is written once and never looked at again. An entry that matches nothing reads like one that works,
    and a skill that is gone while its tools are nobody's is open to everybody.

A failing example
    ::

        skills = [skill for skill in found if skill.name not in settings["disabled"]]      # "Payroll"

    Refuted, `matches-nothing`: `Payroll` is on the disable list, `index` lists `payroll`, and nobody says so.

The repair
    Compare names exactly, refuse entries that match no skill with the closest name, and take the skill's namespaces
    away with it. This holds::

        strangers = set(settings["disabled"]) - {skill.name for skill in found}
        if strangers:
            raise ConfigurationError(f"disabled skills that there are not: {sorted(strangers)}")

Its limits
    The list is the host's `disable`. Every skill of the host is disabled once, the spellings are tried with the first
    whose name they change.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.verdict import Reason

ID = "disable-matches"
REMEDY = "compare names exactly, refuse an entry that matches nothing, and take all of the skill's group away"


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("disable")
    if not session.sealed_questions:
        raise Lacking("the host has no method for any surface, so nothing shows whether a skill is gone")
    for skill in session.skills:
        _gone(session, skill, skill)
    told = [_refused(session, entry, skill) for entry, skill in spellings(session)]
    held = f"each of {len(session.skills)} skills is gone once it is disabled"
    return f"{held}; of {len(told)} other spellings {told.count(True)} are refused, and the others work"


def spellings(session: ProbeSession) -> Iterator[tuple[str, str]]:
    """Names that are no skill's, each with the skill that is probably meant."""
    for change in (
        str.upper,
        str.capitalize,
        lambda name: name.replace("_", "-") if "_" in name else name.replace("-", "_"),
        lambda name: f"{name} ",
        lambda name: f"{name}/SKILL.md",
        lambda name: f"{name}s",
        lambda name: name[:-1],
    ):
        changed = ((change(skill), skill) for skill in session.skills)
        yield from list(pair for pair in changed if pair[0] and pair[0] not in session.skills)[:1]


def _refused(session: ProbeSession, entry: str, skill: str) -> bool:
    """Whether the agent refuses the entry with a message; where it does not, the skill has to be gone."""
    with session.stage() as stage:
        try:
            stage.agent.call("disable", entry)
        except HostError:
            raise
        except REFUSALS as error:
            if not str(error).strip():
                message = f"`{entry}` on the disable list is refused without a word ({type(error).__name__})"
                raise Fallen(Reason.MATCHES_NOTHING, message, "name the entry, and the skill that is near") from error
            return True
    _gone(session, entry, skill)
    return False


def _gone(session: ProbeSession, entry: str, skill: str) -> None:
    with session.stage() as stage:
        parts = stage.agent.names("parts", skill) if session.has("parts") and session.has("reach") else ()
        for part in parts:
            if not stage.agent.outcome("reach", part).ran:
                message = f"`{part}` is not reached though {stage.swapped.world}"
                raise Fallen(Reason.NOT_SHOWN, message, "correct `parts` or `reach` of the host", tuple(stage.script))
        stage.pull("disable", entry)
        _expect_gone(stage, entry, skill)
        for part in parts:
            if stage.agent.outcome("reach", part).ran:
                message = f"`{entry}` is on the disable list, and `{part}` of `{skill}` is reached"
                raise Fallen(Reason.MATCHES_NOTHING, message, REMEDY, tuple(stage.script))


def _expect_gone(stage: Stage, entry: str, skill: str) -> None:
    others = frozenset(stage.session.skills) - {skill}
    for question in stage.session.sealed_questions:
        shown = stage.ask(question)
        script = (*stage.script, f"{question}: {quoted(shown.skills) or 'nothing'} comes out")
        if skill in shown.skills:
            message = f"`{entry}` is on the disable list, and `{skill}` comes out of `{question.surface}`"
            raise Fallen(Reason.MATCHES_NOTHING, f"{message} without a word", REMEDY, script)
        if others - shown.skills:
            message = f"`{entry}` is on the disable list, and {quoted(others - shown.skills)} is gone too"
            raise Fallen(Reason.NOT_SHOWN, f"{message} from `{question.surface}`", "take away what is named", script)


INVARIANT = Invariant(id=ID, family="files", scope=Scope.RUN, page=__doc__ or "", play=play)
