"""What the README shows of the command is what the command prints: `python -m tests.readme` pastes it anew."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
TAKEN_OUT = ("entrypoints/direct_call.py", "    require_open(turn, group)\n")
"""The line without which a tool runs that the seal refuses."""
BLOCK = r"(?<=```text {name}\n).*?(?=^```$)"


def shown(name: str) -> str:
    """The block of the README that is marked with this name."""
    (found,) = re.findall(BLOCK.format(name=name), README.read_text(encoding="utf-8"), re.S | re.M)
    return str(found)


def whole() -> str:
    """What `make check` prints of this repository's agent."""
    return _command(ROOT, "check")


def broken() -> str:
    """What the prover says of the agent without that line."""
    path, line = TAKEN_OUT
    with tempfile.TemporaryDirectory() as scratch:
        for folder in ("entrypoints", "skills"):
            shutil.copytree(ROOT / folder, Path(scratch, folder), ignore=shutil.ignore_patterns("__pycache__"))
        Path(scratch, "pyproject.toml").touch()
        source = Path(scratch, path).read_text(encoding="utf-8")
        if source.count(line) != 1:
            raise LookupError(f"{path} no longer has the line {line.strip()!r} once")
        Path(scratch, path).write_text(source.replace(line, ""), encoding="utf-8")
        return _command(Path(scratch), "check", "--static", "--select", "direct_call")


def _command(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest_invariants", *arguments]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False).stdout


def main() -> None:
    text = README.read_text(encoding="utf-8")
    for name, made in (("check", whole()), ("broken", broken())):
        text = re.sub(BLOCK.format(name=name), lambda _, made=made: made, text, count=1, flags=re.S | re.M)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
