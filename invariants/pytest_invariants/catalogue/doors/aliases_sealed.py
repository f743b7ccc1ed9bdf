"""A sealed skill is sealed by whatever name it is called.

What it states
    A named surface is asked for every skill by some sixty other spellings: in another case, URL-encoded, in other
    Unicode forms, with white space, as a path, with prefixes, by hash names, and by the names that the host knows of.
    While the seal says yes it shows which of them the agent takes for the skill at all. By each of these nothing comes
    out while the seal says no to the skill, or to everything. The same goes for the parts of a skill.

Why it matters
    The look-up folds what the filter compares exactly: a case variant, `SKILL%2Emd` or a hash name is routed past a
    rule that was written for the plain name. Or the seal is asked about the spelling, finds no facts for it, and what
    has no facts is unrestricted.

A failing example
    ::

        def activate(turn, name):
            if skill_sealed_for(CATEGORIES.get(name, ()), turn.category):      # `LEDGER` has no categories
                raise Refused(name)
            return load(FOLDER / name.lower())

    Refuted, `leaked`: `LEDGER` (`ledger` in another case) comes out though the seal says no to `ledger`.

The repair
    Make one name out of every spelling first, or accept one spelling only; then look up, and ask the seal about what
    was found.

Its limits
    Spellings that the probe thinks of, and those that `spellings` of the host names; of the parts of a skill the first
    five. A surface whose host method makes something else of the name (the name of a tool) is tried only as far as the
    host hands the spelling on. A spelling that is the plain name of another skill is left out. Where the seal is asked
    about something that is no skill, the agent's own seal answers: to seal what is unknown is honest.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_surface_and_run
from pytest_invariants.probe.by_name import Naming, parts, skills_of
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.worlds import ALLOW, DENY, without
from pytest_invariants.registry.model import Manner, Surface

ID = "aliases-sealed"


@of_surface_and_run(ID)
def play(session: ProbeSession, surface: Surface | None) -> str:
    naming = _of_parts(session) if surface is None else skills_of(session.named_question(surface).surface)
    facts = session.facts[0]
    if not session.groups(facts):
        raise Lacking("the host's `seal_arguments` do not say what the seal is asked about")
    with session.stage(facts) as stage:
        tried = naming.spelled(stage)
        accepted = [spelled for spelled in tried if naming.comes_out(stage, spelled.text)]
    if accepted:
        worlds = [ALLOW, DENY, *(without(*group) for group in session.groups(facts))]
        session.through(facts, worlds, lambda stage: naming.closed(stage, accepted))
    kinds = ", ".join(dict.fromkeys(spelled.kind for spelled in accepted))
    said = f"{len(accepted)} are accepted ({kinds}), and sealed with it" if accepted else "none is accepted"
    return f"of {len(tried)} other spellings of {naming.what} {said}"


def _of_parts(session: ProbeSession) -> Naming:
    session.need("parts", "reach")
    return parts()


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.BOTH, page=__doc__ or "", play=play, manner=Manner.NAMED)
