"""Values as an earlier activation left them."""

from __future__ import annotations

from dataclasses import replace

from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.terms import PAST, Element, Fresh, Param, Term
from pytest_invariants.flow.domain.values import Label, SealCall, Value, Wrapped


class Aging(Renaming):
    """Verdicts become stale, and what an answer had covered is uncovered; what nobody had asked about stays as it is.

    With `rename`, what the caller brought is what some earlier caller brought.
    """

    def __init__(self, rename: bool = False) -> None:
        super().__init__(_earlier if rename else _same)

    def value(self, value: Value) -> Value:
        made = super().value(value)
        return replace(made, fresh=False) if isinstance(made, Wrapped) and made.fresh else made

    def label(self, label: Label) -> Label:
        also = self.term(label.also) if label.also is not None else None
        return replace(
            label,
            subject=self.term(label.subject),
            also=also,
            stale=label.stale or label.cleared is not None,
            cleared=None,
        )

    def call(self, call: SealCall) -> SealCall:
        return replace(super().call(call), past=True)


def _same(_term: Term) -> Term | None:
    return None


def _earlier(term: Term) -> Term | None:
    if isinstance(term, Param | Fresh):
        return Element(PAST, term)
    return None
