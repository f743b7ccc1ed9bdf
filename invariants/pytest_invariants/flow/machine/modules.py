"""Running a module's top level abstractly: what its names stand for after all registrations and decorators."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Named
from pytest_invariants.flow.domain.values import Class, Const, Obj, Sym, Value
from pytest_invariants.flow.machine import imports
from pytest_invariants.flow.machine.machine import OutOfBudget
from pytest_invariants.flow.machine.merging import join
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


LOADING_LIMIT = 600
"""Steps that one statement of a module may take while it is loaded."""
BRANCHING = (ast.If, ast.Try, ast.TryStar, ast.For, ast.While, ast.With, ast.Match)
TYPING_ONLY = ("TYPE_CHECKING", "typing.TYPE_CHECKING", "t.TYPE_CHECKING")


def load(m: Analysis, name: str) -> bool:
    """Whether the program has such a module; it is run when first asked for. `loaded` is False while it runs."""
    if name in m.loaded:
        return True
    if not m.program.has(name):
        if not m.program.is_package_prefix(name):
            return False
        m.loaded[name] = True
        m.world.frames.setdefault(module_frame(name), {})
        return True
    tree = m.program.tree(name)
    m.loaded[name] = False
    m.world.frames[module_frame(name)] = {"__name__": Const(value=name)}
    if tree is not None:
        _run(m, name, tree)
    m.loaded[name] = True
    return True


def _run(m: Analysis, name: str, tree: ast.Module) -> None:
    source = m.program.sources[name]
    scope = Scope(name, source.path, (module_frame(name),))
    held = (m.collectors, m.yields, m.stack, m.active, m.past, m.steps, m.step_limit, m.coarse)
    read = m.opened.read
    m.collectors, m.yields, m.stack, m.active, m.past = [[]], [], [], [], True
    m.step_limit, m.coarse = LOADING_LIMIT, True
    m.running.append(name)
    try:
        _statements(m, tree.body, scope)
    finally:
        m.running.pop()
        m.collectors, m.yields, m.stack, m.active, m.past, m.steps, m.step_limit, m.coarse = held
        m.opened.read = read


def _statements(m: Analysis, body: list[ast.stmt], scope: Scope) -> None:
    for statement in body:
        m.steps, m.followed, m.opened.read = 0, {}, None
        if isinstance(statement, ast.If) and ast.unparse(statement.test) in TYPING_ONLY:
            imports.for_annotations(m, statement.body, scope)
            _statements(m, [s for s in statement.body if not isinstance(s, ast.ImportFrom)], scope)
            continue
        try:
            outcomes = m.execute([statement], m.world.fork() if _branches(statement) else m.world, scope)
        except (OutOfBudget, RecursionError):
            _bind_by_class(m, statement, scope)
            continue
        states = [o.state for o in outcomes if o.kind == "next"]
        if states:
            become(m.world, join(m, states) if len(states) > 1 else states[0])
        m.opened.derived(scope.frame, statement)


def _branches(statement: ast.stmt) -> bool:
    """A statement with several ways through it: none of them may see what another one does."""
    return isinstance(statement, BRANCHING)


def _bind_by_class(m: Analysis, statement: ast.stmt, scope: Scope) -> None:
    """A statement that takes too long: what it assigns is known by the class that it constructs, if any."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return
    cls = None
    if isinstance(statement.value, ast.Call):
        values = m.evaluate_quietly(statement.value.func, m.world, scope)
        cls = next((value.info for value, _ in values if isinstance(value, Class)), None)
    for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
        if isinstance(target, ast.Name):
            term = Named(f"{scope.module}:{target.id}")
            value: Value = (
                Obj(address=term, cls=cls) if cls is not None else Sym(term=term, why=Reason.TOO_MANY_TARGETS)
            )
            if cls is not None:
                m.class_of[term] = cls
            m.world.bind(scope.frame, target.id, value)


def become(world: State, other: State) -> None:
    """The world goes on as another state; it stays the same object, since others refer to it."""
    if other is world:
        return
    for place, count in other.counts.items():
        world.counts[place] = max(world.counts.get(place, 0), count)
    world.frames.update(other.frames)
    world.heap.update(other.heap)
    world.fields.update(other.fields)
    world.facts, world.known, world.outcomes = frozenset(), {}, {}
    world.pending, world.doubts, world.trail, world.epoch = frozenset(), frozenset(), None, 0
