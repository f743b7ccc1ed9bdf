"""`match`: an ordered list of tests; what no case takes falls through."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.containers import containers, lookups
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Literal
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    NONE,
    STR,
    Class,
    Cond,
    Const,
    Dict,
    Foreign,
    Obj,
    Seq,
    Sym,
    Tuple,
    Value,
    Verdict,
    term_of,
)
from pytest_invariants.flow.machine import names
from pytest_invariants.flow.machine.machine import Outcome
from pytest_invariants.flow.objects import kinds

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Split = tuple[list[State], list[State]]
"""The states in which a pattern matches (with its names bound), and those in which it does not."""


def match_statement(m: Analysis, node: ast.Match, state: State, scope: Scope) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for subject, ready in m.evaluate(node.subject, state, scope):
        left = [ready]
        for case in node.cases:
            onward: list[State] = []
            for before in left:
                taken, missed = _case(m, case, subject, before, scope)
                onward += missed
                for after in taken:
                    after.step(scope.at(case.pattern), f"`case {ast.unparse(case.pattern)}` is taken")
                    outcomes += m.execute(case.body, after, scope)
            left = onward
        outcomes += [Outcome("next", after) for after in left]
    return outcomes


def _case(m: Analysis, case: ast.match_case, subject: Value, state: State, scope: Scope) -> Split:
    matched, missed = match(m, case.pattern, subject, state, scope)
    if case.guard is None:
        return matched, missed
    taken: list[State] = []
    for before in matched:
        for value, after in m.evaluate(case.guard, before, scope):
            missed += m.assume(value, False, after.fork(), scope)
            taken += m.assume(value, True, after, scope)
    return taken, missed


def match(m: Analysis, pattern: ast.pattern, subject: Value, state: State, scope: Scope) -> Split:
    match pattern:
        case ast.MatchValue(value=value):
            return _compare(m, "==", value, subject, state, scope)
        case ast.MatchSingleton(value=constant):
            return _test(m, Cond(NO_LABELS, "is", (subject, Const(value=constant))), state, scope)
        case ast.MatchAs(pattern=None, name=name):
            if name is not None:
                names.assign(m, name, subject, state, scope)
            return [state], []
        case ast.MatchAs(pattern=inner, name=name):
            assert inner is not None
            matched, missed = match(m, inner, subject, state, scope)
            for after in matched:
                names.assign(m, str(name), subject, after, scope)
            return matched, missed
        case ast.MatchOr(patterns=patterns):
            return _either(m, patterns, subject, state, scope)
        case ast.MatchClass():
            return _class(m, pattern, subject, state, scope)
        case ast.MatchSequence(patterns=patterns):
            return _sequence(m, patterns, subject, state, scope)
        case ast.MatchMapping():
            return _mapping(m, pattern, subject, state, scope)
        case _:
            return [state.fork()], [state]


def _test(m: Analysis, condition: Cond, state: State, scope: Scope) -> Split:
    return m.assume(condition, True, state.fork(), scope), m.assume(condition, False, state, scope)


def _compare(m: Analysis, operator: str, node: ast.expr, subject: Value, state: State, scope: Scope) -> Split:
    matched: list[State] = []
    missed: list[State] = []
    for value, after in m.evaluate(node, state, scope):
        yes, no = _test(m, Cond(NO_LABELS, operator, (subject, value)), after, scope)
        matched, missed = matched + yes, missed + no
    return matched, missed


def _either(m: Analysis, patterns: list[ast.pattern], subject: Value, state: State, scope: Scope) -> Split:
    matched: list[State] = []
    left = [state]
    for pattern in patterns:
        onward: list[State] = []
        for before in left:
            yes, no = match(m, pattern, subject, before, scope)
            matched += yes
            onward += no
        left = onward
    return matched, left


def _class(m: Analysis, pattern: ast.MatchClass, subject: Value, state: State, scope: Scope) -> Split:
    found = [value for value, _ in m.evaluate_quietly(pattern.cls, state, scope)]
    kind = found[0] if found else None
    attributes = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
    if isinstance(kind, Class):
        attributes = [*zip(_positions(kind), pattern.patterns, strict=False), *attributes]
    if isinstance(kind, Foreign) and pattern.patterns:
        matched, missed = match(m, pattern.patterns[0], subject, state.fork(), scope)
        sure = isinstance(subject, Sym) and kind.path == f"builtins.{subject.type.name}"
        return matched, missed if sure else [*missed, state]
    belongs = kinds.belongs(m, subject, kind, state) if isinstance(subject, Obj) and kind is not None else None
    certain = belongs is True
    if isinstance(subject, Const) or belongs is False:
        return [], [state]
    if not certain and isinstance(kind, Class) and isinstance(subject, Sym):
        m.class_of[subject.term] = kind.info
        typed: Value = Obj(subject.labels, subject.term, kind.info)
    else:
        typed = subject
    missed = [] if certain else [state.fork()]
    states = [state.fork()]
    for name, inner in attributes:
        onward: list[State] = []
        for before in states:
            for value, after in m.attribute(typed, name, before, scope, pattern):
                yes, no = match(m, inner, value, after, scope)
                onward += yes
                missed += no
        states = onward
    return states, missed


def _positions(kind: Class) -> list[str]:
    declared = kind.info.lookup("__match_args__")
    if declared is not None and isinstance(declared[1], Tuple):
        return [str(item.value) for item in declared[1].items if isinstance(item, Const)]
    return kind.info.field_names()


def _sequence(m: Analysis, patterns: list[ast.pattern], subject: Value, state: State, scope: Scope) -> Split:
    if isinstance(subject, Const | Dict | Obj):
        return [], [state]
    starred = any(isinstance(p, ast.MatchStar) for p in patterns)
    if isinstance(subject, Tuple) and not starred and len(subject.items) != len(patterns):
        return [], [state]
    missed = [] if isinstance(subject, Tuple) and not starred else [state.fork()]
    states = (
        [state.fork()] if starred or isinstance(subject, Tuple) else _of_length(subject, len(patterns), state.fork())
    )
    for position, inner in enumerate(patterns):
        onward: list[State] = []
        for before in states:
            onward += _element(m, inner, position, subject, before, scope, missed)
        states = onward
    return states, missed


def _of_length(subject: Value, length: int, state: State) -> list[State]:
    """A sequence has one length: another one was excluded by a pattern that matched before."""
    term = term_of(subject)
    known = [atom for atom, truth in state.known.items() if atom[0] == "length" and atom[1] == term and truth]
    wanted = ("length", term, Literal(length, "int"))
    if any(atom != wanted for atom in known):
        return []
    state.known[wanted] = True
    return [state]


def _element(
    m: Analysis, inner: ast.pattern, position: int, subject: Value, state: State, scope: Scope, missed: list[State]
) -> list[State]:
    if isinstance(inner, ast.MatchStar):
        if inner.name:
            names.assign(m, inner.name, containers.copied(m, subject, state, "list", whole=False), state, scope)
        return [state]
    found: list[State] = []
    for value, after in lookups.lookup(m, subject, Const(value=position), state, scope, inner):
        yes, no = match(m, inner, value, after, scope)
        found += yes
        missed += no
    return found


def _mapping(m: Analysis, pattern: ast.MatchMapping, subject: Value, state: State, scope: Scope) -> Split:
    missed = [state.fork()]
    states = [state.fork()]
    for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
        onward: list[State] = []
        for before in states:
            for name, middle in m.evaluate(key, before, scope):
                for value, after in lookups.lookup(m, subject, name, middle, scope, pattern):
                    yes, no = match(m, inner, value, after, scope)
                    onward += yes
                    missed += no
        states = onward
    for after in states:
        if pattern.rest:
            rest = containers.merged_dict(m, [subject], after) if isinstance(subject, Dict) else None
            names.assign(m, pattern.rest, rest or Sym(subject.labels, term_of(subject)), after, scope)
    return states, missed


__all__ = ["NONE", "STR", "Seq", "Verdict", "match_statement"]
