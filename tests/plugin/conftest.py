from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import hypothesis.stateful  # noqa: F401  (loaded once, not in every run in this process)
import pytest
import yaml  # noqa: F401  (its C parser cannot be loaded twice in a process)

from tests.plugin.fakes import AGENT, CONFTEST, HOST, REGISTRY

Project = Callable[..., Path]


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """Lays out a scratch project: a registry, and whatever else is asked for."""

    def lay(*, host: bool = True, proofs: dict[str, object] | None = None, files: dict[str, str] | None = None) -> Path:
        wanted = {
            "entrypoints/registry.yaml": REGISTRY + (HOST if host else ""),
            "conftest.py": CONFTEST,
            **AGENT,
            **(files or {}),
        }
        if proofs is not None:
            wanted["proofs.json"] = json.dumps(proofs)
        for name, text in wanted.items():
            path = pytester.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return pytester.path

    return lay
