"""The floor of every tool that reads Python in Python: parse each file once, in two processes, and do nothing else.

python -m benchmarks.parsing FOLDER
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from pathlib import Path

PROCESSES = 2


def main(folder: Path) -> None:
    """Fork, so that no process pays for importing a pool; files are dealt out by size, the largest first."""
    files = sorted(folder.rglob("*.py"), key=lambda path: -path.stat().st_size)
    children = []
    for number in range(1, PROCESSES):
        if child := os.fork():
            children.append(child)
        else:
            _parse(files[number::PROCESSES])
            os._exit(0)
    _parse(files[::PROCESSES])
    if any(os.waitpid(child, 0)[1] for child in children):
        sys.exit("a child failed")
    print(len(files))


def _parse(files: list[Path]) -> None:
    warnings.simplefilter("ignore")
    for file in files:
        try:
            ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            print(f"{file} does not parse", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
