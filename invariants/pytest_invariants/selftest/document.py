"""The kill table for programs. Every key is always there; what does not apply is null."""

from __future__ import annotations

import json

from pytest_invariants.report.json import Json, place, result
from pytest_invariants.selftest.model import KillTable, Outcome, Question, Ruling, Skipped, Trial
from pytest_invariants.selftest.operators import BY_ID

VERSION = 1


def render(table: KillTable) -> str:
    return json.dumps(document(table), indent=2, ensure_ascii=False) + "\n"


def document(table: KillTable) -> Json:
    return {
        "version": VERSION,
        "operators": [{"id": one, "summary": BY_ID[one].summary} for one in table.operators],
        "proofs": [result(finding) for finding in table.proofs.values()],
        "plays": [result(finding) for finding in table.plays.values()],
        "mutants": [_trial(trial) for trial in table.trials],
        "not_applicable": [_skipped(one) for one in table.skipped],
        "untried": [*table.untried],
        "rulings": {outcome.value: table.count(outcome) for outcome in Outcome},
        "status": int(table.status()),
    }


def _trial(trial: Trial) -> Json:
    return {
        "operator": trial.mutant.operator,
        "question": _question(trial.mutant.question),
        "diff": [*trial.mutant.diff],
        "rulings": [_ruling(one) for one in trial.rulings],
        "strays": [_ruling(one) for one in trial.strays],
    }


def _skipped(one: Skipped) -> Json:
    return {"operator": one.operator, "question": _question(one.question), "why": one.why}


def _question(question: Question) -> Json:
    return {
        "at": place(question.at),
        "function": question.function or None,
        "also": [place(one) for one in question.also],
        "source": question.source,
        "surfaces": [*question.surfaces],
        "through": question.through or None,
    }


def _ruling(ruling: Ruling) -> Json:
    return {
        "surface": ruling.surface,
        "half": ruling.half.value,
        "outcome": ruling.outcome.value,
        "reason": None if ruling.reason is None else ruling.reason.value,
        "message": ruling.message,
    }
