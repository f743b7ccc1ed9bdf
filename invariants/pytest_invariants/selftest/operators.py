"""The operators, in the order of the table: how people spoil a question, and what the prover should then say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_invariants.selftest import answers, arguments, handling, order
from pytest_invariants.selftest.site import Site
from pytest_invariants.verdict import Reason

UNASKED = frozenset({Reason.NEVER_REACHES_SEAL, Reason.PATH_WITHOUT_SEAL})
"""Nobody asks; which of the two it is depends on what else the surface asks."""
IGNORED = frozenset({Reason.VERDICT_IGNORED, Reason.PATH_WITHOUT_SEAL, Reason.SWALLOWED_REFUSAL})
MISDIRECTED = frozenset({Reason.WRONG_SUBJECT, Reason.SUBJECT_REBOUND})
MISATTRIBUTED = frozenset({Reason.WRONG_PRINCIPAL, Reason.CONSTANT_PRINCIPAL})


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to spoil a question. `apply` changes the site's tree, or raises NotApplicable.

    `fitting` are the prover's reasons that name what was spoiled. With `relayed` it also suits a call of a helper that
    asks. `unseen` says why a run cannot tell the mutant from the code as it was, where that is so. With `covered` another
    question may make up for the one that was spoiled; what has been done already cannot be made up for.
    """

    id: str
    fitting: frozenset[Reason]
    apply: Callable[[Site], None]
    relayed: bool = False
    unseen: str = ""
    covered: bool = True

    @property
    def summary(self) -> str:
        return (self.apply.__doc__ or "").strip()


OPERATORS = (
    Operator("drop-guard", UNASKED | {Reason.ADDED_AFTER_SEAL}, answers.drop_guard, relayed=True),
    Operator("invert", frozenset({Reason.INVERTED, Reason.SWALLOWED_REFUSAL}), answers.invert, relayed=True),
    Operator("drop-await", IGNORED | {Reason.NOT_AWAITED, Reason.NO_GRANT}, answers.drop_await, relayed=True),
    Operator("swap-subject", MISDIRECTED, arguments.swap_subject, relayed=True),
    Operator("constant-subject", MISDIRECTED, arguments.constant_subject),
    Operator("constant-principal", MISATTRIBUTED, arguments.constant_principal),
    Operator("ask-once", MISDIRECTED, arguments.ask_once, relayed=True),
    Operator("swallow-refusal", IGNORED, answers.swallow_refusal, relayed=True),
    Operator(
        "cache-verdict",
        frozenset({Reason.STALE_VERDICT, Reason.PATH_WITHOUT_SEAL}),
        handling.cache_verdict,
        relayed=True,
    ),
    Operator("look-alike", UNASKED, handling.look_alike),
    Operator("append-after", IGNORED | MISDIRECTED | {Reason.ADDED_AFTER_SEAL}, order.append_after),
    Operator(
        "assert-guard",
        frozenset({Reason.ASSERT_GUARD}),
        answers.assert_guard,
        unseen="an assert refuses as well, until somebody runs `python -O`",
    ),
    Operator("grant-first", IGNORED | {Reason.GRANT_BEFORE_SEAL}, order.grant_first, relayed=True, covered=False),
)

BY_ID = {operator.id: operator for operator in OPERATORS}
