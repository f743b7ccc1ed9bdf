"""Every skill file keeps the rules of the format, and the loader drops and misreads none.

What it states
    Of the SKILL.md files below the folders that the registry names under `skills`: each keeps the rules of
    https://agentskills.io/specification and holds in the keys by which an agent decides (`categories`, `availability`,
    `writing`, `mcp`, `tool-ids`) what belongs there; none is a link, lies inside another skill, or has a name that
    readers do not find. Of the agent's loader: it reads odd files rightly, or refuses them with a message.

Why it matters
    Readers of skill files differ, and most drop what they cannot read without a word. A mark of three bytes before the
    frontmatter, and a skill is gone, or it is there and its `categories` are not.

A failing example
    ::

        ---
        name: payroll
        description: Pays the staff: once a month.
        ---

    Refuted, `flawed-file`: line 3, a colon in a value without quotes.

The repair
    Correct the file as the message says. In the loader, refuse with the path and a remedy what is not understood; one
    parser that knows YAML reads all of them. This holds::

        ---
        name: payroll
        description: "Pays the staff: once a month."
        ---

Its limits
    Whether a manual is any good is for people. Names with underscores are refused unless `policies.names` allows them.
    What lies outside the named folders is not looked at, and links are told, not followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import of_run
from pytest_invariants.registry.model import Surface
from pytest_invariants.source.skill_files import Style
from pytest_invariants.source.skill_trees import found, lacking, skill_tree
from pytest_invariants.verdict import Finding, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.probe.session import ProbeSession

ID = "skill-file-valid"


def prove(prover: Prover, surface: Surface | None = None) -> Finding:
    del surface
    registry = prover.registry
    tree = skill_tree(registry.root, registry.skills)
    style = Style(underscores=registry.policies.get("names") == "underscores")
    held = f"{len(tree.manuals)} skill files keep the rules of the format"
    return lacking(ID, registry.skills, tree) or found(ID, Reason.FLAWED_FILE, tree.flaws(style), held)


@of_run(ID)
def play(session: ProbeSession) -> str:
    from pytest_invariants.probe.odd_skills import FILES
    from pytest_invariants.probe.reading import judge

    return f"{judge(session, FILES, Reason.FLAWED_FILE)} odd files are read rightly, or refused with a message"


INVARIANT = Invariant(id=ID, family="files", scope=Scope.RUN, page=__doc__ or "", prove=prove, play=play)
