"""Gives one input to everything that reads its kind; what comes of it, or an error that says what must not be."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisWarning
from pytest_invariants.cli import main
from pytest_invariants.source.skill_files import Style, check_file
from pytest_invariants.source.skill_trees import skill_tree

from skills.loader import SkillLoader
from skills.problems import SkillFileError
from tests.hook.scratch import Scratch
from tests.inputs.repository import lay
from tests.inputs.texts import KINDS

FORMATS = ("text", "json", "sarif", "github", "html")
RARELY = 10
"""Each so many inputs what is slower is asked too: the probe, and the hook, which judges what is staged."""
WRONG = 2
"""The exit status of a registry or a call that is wrong."""
ENDINGS = {0: "held", 1: "fell", WRONG: "refused", 3: "nothing was examined"}
"""By exit status. A fault of the harness (4) is none of them."""


class Bench:
    """The small repository, whose files the inputs overwrite one after the other."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._registry = lay(root)
        self._number = 0
        self._git = Scratch.make(root, files={})

    def yaml(self, raw: bytes) -> str:
        """As the registry, as declared mutants, and as the frontmatter of a manual."""
        lay(self._root)
        self._manual(b"---\n" + raw + b"\n---\nA manual.\n")
        (self._root / "mutants.yaml").write_bytes(raw)
        self._command("selftest", "--mutants", "mutants.yaml")
        return self.registry(raw)

    def markdown(self, raw: bytes) -> str:
        """As a manual that the hook, the agent of this repository and the invariants of files read."""
        lay(self._root)
        self._manual(raw)
        self._number += 1
        if self._number % RARELY == 0:
            self._staged("hook", "--skills")
        return self._command("check", "--static", "--select", "skill-file-valid", "--select", "skill-names-unique")

    def registry(self, raw: bytes) -> str:
        """As the registry of every command that reads one, in one of the report's formats after the other."""
        self._registry.write_bytes(raw)
        self._number += 1
        shown = FORMATS[self._number % len(FORMATS)]
        outcome = self._command("check", "--static", "--format", shown)
        self._command("doors")
        self._command("explain", "door")
        self._command("play", "open 0; deny *; step")
        self._command("selftest", "--mutants", "mutants.yaml", "--select", "nothing")
        if self._number % RARELY == 0:
            self._command("check", "--format", shown)
            self._staged("hook")
            self._staged("hook", "--fix")
        return outcome

    def _manual(self, raw: bytes) -> None:
        (self._root / "skills" / "notes" / "SKILL.md").write_bytes(raw)
        flaws = [*check_file(raw, "SKILL.md", "notes", Style()), *skill_tree(self._root, ["skills"]).flaws(Style())]
        for flaw in flaws:
            assert flaw.remedy, flaw
            assert flaw.line > 0, flaw
        with suppress(SkillFileError):
            SkillLoader(self._root / "skills")

    def _staged(self, *arguments: str) -> str:
        self._git.git("add", "--all")
        return self._command(*arguments)

    def _command(self, *arguments: str) -> str:
        out, err = io.StringIO(), io.StringIO()
        depth = sys.getrecursionlimit()
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            # the probe draws scripts with Hypothesis, here inside another run of it
            warnings.simplefilter("ignore", HypothesisWarning)
            status = main([*arguments])
        sys.setrecursionlimit(depth)
        said = out.getvalue() + err.getvalue()
        assert status in ENDINGS, f"{arguments}: exit status {status}\n{said}"
        assert "Traceback (most recent call last)" not in said, f"{arguments}\n{said}"
        assert status != WRONG or said.strip(), f"{arguments}: nothing is said"
        assert "\x1b" not in said, f"{arguments}: an escape sequence gets through\n{said!r}"
        return ENDINGS[status]


@contextmanager
def bench() -> Iterator[Bench]:
    """A bench in a folder of its own, which is the current one as long as this lasts."""
    before, path = Path.cwd(), list(sys.path)
    _forget()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Bench(Path(folder))
        finally:
            os.chdir(before)
            sys.path[:] = path
            _forget()


def _forget() -> None:
    """Modules of the small agent: the next bench has its own."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "agent"]:
        del sys.modules[name]


def run(kind: str, count: int, first: int) -> Counter[str]:
    """What came of `count` random inputs of a kind; the first one that must not be is shrunk and raised."""
    outcomes: Counter[str] = Counter()
    with bench() as judge:
        ask: Callable[[bytes], str] = getattr(judge, kind)

        @seed(first)
        @settings(
            max_examples=count,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        )
        @given(KINDS[kind])
        def answers(raw: bytes) -> None:
            outcomes[ask(raw)] += 1

        answers()
    return outcomes
