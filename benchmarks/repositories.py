"""Corpora as git repositories, and changes of three files that are staged in them."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import Corpus

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip
CHANGED = 3
FUNCTION = "\n\ndef edited_{number}() -> int:\n    return {number}\n"
COMMENT = "\n# edited {number}\n"


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository with one commit. `related` are the packages that the registry has to do with."""

    root: Path
    related: tuple[str, ...]

    @property
    def environment(self) -> dict[str, str]:
        """That of a developer, with a cache folder of their own: no CI, and no settings of this machine."""
        kept = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PRE_COMMIT")}
        return {**kept, **ENVIRONMENT, "XDG_CACHE_HOME": f"{self.root}.user"}

    def git(self, *arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=True
        ).stdout

    def stage(self, number: int, text: str = FUNCTION, *, related: bool) -> None:
        """Take back what was staged, and stage a text more in each of three files, chosen by the number."""
        self.git("reset", "--quiet", "--hard")
        files = [file for file in self.modules() if (file.split("/")[0] in self.related) is related]
        for file in random.Random(number).sample(files, CHANGED):
            with (self.root / file).open("a", encoding="utf-8") as end:
                end.write(text.format(number=number))
        self.git("add", "--update")

    def modules(self) -> list[str]:
        return [file for file in self.git("ls-files", "-z", "*.py").split("\0") if "/" in file]

    def lines(self) -> int:
        return sum((self.root / file).read_bytes().count(b"\n") for file in self.modules())

    def forget(self) -> None:
        """Remove what earlier runs kept, so that the next one is cold."""
        for name in (".invariants_cache", ".ruff_cache", ".pyrefly_cache", ".import_linter_cache"):
            shutil.rmtree(self.root / name, ignore_errors=True)


def repository_of(corpus: Corpus, work: Path, related: tuple[str, ...], *, download: bool) -> Repository:
    """The corpus below `work`, laid out and committed where it is not yet."""
    return committed(corpus.lay_out(work, download=download), related)


def committed(root: Path, related: tuple[str, ...]) -> Repository:
    made = Repository(root, related)
    if not (root / ".git").exists():
        (root / ".importlinter").write_text(_contract(root), encoding="utf-8")
        (root / ".gitignore").write_text(".*_cache/\n__pycache__/\n", encoding="utf-8")
        made.git("init", "--quiet", ".")
        made.git("add", "--all")
        made.git("commit", "--quiet", "--message", "a corpus")
    return made


def _contract(root: Path) -> str:
    """A contract for import-linter that reads every package."""
    packages = sorted(folder.name for folder in root.iterdir() if (folder / "__init__.py").exists())
    listed = "".join(f"    {package}\n" for package in packages)
    rule = f"[importlinter:contract:1]\nname = apart\ntype = forbidden\nsource_modules =\n    {packages[0]}\n"
    return f"[importlinter]\nroot_packages =\n{listed}\n{rule}forbidden_modules =\n    {packages[-1]}\n"
