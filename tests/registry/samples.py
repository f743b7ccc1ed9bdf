"""Registries to read: the smallest, one with every form that the format knows, and where they stand."""

from __future__ import annotations

from pathlib import Path

from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.problems import RegistryError
from pytest_invariants.registry.reader import read

SMALL = """\
version: 1
code: [agent]
seal: {function: "agent.seal:sealed", verdict: sealed, subject: [categories]}
capabilities:
  - {of: "agent.store:Skill.body", grant: value}
surfaces:
  activate: {function: "agent.doors:activate", manner: named}
"""

FULL = """\
# The registry of an agent that uses everything.
version: 1
code: [agent, my.package, tools/, single]
seal:
  function: agent.seal:judge
  verdict: {is: "agent.seal:Verdict.OPEN"}
  subject: [categories]
  principal: {thread_category: "agent.turn:Turn.category", tenant: }
  state: ["agent.store:Skill.categories"]
  aliases: [agent.seal:logged]
capabilities:
  - {of: "agent.store:Skill.body", grant: value}
  - decorated: langchain_core.tools:tool
    grant: call
  - &run {of: "subprocess:run", grant: call}
surfaces:
  index: &row {function: "agent.doors:index", manner: browse}
  activate:
    function: agent.doors:Doors.activate
    manner: named
    hidden_but_callable: true
  mcp.call:
    function: "agent.server:build.<locals>.call"
    manner: both
  on: {<<: *row, function: "agent.doors:<lambda>"}
relations:
  - {of: "agent.store:Store.get", key: name}
exempt:
  - {function: "agent.admin:dump", reason: "operator's console", expires: 2027-06-30}
  - function: agent.admin:count
    reason: >
      counts, and shows
      nothing
caches: [{of: "agent.doors:seen", key: [subject, principal]}]
host: tests.agent.host:ReferenceHost
residency:
  central: agent.residency:ALWAYS
  paths: {loader: "agent.loading:with_loader", loaderless: "agent.loading:without_loader"}
snapshots: {table: "agent.table:render"}
policies: {refusal: truthful, loaded: grows, compaction: keeps, child: ceiling, table: per-step}
open: ["agent.ports:SkillSource"]
skills: [skills, my/package]
"""


def repository(folder: Path) -> Path:
    """A repository with the code that the samples name; returns the path at which its registry belongs."""
    for name in ("agent", "my/package", "tools", "entrypoints", "skills"):
        (folder / name).mkdir(parents=True)
    (folder / "single.py").touch()
    (folder / "pyproject.toml").touch()
    return folder / "entrypoints" / "registry.yaml"


def read_text(folder: Path, text: str | bytes) -> Registry:
    """The registry that a text is, in a repository at `folder`."""
    path = folder / "entrypoints" / "registry.yaml"
    if not path.parent.exists():
        repository(folder)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path)


def mistakes(folder: Path, text: str | bytes) -> list[str]:
    """What is wrong with a text, each problem as people see it, without the path in front; nothing if it reads."""
    try:
        read_text(folder, text)
    except RegistryError as error:
        return [str(problem).removeprefix("entrypoints/registry.yaml:").strip() for problem in error.problems]
    return []
