"""The page of an invariant and the page of a reason code, as a terminal shows them."""

from __future__ import annotations

from inspect import cleandoc

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.report.reasons import MEANINGS
from pytest_invariants.verdict import Reason


def invariant_page(id: str) -> str | None:
    """The documentation of an invariant, or None where there is no such invariant."""
    for invariant in CATALOGUE:
        if invariant.id == id:
            halves = " and ".join(
                name for name, half in (("proved", invariant.prove), ("probed", invariant.play)) if half is not None
            )
            head = f"{invariant.id} ({invariant.family}; asked of the {invariant.scope}; {halves})"
            return f"{head}\n\n{cleandoc(invariant.page)}\n"
    return None


def reason_page(id: str) -> str | None:
    """What a reason code means and what helps, or None where there is no such code."""
    if id not in reason_ids():
        return None
    meaning = MEANINGS[Reason(id)]
    return f"{id} ({meaning.family})\n\n{meaning.meaning}\nremedy: {meaning.remedy}\n"


def reason_ids() -> tuple[str, ...]:
    return tuple(reason.value for reason in Reason)
