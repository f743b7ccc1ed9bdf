"""Facts that are missing never open a seal.

What it states
    With the agent's own seal: what is sealed stays sealed when a fact is left out: the thread's category, the
    provider's id, its tags, the loader, any of them or all. To learn what is restricted at all, the probe also opens
    the agent with a category that no skill can list.

Why it matters
    A child process, a rehearsal, a test or a new entrance builds its facts anew, and forgets one. If "unknown" means
    "allowed", that is the door; if it means "sealed", it is a bug report.

A failing example
    ::

        def sealed(categories, thread_category):
            return bool(categories) and thread_category is not None and thread_category not in categories

    Refuted, `leaked`: `payroll` is sealed with the category 'home', and comes out of `index` with no category.

The repair
    Let the seal be an allow list: a fact that is missing matches no entry.

Its limits
    Only facts that `Facts` knows are left out. It needs a host whose agent keeps its own seal busy: where nothing is
    ever sealed there is nothing to examine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.agent import Question
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.host import Facts
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Shown
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason

ID = "facts-missing-seal"

Answers = dict[Question, Shown]


@of_run(ID)
def play(session: ProbeSession) -> str:
    questions = session.sealed_questions
    if not questions:
        raise Lacking("the host has no method for any surface")
    known: dict[Facts, Answers] = {}
    sealed = 0
    for facts in session.starts():
        before = _answers(session, facts, questions, known)
        for fewer in _without(facts):
            sealed += _compare(facts, before, fewer, _answers(session, fewer, questions, known))
    if not sealed:
        raise Lacking(
            "the agent's own seal closes nothing under any facts, so nothing can be opened by leaving one out"
        )
    return f"in {sealed} comparisons nothing that is sealed came out when facts were left out"


def _without(facts: Facts) -> Iterator[Facts]:
    """The same facts with one of them left out, and with all left out."""
    no_provider = replace(facts, provider=None, tags=())
    fewer = (
        replace(facts, category=None),
        replace(facts, provider=None),
        replace(facts, tags=()),
        no_provider,
        replace(facts, with_loader=False),
        replace(no_provider, category=None, with_loader=False),
    )
    yield from (each for each in dict.fromkeys(fewer) if each != facts)


def _answers(
    session: ProbeSession, facts: Facts, questions: tuple[Question, ...], known: dict[Facts, Answers]
) -> Answers:
    """What every surface shows under these facts; nothing known of an agent that does not open."""
    if facts not in known:
        with session.stage(facts, REAL) as stage:
            known[facts] = {} if stage.dead else {question: stage.ask(question) for question in questions}
    return known[facts]


def _compare(facts: Facts, before: Answers, fewer: Facts, after: Answers) -> int:
    """How often something sealed stayed sealed."""
    kept = 0
    for question, shown in before.items():
        sealed = frozenset(shown.texts) - shown.skills
        opened = sealed & after[question].skills if question in after else frozenset()
        if opened:
            message = f"{quoted(opened)} is sealed with {facts}, and comes out of `{question.surface}` with {fewer}"
            script = (
                f"with {facts}, {question}: {quoted(shown.skills) or 'nothing'}",
                f"with {fewer}, {question}: {quoted(after[question].skills)}",
            )
            raise Fallen(Reason.LEAKED, message, "let a fact that is missing match nothing", script)
        kept += len(sealed) if question in after else 0
    return kept


INVARIANT = Invariant(id=ID, family="doors", scope=Scope.RUN, page=__doc__ or "", play=play)
