"""The kill table for people, in a terminal or in Markdown: question by question, mutants downwards, surfaces across."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_invariants.report.terminal import BOLD, DIM, GREEN, RED, YELLOW, Cell, Paint, columns, paragraph, printable
from pytest_invariants.selftest.model import Half, KillTable, Outcome, Question, Ruling, Status, Trial
from pytest_invariants.selftest.operators import BY_ID

COLOURS = {
    Outcome.KILLED: GREEN,
    Outcome.MISNAMED: YELLOW,
    Outcome.UNDECIDED: YELLOW,
    Outcome.COVERED: GREEN,
    Outcome.SURVIVED: RED,
}
ENDINGS = {
    Status.KILLED: ("KILLED: every mutant was noticed", GREEN),
    Status.SURVIVED: ("SURVIVED: the harness has not noticed all of them", RED),
    Status.NOTHING: ("NOT TRIED everywhere, and that is no pass", YELLOW),
}
LEGEND = (
    "A cell holds the reason for which the surface falls. `~` before it: the reason says something else than what was "
    "spoiled. `?`: undecided, which fails the run and is no refutation. After `+` stands what the probe says; `covered`: "
    "nothing came out, because another question was on the way."
)
NOTICE = "<!-- Written by `invariants selftest --probe --jobs 2 --format markdown --output docs/kill-table.md`. -->"


def text(table: KillTable, *, colour: bool = False, width: int = 100) -> str:
    return "\n".join(_text(table, Paint(colour), width)) + "\n"


def _text(table: KillTable, paint: Paint, width: int) -> Iterator[str]:
    yield summary(table)
    for question in table.questions:
        yield ""
        yield from paragraph(f"{_places(question)}  {_words(question)}", "    ", width, first="")
        yield from (f"  {line}" for line in columns(rows(table, question), paint))
        yield from paragraph(skipped(table, question), "    ", width, first="  ")
    yield ""
    yield from paragraph(LEGEND, "", width)
    yield from _survivors(table, paint, width)
    yield from _remarks(table, width)
    word, shade = ENDINGS[table.status()]
    yield ""
    yield tally(table)
    yield paint(word, shade)


def summary(table: KillTable) -> str:
    numbers = [len(table.proofs), len(table.questions), len(table.operators), len(table.trials)]
    parts = map(count, numbers, ("surface", "question", "operator", "mutant"))
    return f"{table.registry.seal.at.path}: {', '.join(parts)}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def tally(table: KillTable) -> str:
    found = {outcome: table.count(outcome) for outcome in Outcome}
    total = sum(found.values())
    parts = [f"{number} {outcome}" for outcome, number in found.items() if number]
    return f"{count(total, 'ruling')}: {', '.join(parts) or 'none'}"


def _places(question: Question) -> str:
    return " or ".join(map(str, question.places))


def _words(question: Question) -> str:
    through = f"  (leads to the question in {question.through})" if question.through else ""
    return f"{printable(question.source)}{through}"


def rows(table: KillTable, question: Question) -> list[list[Cell]]:
    """The table of one question, with its head."""
    surfaces = [surface for surface in question.surfaces if surface in table.proofs]
    head = [Cell("mutant", BOLD), *(Cell(surface, BOLD) for surface in surfaces)]
    trials = [trial for trial in table.trials if trial.mutant.question == question]
    return [head, *([Cell(trial.mutant.operator), *(_cell(trial, one) for one in surfaces)] for trial in trials)]


def _cell(trial: Trial, surface: str) -> Cell:
    halves = [trial.ruling(surface, half) for half in Half]
    told = [ruling for ruling in halves if ruling is not None]
    worst = max(told, key=lambda ruling: list(Outcome).index(ruling.outcome))
    return Cell(" + ".join(map(word, told)), COLOURS[worst.outcome])


def word(ruling: Ruling) -> str:
    match ruling.outcome:
        case Outcome.SURVIVED:
            return "SURVIVED"
        case Outcome.COVERED:
            return "covered"
        case Outcome.MISNAMED:
            return f"~{ruling.reason}"
        case Outcome.UNDECIDED:
            return f"?{ruling.reason}"
        case _:
            return str(ruling.reason)


def skipped(table: KillTable, question: Question) -> str:
    """The operators that do not apply, with the reasons why; empty where all do."""
    found: dict[str, list[str]] = {}
    for one in table.skipped:
        if one.question == question:
            found.setdefault(one.why, []).append(one.operator)
    apart = [f"{', '.join(operators)} ({why})" for why, operators in found.items()]
    return f"does not apply: {'; '.join(apart)}" if apart else ""


def survivors(table: KillTable) -> list[tuple[Trial, list[Ruling]]]:
    found = [(trial, [one for one in trial.rulings if one.outcome is Outcome.SURVIVED]) for trial in table.trials]
    return [(trial, rulings) for trial, rulings in found if rulings]


def _survivors(table: KillTable, paint: Paint, width: int) -> Iterator[str]:
    for trial, rulings in survivors(table):
        where = ", ".join(f"{one.surface} ({one.half})" for one in rulings)
        yield ""
        yield paint(f"{trial.mutant.question.at}: {trial.mutant.operator} survived at {where}", RED)
        yield from paragraph(BY_ID[trial.mutant.operator].summary, "    ", width)
        yield from (paint(f"    {printable(line)}", DIM) for line in trial.mutant.diff)


def remarks(table: KillTable) -> Iterator[str]:
    """What else a reader has to know: surfaces at which nothing was tried, and those that fell unasked."""
    for finding in table.unfit:
        reason = f" ({finding.reason})" if finding.reason else ""
        yield f"{finding.surface}: {finding.invariant} is {finding.verdict}{reason} as it stands: {finding.message}"
    for surface in table.untried:
        yield f"{surface}: no mutant was tried there"
    for trial in table.trials:
        for stray in trial.strays:
            at = f"{trial.mutant.operator} at {trial.mutant.question.at}"
            yield f"{stray.surface}: falls too ({stray.reason}) with {at}, on which its proof does not hang"


def _remarks(table: KillTable, width: int) -> Iterator[str]:
    for number, remark in enumerate(remarks(table)):
        if not number:
            yield ""
        yield from paragraph(remark, "    ", width, first="")


def markdown(table: KillTable) -> str:
    return "\n".join(_markdown(table)) + "\n"


def _markdown(table: KillTable) -> Iterator[str]:
    yield NOTICE
    yield "# The kill table"
    yield ""
    yield "`invariants selftest` opens doors in copies of the code, one at a time, and each has to be noticed by every"
    yield "surface whose proof hangs on it."
    yield ""
    yield f"{summary(table)}. {tally(table)}. {ENDINGS[table.status()][0]}."
    yield ""
    yield LEGEND
    yield ""
    yield from _pipes([["operator", "what it does"], *([f"`{one}`", BY_ID[one].summary] for one in table.operators)])
    for question in table.questions:
        yield from _section(table, question)
    for remark in remarks(table):
        yield ""
        yield remark


def _section(table: KillTable, question: Question) -> Iterator[str]:
    yield ""
    yield f"## {question.at.path}{f': {question.function}' if question.function else ''}"
    yield ""
    yield f"`{question.source}`" + (f" leads to the question in `{question.through}`." if question.through else "")
    yield ""
    yield from _pipes([[cell.text for cell in row] for row in rows(table, question)])
    if skipped(table, question):
        yield ""
        yield skipped(table, question)


def _pipes(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *body = [f"| {' | '.join(one.replace('|', chr(92) + '|') for one in row)} |" for row in cells]
    yield head
    yield "|" + "---|" * len(cells[0])
    yield from body
