"""`invariants play`: play one script of the probe, and show after every step what each surface answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_invariants.cli import UsageError
from pytest_invariants.commands.common import read_registry
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.probe.checking import require_playable
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.player import Player, play
from pytest_invariants.probe.script import Script, ScriptError, parsed
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.target import SwapError
from pytest_invariants.report import output
from pytest_invariants.report.model import Status


def run(text: str, given: Path | None) -> int:
    """Play the script with the agent of the registry.

    :raises UsageError: where the script cannot be played, or there is no agent to play it with.
    """
    try:
        script = parsed(text)
        session = ProbeSession(read_registry(given))
        with output.kept_clean():
            require_playable(session, session.sealed_questions, script)
            told, status = _played(session, script)
    except (ScriptError, Lacking, HostError, SwapError) as error:
        raise UsageError(str(error)) from error
    output.show("\n".join((*told, "")))
    return int(status)


def _played(session: ProbeSession, script: Script) -> tuple[list[str], Status]:
    told = _Told()
    try:
        play(session, session.sealed_questions, script, told)
    except Fallen as fallen:
        rest = fallen.script[told.known :]
        return [
            *told.lines,
            *rest,
            "",
            f"FALLS ({fallen.reason}): {fallen.message}",
            f"remedy: {fallen.remedy}",
        ], Status.FALLS
    return [*told.lines, "", "HOLDS"], Status.HOLDS


class _Told:
    """The steps, each with the answers to it below it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.known = 0

    def __call__(self, player: Player, answers: list[str]) -> None:
        script = player.stage.script
        self.lines += [*script[self.known :], *_grouped(answers)]
        self.known = len(script)


def _grouped(answers: list[str]) -> Iterator[str]:
    """Questions with the same answer on one line, those with the commonest answer together at the end."""
    alike: dict[str, list[str]] = {}
    for answer in answers:
        question, _, shown = answer.rpartition(": ")
        alike.setdefault(shown, []).append(question)
    common = max(alike, key=lambda shown: len(alike[shown]), default="")
    yield from (f"    {'; '.join(asked)}: {shown}" for shown, asked in alike.items() if shown != common)
    if answers:
        yield f"    {'everywhere' if len(alike) == 1 else 'everywhere else'}: {common}"
