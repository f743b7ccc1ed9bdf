"""A child agent has what the declared policy gives it, and no more.

What it states
    `policies: {child: ...}` says what a child may do, measured by its parent. With each, a child shows nothing that
    the seal denies to everybody, whether it was spawned before or after the no. Beyond that:

    - `ceiling`: with the agent's own seal a child shows nothing that its parent does not show. Less is its own affair.
    - `independent`: the seal's answer to the child decides, and nothing else. A no to the parent does not bind it, and
      a no to the child does.
    - `intersection`: a child shows what the seal allows to both, and only that.

Why it matters
    Children are made in many places: a sub-agent, a hand-off, a worker process, a code runner. One inherits the set of
    opened skills as it was, the next is checked with its parent's grants, the third begins with the wide facts of its
    own configuration. Honest agents differ in what they want; they have to say it.

A failing example
    ::

        def spawn(self, task):
            return Agent(opened=self.opened, category=task.category)      # the child brings a category of its own

    With `child: ceiling`, refuted, `leaked`: with the category 'home' the child shows `payroll`, and its parent does
    not.

The repair
    For a ceiling, build the child's facts from what its parent was allowed. For an intersection ask the seal for both.
    For an independent child ask it with the child's own facts, and carry nothing over.

Its limits
    Independent children and intersections are told apart by whom the seal is asked for: where `seal_arguments` of
    parent and child name the same principal, that half is not examined. A ceiling is examined where the own seal closes
    something to the parent.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.model import Registry

ID = "child-bounded"


@of_run(ID)
def play(session: ProbeSession) -> str:
    from pytest_invariants.probe import bounds

    mode = _declared(session.registry)
    session.need("spawn_child")
    answers = sum(bounds.denied_to_all(session, facts, mode) for facts in session.facts)
    if mode == "ceiling":
        sealed = sum(bounds.below_its_parent(session, facts) for facts in session.starts())
        if not sealed:
            raise Lacking(
                "a child obeys the seal; that it stays below its parent was not tried, because the agent's own seal "
                "closes nothing to the parent under any facts"
            )
        return f"in {answers} answers a child obeyed the seal, and {sealed} times it had no more than its parent"
    apart = sum(bounds.asked_for_each(session, facts, mode) for facts in session.facts)
    if not apart:
        raise Lacking(
            "a child obeys the seal; whose verdict decides was not tried, because `seal_arguments` of parent and child "
            "name the same principal, or none"
        )
    return f"in {answers} answers a child obeyed the seal, and in {apart} the verdicts decided that are declared to"


def _declared(registry: Registry) -> str:
    mode = registry.policies.get("child")
    if mode is None:
        raise Lacking("the registry declares no policy `child`")
    return mode


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.RUN, page=__doc__ or "", play=play)
