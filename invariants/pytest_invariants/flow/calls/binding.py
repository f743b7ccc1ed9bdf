"""Binding arguments to parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State, Template
from pytest_invariants.flow.domain.terms import Index, Literal, Param
from pytest_invariants.flow.domain.types import shape, type_at
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    Const,
    Dict,
    Func,
    Seq,
    Sym,
    Tuple,
    Value,
    union,
    with_labels,
)
from pytest_invariants.flow.machine.machine import Arguments

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


GIVEN = "<given>"
"""The field of what `*args` or `**kwargs` is bound to which says what was given one by one, and what else after that."""


def bind(m: Analysis, function: Func, arguments: Arguments, state: State) -> dict[str, Value]:
    """Parameters to values, by position, keyword, `*args`, `**kwargs` and default."""
    spec = function.info.node.args
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
    keyword_only = [a.arg for a in spec.kwonlyargs]
    bound: dict[str, Value] = dict(zip(names, arguments.positional, strict=False))
    rest = arguments.positional[len(names) :]
    extra: list[tuple[str, Value]] = []
    for name, value in arguments.keywords:
        if name in names or name in keyword_only:
            bound.setdefault(name, value)
        else:
            extra.append((name, value))
    defaults = dict(function.defaults)
    for at, name in enumerate((*names, *keyword_only)):
        if name not in bound:
            place = at - len(arguments.positional) if name not in keyword_only else None
            bound[name] = _unbound(m, name, place, arguments, defaults.get(name), state)
    if spec.vararg:
        bound[spec.vararg.arg] = _rest(m, rest, arguments.more, state)
    if spec.kwarg:
        bound[spec.kwarg.arg] = _options(m, extra, arguments.options, state)
    return {name: bound[name] for name in [*names, *keyword_only, *(a.arg for a in (spec.vararg, spec.kwarg) if a)]}


def _unbound(
    m: Analysis, name: str, place: int | None, arguments: Arguments, default: Value | None, state: State
) -> Value:
    """A parameter that no explicit argument names: from `*args` (where it stands at a `place`), from `**kwargs`, or its default."""
    found: list[Value] = []
    if place is not None and arguments.more is not None:
        found += _elements(m, arguments.more, place, state)
    named, always = _entries(m, arguments.options, name, state) if arguments.options is not None else ([], False)
    found += named
    if default is not None and not (always and arguments.more is None):
        found.insert(0, default)
    return union(found) if found else Sym(term=m.fresh(name))


def _elements(m: Analysis, spread: Value, place: int, state: State) -> list[Value]:
    """What may stand at a place of `*spread`; what somebody outside gives has a value number for each place."""
    from pytest_invariants.flow.containers.containers import elements_of

    if isinstance(spread, Seq) and isinstance(spread.address, Param) and state.find(spread.address) is None:
        return [_from_outside(m, spread, Literal(place, "int"))]
    return [with_labels(t.value, spread.labels) for t in elements_of(m, spread, state)]


def _entries(m: Analysis, spread: Value, name: str, state: State) -> tuple[list[Value], bool]:
    """What `**spread` may bring under a name, and whether it always brings something."""
    from pytest_invariants.flow.containers.containers import contents, elements_of

    if not isinstance(spread, Dict):
        return [with_labels(t.value, spread.labels) for t in elements_of(m, spread, state)], False
    if state.find(spread.address) is None and isinstance(spread.address, Param):
        return [_from_outside(m, spread, Literal(name, "str"))], False
    cell, key = contents(m, spread, state), Const(value=name)
    held = [t for t in cell.templates if not isinstance(t.key, Const) or t.key == key]
    always = key not in cell.perhaps and any(t.key == key for t in held)
    return [with_labels(t.value, spread.labels) for t in held], always


def _from_outside(m: Analysis, spread: Seq | Dict, key: Literal) -> Value:
    """What somebody outside gives at a place, or under a name."""
    one = Index(spread.address, key)
    return with_labels(shape(m, one, type_at(m, one)), spread.labels)


def _rest(m: Analysis, rest: tuple[Value, ...], more: Value | None, state: State) -> Value:
    if more is None:
        return Tuple(items=rest)
    if not rest and isinstance(more, Seq):
        return more
    from pytest_invariants.flow.containers.containers import elements_of

    new = Seq(more.labels, m.allocate(state), "tuple")
    state.heap[new.address] = m.cell_of((*(Template(v) for v in rest), *elements_of(m, more, state)))
    state.fields[new.address, GIVEN] = Tuple(items=(*rest, more))
    return new


def _options(m: Analysis, extra: list[tuple[str, Value]], options: Value | None, state: State) -> Value:
    if options is not None and not extra and isinstance(options, Dict):
        return options
    new = Dict(options.labels if options is not None else NO_LABELS, m.allocate(state))
    templates = (*_more(m, options, state), *(Template(value, key=Const(value=name)) for name, value in extra))
    state.heap[new.address] = m.cell_of(templates)
    if options is not None:
        pairs = (Tuple(items=(Const(value=name), value)) for name, value in extra)
        state.fields[new.address, GIVEN] = Tuple(items=(*pairs, options))
    return new


def _more(m: Analysis, options: Value | None, state: State) -> tuple[Template, ...]:
    from pytest_invariants.flow.containers.containers import contents, elements_of

    if isinstance(options, Dict):
        return contents(m, options, state).templates
    if options is None:
        return ()
    return tuple(Template(t.value, t.facts, Sym(term=m.fresh("key"))) for t in elements_of(m, options, state))


def given_one_by_one(m: Analysis, value: Value, state: State) -> tuple[tuple[Value, ...], Value] | None:
    """What `*args` or `**kwargs` that is handed on was given one by one, a dictionary as pairs, and what else; None where it is
    no such thing, or was changed since."""
    held = state.field(value.address, GIVEN) if isinstance(value, Seq | Dict) else None
    if not isinstance(held, Tuple) or not isinstance(value, Seq | Dict):
        return None
    *given, more = held.items
    if isinstance(value, Dict):
        pairs = [pair.items for pair in given if isinstance(pair, Tuple)]
        expected = (*_more(m, more, state), *(Template(pair[1], key=pair[0]) for pair in pairs))
        if state.cell(value.address).version or state.cell(value.address).templates != expected:
            return None
    return tuple(given), more
