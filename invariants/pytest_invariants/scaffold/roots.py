"""Which folders of a repository hold the code that is judged, where nobody says so."""

from __future__ import annotations

from pathlib import Path

ASIDE = frozenset(
    {"tests", "test", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools", "build", "dist",
     "node_modules", "venv", "env", "migrations", "notebooks", "site", "vendor", "third_party"}
)  # fmt: skip
"""Folders at the top that hold what is not the agent itself."""


def code_roots(root: Path) -> tuple[str, ...]:
    """The packages and folders with Python files at the top, or those below `src`, or else the modules at the top."""
    if (root / "src").is_dir() and not (root / "src" / "__init__.py").exists():
        return ("src/",) if _holds_code(root / "src") else ()
    folders = sorted(path for path in root.iterdir() if path.is_dir() and _may_be_code(path))
    found = tuple(path.name for path in folders if _holds_code(path))
    alone = sorted(p.name for p in root.glob("*.py") if p.stem not in ("setup", "conftest", "noxfile", "manage"))
    return found or tuple(alone)


def _may_be_code(path: Path) -> bool:
    installed = (path / "pyvenv.cfg").exists()
    return path.name.isidentifier() and path.name not in ASIDE and not installed


def _holds_code(path: Path) -> bool:
    return any(path.glob("*.py")) or any(path.glob("*/*.py"))
