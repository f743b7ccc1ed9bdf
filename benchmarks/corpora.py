"""The corpora: a hundred thousand and a million lines of public agent code at pinned versions; none is installed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from examples.field.corpus import REGISTRY, Package, fetch, unpack

REGISTRIES = Path(__file__).resolve().parent.parent / "examples" / "registries"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Packages in one folder, judged by the registry of one of them with all of them as its code."""

    name: str
    packages: tuple[Package, ...]
    code: tuple[str, ...]
    registry: str

    def lay_out(self, work: Path, *, download: bool) -> Path:
        """The corpus's folder below `work`, unpacked first where it is not there."""
        root = work / self.name
        unpack([fetch(package, work / "wheels", download=download) for package in self.packages], root)
        self._write_registry(root)
        return root

    def _write_registry(self, root: Path) -> None:
        text = yaml.safe_load((REGISTRIES / self.registry / "registry.yaml").read_text(encoding="utf-8"))
        target = root / REGISTRY
        target.parent.mkdir(exist_ok=True)
        target.write_text(yaml.safe_dump({**text, "code": list(self.code)}, sort_keys=False), encoding="utf-8")

    def count(self, root: Path) -> tuple[int, int]:
        """Files and lines."""
        files = list(root.rglob("*.py"))
        return len(files), sum(file.read_bytes().count(b"\n") for file in files)


C20K = Corpus(
    "c20k",
    (Package("langchain", "1.5.2"), Package("langgraph-prebuilt", "1.1.3")),
    ("langchain", "langgraph"),
    "langchain",
)
C100K = Corpus(
    "c100k",
    (
        Package("deepagents", "0.7.32"),
        Package("langchain", "1.5.2"),
        Package("langgraph", "1.2.24"),
        Package("mcp", "2.3.0"),
    ),
    ("deepagents", "langchain", "langgraph", "mcp"),
    "deepagents",
)
C1M = Corpus(
    "c1m",
    (
        Package("agentscope", "2.0.11"),
        Package("crewai", "1.15.30"),
        Package("google-adk", "2.13.0"),
        Package("openai-agents", "0.24.0"),
        Package("pydantic-ai-slim", "2.68.0"),
        Package("semantic-kernel", "1.45.0"),
        Package("letta", "0.16.8"),
    ),
    ("agentscope", "crewai", "google", "agents", "pydantic_ai", "semantic_kernel", "letta"),
    "agentscope",
)
CORPORA = {corpus.name: corpus for corpus in (C20K, C100K, C1M)}


def forget_caches(root: Path) -> None:
    """Remove what earlier runs left in the corpus, so that the next one is cold."""
    for name in (".invariants_cache", ".pyrefly_cache", ".mypy_cache"):
        shutil.rmtree(root / name, ignore_errors=True)
