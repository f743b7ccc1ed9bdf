"""No two skills of an agent have names that are taken for one another.

What it states
    Of the skills below the folders that the registry names under `skills`, taken together: no two names become one
    once case, accents, look-alike letters and kinds of joints are taken for nothing. Of the agent's loader: given two
    such skills it keeps both apart, or refuses them; neither is lost without a word.

Why it matters
    Somewhere a name is made a key: a slug, a file name on a system that does not mind the case, a prefix of tools. Two
    skills become one there, the last one loaded wins, and a rule for the one opens the other.

A failing example
    ::

        skills/order-change/SKILL.md
        extra/order_change/SKILL.md

    Refuted, `alike`: the skill is easily taken for `skills/order-change`.

The repair
    Give one of them a name of its own. In the loader, compare names exactly and refuse a second one. This holds::

        skills/order-change/SKILL.md
        extra/order-cancelling/SKILL.md

Its limits
    Names are compared, not what the skills do. The look-alike letters are those of a list, the usual ones of three
    alphabets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import of_run
from pytest_invariants.registry.model import Surface
from pytest_invariants.source.skill_names import check_names
from pytest_invariants.source.skill_trees import found, lacking, skill_tree
from pytest_invariants.verdict import Finding, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.probe.session import ProbeSession

ID = "skill-names-unique"


def prove(prover: Prover, surface: Surface | None = None) -> Finding:
    del surface
    registry = prover.registry
    tree = skill_tree(registry.root, registry.skills)
    flaws = sorted(check_names(list(tree.manuals), one_agent=True))
    held = f"the names of {len(tree.manuals)} skills can be told apart"
    return lacking(ID, registry.skills, tree) or found(ID, Reason.ALIKE, flaws, held)


@of_run(ID)
def play(session: ProbeSession) -> str:
    from pytest_invariants.probe.odd_skills import NAMES
    from pytest_invariants.probe.reading import judge

    return f"{judge(session, NAMES, Reason.ALIKE)} pairs of names are kept apart, or refused with a message"


INVARIANT = Invariant(id=ID, family="files", scope=Scope.RUN, page=__doc__ or "", prove=prove, play=play)
