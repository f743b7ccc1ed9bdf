"""Making the mutants: every operator applied to every question, in memory."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from pytest_invariants.selftest.code import Code, rewritten
from pytest_invariants.selftest.model import Mutant, Skipped
from pytest_invariants.selftest.operators import OPERATORS, Operator
from pytest_invariants.selftest.questions import Asking
from pytest_invariants.selftest.site import NotApplicable


def mutants(code: Code, asked: Collection[Asking]) -> Iterator[Mutant | Skipped]:
    """For each question and each operator that suits it a mutant, or why there is none."""
    for asking in asked:
        for operator in OPERATORS:
            if operator.relayed or not asking.relayed:
                yield mutant(code, asking, operator)


def mutant(code: Code, asking: Asking, operator: Operator) -> Mutant | Skipped:
    """The code with one question spoiled, at every call on its line."""
    try:
        return _spoiled(code, asking, operator)
    except NotApplicable as reason:
        return Skipped(operator.id, asking.question, str(reason))


def _spoiled(code: Code, asking: Asking, operator: Operator) -> Mutant:
    sites = asking.sites(code)
    if not sites:
        raise NotApplicable("no call of the seal by its name stands on that line")
    first = sites[0]
    index = first.index
    for site in sites:
        if site.call in ast.walk(site.tree):
            operator.apply(site)
    try:
        text, diff = rewritten(first.module, first.tree, index, first.prelude)
    except ValueError as problem:
        raise NotApplicable(str(problem)) from problem
    return Mutant(operator.id, asking.question, first.module.path, text.encode(first.module.encoding), diff)
