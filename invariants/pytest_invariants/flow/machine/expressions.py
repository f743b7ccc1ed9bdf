"""Expressions: one evaluator a kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import hooked
from pytest_invariants.flow.calls.giving import evaluate_arguments
from pytest_invariants.flow.calls.once import Call, together
from pytest_invariants.flow.containers import containers, lookups
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied
from pytest_invariants.flow.domain.values import (
    ANY,
    NO_LABELS,
    STR,
    Cond,
    Const,
    Dict,
    Seq,
    Sym,
    Tuple,
    Type,
    Value,
    Verdict,
    is_truth_value,
    term_of,
)
from pytest_invariants.flow.machine import arithmetic, comprehensions, names, pending, texts
from pytest_invariants.flow.machine.deciding import decide
from pytest_invariants.flow.machine.machine import Results
from pytest_invariants.flow.machine.merging import kept_apart
from pytest_invariants.flow.machine.reading import split
from pytest_invariants.flow.objects import implicit
from pytest_invariants.flow.seal.granting import deep_labels
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Evaluator = Callable[["Analysis", ast.expr, State, Scope], Results]


def evaluate(m: Analysis, node: ast.expr, state: State, scope: Scope) -> Results:
    """All values that the expression may have, a path each. Unions are split, so that tests on them stay correlated."""
    evaluator = EVALUATORS.get(type(node))
    if evaluator is None:
        return [(Sym(term=m.fresh("expression"), why=Reason.UNSUPPORTED_SYNTAX), state)]
    results: Results = []
    m.site = (node, scope.chain[-1])
    for value, after in evaluator(m, node, state, scope):
        results += split(value, after)
    return m.fewer(results)


def derived(m: Analysis, name: str, values: list[Value], state: State, kind: Type = ANY) -> Value:
    """A value computed from others: it carries all that they carry."""
    labels = NO_LABELS.union(*(deep_labels(m, value, state, objects=True) for value in values))
    return Sym(labels, Applied(name, tuple(term_of(value) for value in values)), kind)


def constant(_m: Analysis, node: ast.Constant, state: State, _scope: Scope) -> Results:
    return [(Const(value=node.value), state)]


def attribute(m: Analysis, node: ast.Attribute, state: State, scope: Scope) -> Results:
    results: Results = []
    for receiver, after in m.evaluate(node.value, state, scope):
        results += m.attribute(receiver, node.attr, after, scope, node)
    return results


def subscript(m: Analysis, node: ast.Subscript, state: State, scope: Scope) -> Results:
    results: Results = []
    for receiver, middle in m.evaluate(node.value, state, scope):
        if isinstance(node.slice, ast.Slice):
            parts = [part for part in (node.slice.lower, node.slice.upper, node.slice.step) if part is not None]
            for _, after in m.evaluate_all(parts, middle, scope):
                whole = not parts and isinstance(receiver, Seq)
                copied = containers.copied(m, receiver, after, "list") if whole else None
                results.append((copied or containers.sliced(m, receiver, after), after))
            continue
        for key, after in m.evaluate(node.slice, middle, scope):
            for chosen, ready in lookups.by_truth(m, receiver, key, after, scope):
                results += lookups.lookup(m, receiver, chosen, ready, scope, node)
    return results


def boolean(m: Analysis, node: ast.BoolOp, state: State, scope: Scope) -> Results:
    """Short circuit: each operand but the last is a branch."""
    stops_at = isinstance(node.op, ast.Or)
    results: Results = []
    going: list[State] = [state]
    for operand in node.values[:-1]:
        onward: list[State] = []
        for value, after in _on_each(m, operand, going, scope):
            results += [(value, s) for s in m.assume(value, stops_at, after.fork(), scope)]
            onward += m.assume(value, not stops_at, after, scope)
        going = kept_apart(m, onward)
    return results + _on_each(m, node.values[-1], going, scope)


def _on_each(m: Analysis, node: ast.expr, states: list[State], scope: Scope) -> Results:
    """The expression on each of several paths."""
    with m.sharing(len(states)):
        return [pair for before in states for pair in m.evaluate(node, before, scope)]


def unary(m: Analysis, node: ast.UnaryOp, state: State, scope: Scope) -> Results:
    results: Results = []
    for value, after in m.evaluate(node.operand, state, scope):
        if isinstance(node.op, ast.Not):
            results.append((negated(value), after))
        elif isinstance(value, Const) and isinstance(node.op, ast.USub) and isinstance(value.value, int | float):
            results.append((Const(value=-value.value), after))
        elif (turned := arithmetic.turned(m, node.op, value, after, scope)) is not None:
            results += turned
        elif implicit.defines(value, implicit.UNARY[type(node.op)]):
            results += implicit.special(m, value, implicit.UNARY[type(node.op)], (), after, scope, node)
        else:
            results.append((derived(m, type(node.op).__name__, [value], after), after))
    return results


def negated(value: Value) -> Value:
    if isinstance(value, Const):
        return Const(value=not value.value)
    return Cond(value.labels, "not", (value,))


def conditional(m: Analysis, node: ast.IfExp, state: State, scope: Scope) -> Results:
    ways = decide(m, node.test, [state], scope)
    return [
        pair
        for arm, states in ((node.body, ways.true), (node.orelse, ways.false))
        for pair in _on_each(m, arm, kept_apart(m, states), scope)
    ]


def comparison(m: Analysis, node: ast.Compare, state: State, scope: Scope) -> Results:
    results: Results = []
    for values, ready in m.evaluate_all([node.left, *node.comparators], state, scope):
        paths: list[tuple[list[Value], State]] = [([], ready)]
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            paths = [
                ([*links, link], after)
                for links, before in paths
                for link, after in _link(m, OPERATORS[type(op)], left, right, before, scope, node)
            ]
        results += [
            (links[0] if len(links) == 1 else Cond(NO_LABELS, "and", tuple(links)), after) for links, after in paths
        ]
    return results


def _link(
    m: Analysis, operator: str, left: Value, right: Value, state: State, scope: Scope, node: ast.Compare
) -> Results:
    found = implicit.compared(m, operator, left, right, state, scope, node)
    return found if found is not None else [(Cond(NO_LABELS, operator, (left, right)), state)]


OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
EAGER: dict[type[ast.operator], str] = {ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor"}


def binary(m: Analysis, node: ast.BinOp, state: State, scope: Scope) -> Results:
    results: Results = []
    for (left, right), after in m.evaluate_all([node.left, node.right], state, scope):
        found = implicit.operated(m, node.op, left, right, after, scope, node)
        if found is None and not _is_eager(node.op, left, right):
            found = arithmetic.computed(m, node.op, left, right, after, scope)
        results += found if found is not None else [(combine(m, node.op, left, right, after), after)]
    return results


def combine(m: Analysis, op: ast.operator, left: Value, right: Value, state: State) -> Value:
    """The value of an operator: an eager `and`/`or` of truth values, a concatenation, or something computed."""
    if _is_eager(op, left, right):
        return arithmetic.joined(EAGER[type(op)], left, right)
    if isinstance(op, ast.Add | ast.BitOr) and isinstance(left, Tuple) and isinstance(right, Tuple):
        return Tuple(left.labels | right.labels, left.items + right.items)
    if isinstance(left, Dict) or isinstance(right, Dict):
        return containers.merged_dict(m, [left, right], state)
    if isinstance(left, Seq) or isinstance(right, Seq):
        return containers.concatenated(m, op, left, right, state)
    text = isinstance(left, Const) and isinstance(left.value, str)
    return derived(m, type(op).__name__, [left, right], state, STR if text else Type())


def _is_eager(op: ast.operator, left: Value, right: Value) -> bool:
    return type(op) in EAGER and all(isinstance(v, Verdict | Cond) or is_truth_value(v) for v in (left, right))


def called(m: Analysis, node: ast.Call, state: State, scope: Scope) -> Results:
    results: Results = []
    found: list[Call] = []
    for function, middle in m.evaluate(node.func, state, scope):
        paths = evaluate_arguments(m, node, middle, scope)
        if m.tired:
            found += [(function, arguments, after) for arguments, after in paths]
            continue
        with m.sharing(len(paths)):
            for arguments, after in paths:
                results += m.call(function, arguments, after, scope, node)
    return results + [r for call in together(m, found) for r in m.call(*call, scope, node)]


LARGE = 64
"""Entries of a display of constants beyond which they are one unknown constant."""
PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.Load)


def _large(node: ast.expr, entries: int) -> bool:
    return entries > LARGE and all(isinstance(part, PLAIN) for part in ast.walk(node))


def sequence(m: Analysis, node: ast.List | ast.Set, state: State, scope: Scope) -> Results:
    results: Results = []
    kind = "set" if isinstance(node, ast.Set) else "list"
    if _large(node, len(node.elts)):
        return [(containers.of_unknown(m, state, kind), state)]
    for items, after in _items(m, node.elts, state, scope):
        results.append((containers.new_sequence(m, items, after, kind), after))
    return results


def pair(m: Analysis, node: ast.Tuple, state: State, scope: Scope) -> Results:
    if _large(node, len(node.elts)):
        return [(containers.of_unknown(m, state, "tuple"), state)]
    results: Results = []
    value_place = m.fresh("tuple")
    for items, after in _items(m, node.elts, state, scope):
        if all(starred is None and containers.anonymous(m, value_place, value) is value for value, starred in items):
            results.append((Tuple(items=tuple(value for value, _ in items)), after))
        else:
            results.append((containers.new_sequence(m, items, after, "tuple"), after))
    return results


def _items(
    m: Analysis, nodes: list[ast.expr], state: State, scope: Scope
) -> list[tuple[list[tuple[Value, ast.expr | None]], State]]:
    """Elements of a display; an element under `*` comes with its node."""
    plain = [node.value if isinstance(node, ast.Starred) else node for node in nodes]
    marks = [node if isinstance(node, ast.Starred) else None for node in nodes]
    return [(list(zip(values, marks, strict=True)), after) for values, after in m.evaluate_all(plain, state, scope)]


def mapping(m: Analysis, node: ast.Dict, state: State, scope: Scope) -> Results:
    if _large(node, len(node.keys)):
        return [(containers.of_unknown_entries(m, state), state)]
    nodes = [part for key, value in zip(node.keys, node.values, strict=True) for part in (key, value) if part]
    results: Results = []
    for values, after in m.evaluate_all(nodes, state, scope):
        left = iter(values)
        new = Dict(address=m.allocate(after))
        after.heap[new.address] = containers.EMPTY
        for key in node.keys:
            if key is None:
                containers.update(m, new, next(left), after)
            else:
                name, value = next(left), next(left)
                containers.put_entry(m, new.address, name, value, after)
        if None not in node.keys:
            (hooked.displayed if m.past else containers.known_in_full)(new, len(node.keys), after)
        results.append((new, after))
    return results


def function(m: Analysis, node: ast.Lambda, state: State, scope: Scope) -> Results:
    return names.define(m, node, state, scope)


def walrus(m: Analysis, node: ast.NamedExpr, state: State, scope: Scope) -> Results:
    results = m.evaluate(node.value, state, scope)
    for value, after in results:
        names.assign(m, node.target.id, value, after, scope)
    return results


def starred(m: Analysis, node: ast.Starred, state: State, scope: Scope) -> Results:
    return m.evaluate(node.value, state, scope)


def named(m: Analysis, node: ast.Name, state: State, scope: Scope) -> Results:
    results = names.lookup(m, node.id, state, scope)
    for value, after in results:
        live.taken_up(value, after)
    return results


EVALUATORS: dict[type[ast.expr], Callable[..., Results]] = {
    ast.Constant: constant,
    ast.Name: named,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.BoolOp: boolean,
    ast.UnaryOp: unary,
    ast.IfExp: conditional,
    ast.Compare: comparison,
    ast.BinOp: binary,
    ast.Call: called,
    ast.List: sequence,
    ast.Set: sequence,
    ast.Tuple: pair,
    ast.Dict: mapping,
    ast.JoinedStr: texts.formatted,
    ast.Lambda: function,
    ast.NamedExpr: walrus,
    ast.Await: pending.awaited,
    ast.Yield: pending.yielded,
    ast.YieldFrom: pending.yielded_from,
    ast.Starred: starred,
    ast.ListComp: comprehensions.collected,
    ast.SetComp: comprehensions.collected,
    ast.DictComp: comprehensions.mapped,
    ast.GeneratorExp: comprehensions.collected,
}
