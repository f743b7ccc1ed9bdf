"""The field report as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from .measure import Answer, Measured
from .truth import Case, Expected, Score

INTRODUCTION = """\
# Field report

What the prover says of public code bases that were not written for it. The registries were written by hand, and so was
the expected answer of every surface, after reading its code and before the prover was run
(`examples/registries/*/expected.yaml`). `python examples/field_report.py --sources DIR --download` makes this page.

A surface is *right* if what is proved holds and what is refuted falls. The mistakes, by gravity: *wrongly proved* (it
falls, and the prover says that it holds), *no answer*, *false alarm* (it holds, and is refuted), *needlessly undecided*
(the text was enough to decide).

*Right by the letter* means: the surface does not ask the registered seal, although something else guards it today: a
copy of the seal, a witness from an earlier question, a border of trust. The prover is asked to find that; to accept it
takes an exemption with a reason.
"""


@dataclass(frozen=True, slots=True)
class Result:
    case: Case
    measured: Measured

    @property
    def scored(self) -> Iterator[tuple[str, Expected, Answer, Score]]:
        """Every expected answer beside the given one. A question without an answer has failed."""
        halves = ((self.case.surfaces, self.measured.surfaces), (self.case.run, self.measured.run))
        for expected, given in halves:
            for name, wanted in expected.items():
                answer = given.get(name, Answer("failed", message=self.measured.trouble or "not asked"))
                failed = answer.verdict == "failed"
                score = Score.FAILED if failed else wanted.score(answer.verdict, answer.reason)
                yield name, wanted, answer, score


def page(results: list[Result]) -> str:
    """The whole report."""
    parts = [INTRODUCTION, _totals(results), _sizes(results), *(_one(result) for result in results)]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _totals(results: list[Result]) -> str:
    scores = Counter(score for result in results for *_, score in result.scored)
    rows: list[tuple[str, ...]] = [("answer", "surfaces"), *((score.value, str(scores[score])) for score in Score)]
    reasons = Counter(
        answer.reason or "-" for result in results for _, _, answer, _ in result.scored if answer.verdict == "undecided"
    )
    text = "## In sum\n\n" + table(rows)
    if reasons:
        text += "\nUndecided, by reason: " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    return text + "\n"


def _sizes(results: list[Result]) -> str:
    head = (
        "code base",
        "packages",
        "files",
        "lines",
        "doors",
        "unregistered",
        "proved",
        "refuted",
        "undecided",
        "s",
        "MB",
    )
    rows: list[tuple[str, ...]] = [head]
    for result in results:
        measured = result.measured
        verdicts = Counter(answer.verdict for _, _, answer, _ in result.scored)
        rows.append(
            (
                result.case.name,
                ", ".join(str(package) for package in result.case.packages),
                str(measured.files),
                f"{measured.lines:,}",
                str(measured.doors),
                str(len(measured.unregistered)),
                *(str(verdicts[word]) for word in ("proved", "refuted", "undecided")),
                f"{measured.seconds:.1f}",
                f"{measured.megabytes:.0f}",
            )
        )
    return "## Sizes and costs\n\n" + table(rows)


def _one(result: Result) -> str:
    measured = result.measured
    lines = [f"## {result.case.name}\n"]
    if measured.trouble:
        lines.append(f"No answer: {measured.trouble}\n")
    rows: list[tuple[str, ...]] = [("surface", "answer", "level", "score", "why it is so")]
    for name, expected, answer, score in result.scored:
        said = f"{answer.verdict} ({answer.reason})" if answer.reason else answer.verdict
        judged = f"{expected.why}. *{expected.judgement}*" if expected.judgement else expected.why
        level = "-" if answer.level is None else str(answer.level)
        rows.append((name, said, level, score.value, judged))
    lines.append(table(rows))
    if measured.stale:
        lines.append(f"Stale exemptions: {', '.join(measured.stale)}.\n")
    return "\n".join(lines)


def table(rows: list[tuple[str, ...]]) -> str:
    """A Markdown table whose first row is its head."""
    head, *body = [" | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) for row in rows]
    rule = " | ".join("---" for _ in rows[0])
    return "".join(f"| {line} |\n" for line in (head, rule, *body))
