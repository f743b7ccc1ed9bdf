"""`python -m tests.branches`: how many branches of the package the last run with `--cov` took, and where they are missing."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLOOR = 95.0
"""Per cent of the branches that the suite takes at least."""
SHOWN = 15


@dataclass(frozen=True, slots=True)
class Counted:
    """The branches of one file, or of all."""

    name: str
    branches: int
    missing: int

    @property
    def share(self) -> float:
        """Per cent of the branches that were taken."""
        return 100 * (self.branches - self.missing) / self.branches if self.branches else 100.0

    def __str__(self) -> str:
        return f"{self.share:5.1f} %  {self.missing:4} of {self.branches:4} missing  {self.name}"


def read(report: dict[str, Any]) -> tuple[Counted, list[Counted]]:
    """The whole, and each file, those with the most missing branches first."""
    files = [_counted(name, file["summary"]) for name, file in report["files"].items()]
    return _counted("the whole", report["totals"]), sorted(files, key=lambda file: (-file.missing, file.name))


def lines(report: dict[str, Any]) -> list[str]:
    """What is printed: the files that lack most, then the whole."""
    whole, files = read(report)
    return [*(str(file) for file in files[:SHOWN] if file.missing), str(whole)]


def status(report: dict[str, Any]) -> int:
    """0 where the floor is kept; nothing that was measured is no pass."""
    whole, _ = read(report)
    return int(whole.branches == 0 or whole.share < FLOOR)


def _counted(name: str, summary: dict[str, Any]) -> Counted:
    return Counted(name, summary["num_branches"], summary["missing_branches"])


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "coverage.json")
        subprocess.run([sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(file)], check=True)
        report = json.loads(file.read_text(encoding="utf-8"))
    print("\n".join(lines(report)))
    return status(report)


if __name__ == "__main__":
    sys.exit(main())
