"""Whom calls reach, compared with jedi on the sources of two small packages that pytest itself brings along.

Compared are pairs of functions of the package, caller and callee, without what either of them reaches outside. They differ, and may:

- jedi gives the class where a class is called, and nothing for operators, iteration and attribute hooks: what we follow into
  `__init__` and other special methods is ours alone;
- functions made inside others are followed here only where somebody calls them, and jedi does not follow a value that a call has
  returned into the call of it;
- a loop over names that are not known (`dir(plugin)`) leads us to receivers of unknown class: such calls are unresolved here, and
  are told as such, never taken for "no call".
"""

from __future__ import annotations

import ast
import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path

import jedi
import pytest
from pytest_invariants.flow.judging.activation import activate
from pytest_invariants.flow.judging.finding import target_of
from pytest_invariants.flow.prover import Prover
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.registry.model import Reference
from pytest_invariants.registry.reader import read

Edges = set[tuple[str, str]]
REGISTRY = """
version: 1
code: [{package}]
seal: {{function: "{seal}", verdict: allowed, subject: [{subject}], principal: []}}
capabilities: [{{of: "{leaf}", grant: call}}]
surfaces: {{any: {{function: "{leaf}", manner: browse}}}}
"""


@dataclass(frozen=True)
class Package:
    """A package, and two of its functions that call nothing: a registry needs a seal and a capability."""

    name: str
    seal: str
    subject: str
    leaf: str


PACKAGES = [
    Package("iniconfig", "iniconfig._parse:iscommentline", "line", "iniconfig.exceptions:ParseError.__str__"),
    Package("pluggy", "pluggy._hooks:varnames", "func", "pluggy:PluginManager.get_name"),
]


def prover_of(package: Package, root: Path) -> Prover:
    spec = importlib.util.find_spec(package.name)
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, root / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    path = root / "registry.yaml"
    text = REGISTRY.format(package=package.name, seal=package.seal, subject=package.subject, leaf=package.leaf)
    path.write_text(text, encoding="utf-8")
    prover = Prover(read(path, root))
    assert not prover.problems
    return prover


def ours(prover: Prover) -> Edges:
    found: Edges = set()
    for info in list(prover.m.functions.values()):
        if isinstance(info.node, ast.Lambda) or "<locals>" in info.qualname:
            continue
        target = target_of(prover.m, Reference(info.module, info.qualname))
        if target is not None:
            made = activate(prover.m, target.value, target.declared, info.reference, prover.m.world, target.start)
            found |= made.effects.edges
    return found


def theirs(prover: Prover, package: Package, root: Path) -> Edges:
    found: Edges = set()
    project = jedi.Project(root)
    scripts: dict[str, jedi.Script] = {}
    for info in prover.m.functions.values():
        if isinstance(info.node, ast.Lambda):
            continue
        path = root / info.path
        if info.path not in scripts:
            scripts[info.path] = jedi.Script(path.read_text(encoding="utf-8"), path=path, project=project)
        for call in own_calls(info):
            found |= {(info.reference, callee) for callee in reached(scripts[info.path], call, package)}
    return found


def own_calls(info: FunctionInfo) -> list[ast.Call]:
    """The calls that the function itself makes, not those of functions inside it, nor its decorators."""
    stack: list[ast.AST] = list(info.node.body) if isinstance(info.node.body, list) else [info.node.body]
    found = []
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            found.append(node)
        stack += ast.iter_child_nodes(node)
    return found


def reached(script: jedi.Script, call: ast.Call, package: Package) -> set[str]:
    line, column = call.func.end_lineno, (call.func.end_col_offset or 1) - 1
    names = script.goto(line, column, follow_imports=True)
    inside = [n for n in names if n.type == "function" and (n.full_name or "").startswith(f"{package.name}.")]
    return {f"{n.module_name}:{n.full_name[len(n.module_name) + 1 :]}" for n in inside}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_calls_are_resolved_as_jedi_resolves_them(package: Package, tmp_path: Path) -> None:
    prover = prover_of(package, tmp_path)
    known = {info.reference for info in prover.m.functions.values()}
    mine = {(a, b) for a, b in ours(prover) if a in known and b in known}
    other = {(a, b) for a, b in theirs(prover, package, tmp_path) if b in known}
    assert len(other) > 5, "jedi found nothing to compare with"
    missing = {(a, b) for a, b in other - mine if "<locals>" not in a}
    assert len(missing) <= 0.1 * len(other), sorted(missing)
    further = {(a, b) for a, b in mine - other if not b.rpartition(".")[2].startswith("__") and "<locals>" not in b}
    assert len(further) <= 0.1 * len(mine), sorted(further)
