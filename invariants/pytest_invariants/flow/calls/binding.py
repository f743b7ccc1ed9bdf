"""Binding arguments to parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State, Template
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
    for name in (*names, *keyword_only):
        if name not in bound:
            bound[name] = _unbound(m, function, name, name in keyword_only, arguments, defaults, state)
    if spec.vararg:
        bound[spec.vararg.arg] = _rest(m, rest, arguments.more, state)
    if spec.kwarg:
        bound[spec.kwarg.arg] = _options(m, extra, arguments.options, state)
    return {name: bound[name] for name in [*names, *keyword_only, *(a.arg for a in (spec.vararg, spec.kwarg) if a)]}


def _unbound(
    m: Analysis,
    function: Func,
    name: str,
    keyword: bool,
    arguments: Arguments,
    defaults: dict[str, Value],
    state: State,
) -> Value:
    """A parameter that no explicit argument names: from `*args`, from `**kwargs`, or its default."""
    from pytest_invariants.flow.containers.containers import elements_of

    spreads = (arguments.options,) if keyword else (arguments.more, arguments.options)
    options = [defaults[name]] if name in defaults else []
    for spread in [one for one in spreads if one is not None]:
        if isinstance(spread, Dict):
            held = [t.value for t in state.cell(spread.address).templates]
        else:
            held = [t.value for t in elements_of(m, spread, state)]
        options += [with_labels(value, spread.labels) for value in held]
    if options:
        return union(options)
    return Sym(term=m.fresh(name))


def _rest(m: Analysis, rest: tuple[Value, ...], more: Value | None, state: State) -> Value:
    if more is None:
        return Tuple(items=rest)
    if not rest and isinstance(more, Seq):
        return more
    from pytest_invariants.flow.containers.containers import elements_of

    new = Seq(more.labels, m.allocate(state), "tuple")
    state.heap[new.address] = m.cell_of((*(Template(v) for v in rest), *elements_of(m, more, state)))
    return new


def _options(m: Analysis, extra: list[tuple[str, Value]], options: Value | None, state: State) -> Value:
    if options is not None and not extra and isinstance(options, Dict):
        return options
    new = Dict(options.labels if options is not None else NO_LABELS, m.allocate(state))
    entries = tuple(Template(value, key=Const(value=name)) for name, value in extra)
    more = state.cell(options.address).templates if isinstance(options, Dict) else ()
    state.heap[new.address] = m.cell_of((*more, *entries))
    return new
