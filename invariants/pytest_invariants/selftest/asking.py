"""What one invariant says of an agent, in a process of its own and in a folder of its own.

`python -m pytest_invariants.selftest.asking REGISTRY INVARIANT [SURFACE]` writes a list to standard output: for each
question what the two halves say together. It asks nothing else, so that many copies can be asked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pytest_invariants.check import Examination, Question, questions
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Reason, Verdict


def answers(registry: Path, select: tuple[str, ...]) -> list[Mapping[str, str]]:
    """:raises RegistryError: where the registry does not read."""
    examination = Examination(read(registry))
    return [_answer(examination, question) for question in questions(examination.registry, select=select)]


def _answer(examination: Examination, question: Question) -> Mapping[str, str]:
    told = {"surface": question.about, "invariant": question.invariant.id}
    try:
        found = examination.answer(question)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        return {**told, "verdict": Verdict.UNDECIDED.value, "reason": Reason.HARNESS.value, "message": said}
    return {**told, "verdict": found.verdict.value, "reason": found.reason or "", "message": found.message}


def main(registry: str, *select: str) -> int:
    try:
        found = answers(Path(registry), select)
    except RegistryError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
