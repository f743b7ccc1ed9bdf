"""Making the mutants: every operator applied to every question, in memory."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import Mutant, Skipped
from pytest_invariants.selftest.operators import OPERATORS, Operator
from pytest_invariants.selftest.questions import Asking
from pytest_invariants.selftest.site import NotApplicable, Site


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
    for site in sites:
        if site.call in ast.walk(site.tree):
            _touch(site)
            operator.apply(site)
    drafts = list({site.module.path: site.draft for site in sites}.values())
    written = [(draft.module.path, *draft.written()) for draft in drafts]
    files = tuple((path, content) for path, content, _ in written)
    return Mutant(operator.id, asking.question, files, tuple(line for _, _, diff in written for line in diff))


def _touch(site: Site) -> None:
    try:
        site.draft.touch(site.call)
    except ValueError as problem:
        raise NotApplicable(str(problem)) from problem
