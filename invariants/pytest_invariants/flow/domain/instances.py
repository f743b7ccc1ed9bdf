"""Which class the objects are of that terms stand for, and which of these terms speak of a constructor's parameters."""

from __future__ import annotations

from pytest_invariants.flow.domain.terms import Param, Term, subterms
from pytest_invariants.program.code import ClassInfo


class Instances(dict[Term, ClassInfo]):
    """Terms and their classes, in the order in which they were noted."""

    def __init__(self) -> None:
        super().__init__()
        self._made_with: dict[str, list[Term]] = {}

    def __setitem__(self, term: Term, cls: ClassInfo) -> None:
        if term not in self:
            self._note(term)
        super().__setitem__(term, cls)

    def setdefault(self, term: Term, cls: ClassInfo) -> ClassInfo:
        if term not in self:
            self[term] = cls
        return self[term]

    def made_with(self, owner: str) -> list[Term]:
        """The terms in which a parameter of this class's constructor stands."""
        return [*self._made_with.get(owner, ())]

    def _note(self, term: Term) -> None:
        for owner in {part.owner for part in subterms(term) if isinstance(part, Param)}:
            self._made_with.setdefault(owner, []).append(term)
