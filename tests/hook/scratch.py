"""A git repository of a small agent, made anew for a test, and ways to change, stage and commit it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REGISTRY = "entrypoints/registry.yaml"
ROW = '  activate: {function: "agent.doors:activate", manner: named}\n'
FILES = {
    "agent/__init__.py": "",
    "agent/seal.py": """\
def sealed(categories, thread_category):
    if not categories:
        return False
    return thread_category is None or thread_category not in categories
""",
    "agent/store.py": """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Skill:
    name: str
    categories: tuple[str, ...]
    body: str


class Store:
    def __init__(self, skills):
        self._skills = {skill.name: skill for skill in skills}

    def get(self, name) -> Skill | None:
        return self._skills.get(name)

    def all(self) -> list[Skill]:
        return list(self._skills.values())


STORE = Store([Skill("notes", (), "how to take notes"), Skill("payroll", ("hr",), "how to pay")])
""",
    "agent/checks.py": """\
from agent.seal import sealed


class Refused(Exception):
    pass


def require_open(turn, skill):
    if sealed(skill.categories, turn.category):
        raise Refused(skill.name)
""",
    "agent/gate.py": """\
from agent.checks import Refused, require_open
from agent.store import STORE, Skill


def opened(turn, name) -> Skill:
    return _checked(turn, name)


def _checked(turn, name) -> Skill:
    skill = STORE.get(name)
    if skill is None:
        raise Refused(name)
    require_open(turn, skill)
    return skill
""",
    "agent/doors.py": '''\
from agent.gate import opened


def activate(turn, name):
    """Open a skill."""
    return opened(turn, name).body
''',
    REGISTRY: f"""\
# The doors of a small agent.
version: 1
code: [agent]
seal:
  function: agent.seal:sealed
  verdict: sealed
  subject: [categories]
  principal: [thread_category]
  state: ["agent.store:Skill.categories"]
capabilities:
  - {{of: "agent.store:Skill.body", grant: value}}
surfaces:
  # one row a door
{ROW}""",
    "pyproject.toml": "",
    "README.md": "An agent.\n",
}
UNSEALED = """

def preview(turn, name):
    return STORE.get(name).body
"""
SEALED = """

def preview(turn, name):
    return opened(turn, name).body
"""
PREVIEW_ROW = '  preview: {function: "agent.doors:preview", manner: named}\n'
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip
FOREIGN = ("CI", "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "SKIP")


def environment(**more: str) -> dict[str, str]:
    """That of a developer who sits before the machine, whatever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, **ENVIRONMENT, **more}


@dataclass(frozen=True)
class Scratch:
    """One repository. `agent` is the folder of the agent in it: the top, or a folder below."""

    top: Path
    agent: Path

    @classmethod
    def make(cls, top: Path, below: str = ".", files: Mapping[str, str] = FILES) -> Scratch:
        """The agent in a new repository, staged and not yet committed."""
        made = cls(top, top / below)
        made.agent.mkdir(parents=True, exist_ok=True)
        made.git("init", "--quiet", "--initial-branch=main", ".")
        made.write(files)
        made.git("add", "--all")
        return made

    def git(self, *arguments: str, **more: str) -> str:
        run = subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env=environment(**more),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files of the agent's folder; None removes one."""
        for name, text in files.items():
            path = self.agent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8", newline="")

    def stage(self, files: Mapping[str, str | None]) -> None:
        self.write(files)
        self.git("add", "--all")

    def add(self, name: str, text: str) -> None:
        """Stage a file with more at its end."""
        self.stage({name: (self.agent / name).read_text(encoding="utf-8") + text})

    def replace(self, name: str, old: str, new: str) -> None:
        """Stage a file with one passage replaced."""
        text = (self.agent / name).read_text(encoding="utf-8")
        assert old in text
        self.stage({name: text.replace(old, new)})

    def commit(self) -> None:
        self.git("commit", "--quiet", "--no-verify", "--message", "a change")

    def environment(self, **more: str) -> dict[str, str]:
        """The same, with a cache folder of the user's that is this repository's alone."""
        return environment(**{"XDG_CACHE_HOME": str(self.top.parent / "of the user"), **more})

    def hook(self, *arguments: str, folder: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """`invariants hook` in a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "pytest_invariants", "hook", *arguments],
            cwd=folder or self.top,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
