"""Models of what goes through collections in its own way: chains, groups, selections, reductions, pools."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import callbacks
from pytest_invariants.flow.containers import containers
from pytest_invariants.flow.containers.drawing import unrolled
from pytest_invariants.flow.containers.pairing import zipped
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import Cell, State, Template
from pytest_invariants.flow.domain.terms import Applied, Field
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    Bound,
    Cond,
    Const,
    Func,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Type,
    Value,
    Verdict,
    term_of,
)
from pytest_invariants.flow.library.models import Model, copied_from, iterable
from pytest_invariants.flow.machine import counting
from pytest_invariants.flow.machine.comprehensions import keep
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.machine.merging import bounded
from pytest_invariants.flow.seal.granting import deep_labels
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _chain(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    new = Seq(address=m.allocate(state), kind="iterator")
    parts = [iterable(m, part, state, scope, node) for part in arguments.every()]

    def made(after: State) -> Cell:
        after.heap[new.address] = Cell()
        for part in parts:
            containers.extend(m, new.address, part, after)
        return after.cell(new.address)

    live.drawn_later(m, new, parts, state, made)
    return [(new, state)]


def _chain_all(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    return _in_a_row(m, "iterator", containers.elements_of(m, arguments.positional[0], state), state)


def _in_a_row(m: Analysis, kind: str, parts: Sequence[Template], state: State) -> Results:
    """One collection of what several ones hold, each with what is known of it."""
    new = Seq(address=m.allocate(state), kind=kind)
    state.heap[new.address] = Cell()
    for part in parts:
        inner = state.fork()
        inner.facts |= part.facts
        containers.extend(m, new.address, part.value, inner)
        state.heap[new.address] = inner.cell(new.address)
    return [(new, state)]


def _grouped(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """Groups by what a function says of each element. By a test there are two kinds of groups: those of which it held, and the
    others."""
    source = iterable(m, arguments.positional[0], state, scope, node)
    source = _drawn(m, source, state)
    key = arguments.named("key") or (arguments.positional[1] if len(arguments.positional) > 1 else None)
    callbacks.on_each(m, source, arguments, state, scope, node)
    new = Seq(address=m.allocate(state), kind="iterator")
    rows = _by_truth(m, key, source, state, scope, node) if key is not None and not m.past else None
    if rows is None:
        group = copied_from(m, source, state, "iterator", False, False)
        rows = [Template(Tuple(items=(Sym(term=m.fresh("group")), group)))]
    state.heap[new.address] = Cell(tuple(rows))
    return [(new, state)]


def _by_truth(
    m: Analysis, key: Value, source: Value, state: State, scope: Scope, node: ast.AST
) -> list[Template] | None:
    groups: dict[bool, list[Template]] = {True: [], False: []}
    for template in containers.elements_of(m, source, state):
        inside = state.fork()
        inside.facts |= template.facts
        with m.speaking_of_all():
            results = m.call(key, Arguments((template.value,)), inside, scope, node)
        for value, after in results:
            if not isinstance(value, Cond | Const | Verdict) or not _told(m, value):
                return None
            for truth in (True, False):
                with m.speaking_of_all():
                    ends = m.assume(value, truth, after.fork(), scope)
                for end in ends:
                    groups[truth].append(replace(template, facts=end.facts))
                    keep(m, state, end)
    return [_group(m, truth, found, state) for truth, found in groups.items() if found]


def _told(m: Analysis, value: Value) -> bool:
    """Whether the value is `True` or `False`, and not only as good as."""
    return (
        not isinstance(value, Const) or isinstance(value.value, bool)
        if not isinstance(value, Verdict)
        else m.seal.boolean
    )


def _group(m: Analysis, truth: bool, found: list[Template], state: State) -> Template:
    group = Seq(address=m.allocate(state), kind="iterator")
    state.heap[group.address] = Cell(tuple(found))
    return Template(Tuple(items=(Const(value=truth), group)))


def _drawn(m: Analysis, source: Value, state: State) -> Value:
    from pytest_invariants.flow.calls.thunks import drained

    return drained(m, source, state) if isinstance(source, Thunk) else source


ROUNDS = 2
"""Elements after which a reduction has seen what it makes of its own results."""


def _reduced(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`reduce`: the function is called on what it made so far and on each element in turn."""
    function, given, *initial = arguments.positional
    source = _drawn(m, iterable(m, given, state, scope, node), state)
    exact = unrolled(m, source, state)
    if exact is not None:
        going: Results = [(initial[0], state)] if initial else [(exact[0], state)] if exact else []
        for item in exact if initial else exact[1:]:
            going = bounded(
                m, [p for made, s in going for p in m.call(function, Arguments((made, item)), s, scope, node)]
            )
        return going
    start = initial or [value for value, _ in m.iterate(source, state.fork(), scope, node)]
    going = [(value, state.fork()) for value in start]
    results = list(going)
    for _ in range(ROUNDS):
        going = [
            pair
            for made, before in going
            for item, drawn in m.iterate(source, before, scope, node)
            for pair in m.call(function, Arguments((made, item)), drawn, scope, node)
        ]
        going = bounded(m, going)
        results += going
    return bounded(m, results)


MAPPING = frozenset({"map", "imap", "imap_unordered"})


def maps(function: Sym, arguments: Arguments) -> bool:
    """Whether a call is a pool's `map`, or that of another package's object which is given a function and what to call it on."""
    from pytest_invariants.flow.calls.escaping import leads_out
    from pytest_invariants.flow.library.library import POOLS

    term = function.term
    if not isinstance(term, Field) or term.name not in MAPPING or arguments.more is not None:
        return False
    if len(arguments.positional) < 2:
        return False
    if isinstance(term.base, Applied) and term.base.function.startswith(POOLS):
        return True
    return isinstance(arguments.positional[0], Func | Bound) and leads_out(function, term)


def mapped_now(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A pool's `map`: the function is called on each element, whether or not anybody draws the results."""
    from pytest_invariants.flow.calls.calls import make_thunk

    function, *sources = arguments.positional
    rows = Arguments(tuple(iterable(m, one, state, scope, node) for one in sources))
    thunk = make_thunk(m, "map", function, rows, state, scope, node)
    return [(_drawn(m, thunk, state), state)]


def _compress(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The elements beside which a true value stands."""
    parts = [iterable(m, v, state, scope, node) for v in arguments.positional[:2]]
    new = Seq(address=m.allocate(state), kind="iterator")
    live.drawn_later(m, new, parts, state, lambda after: _selected(m, parts, after, scope))
    return [(new, state)]


def _selected(m: Analysis, parts: list[Value], state: State, scope: Scope) -> Cell:
    templates = []
    for row in containers.elements_of(m, zipped(m, parts, state), state):
        assert isinstance(row.value, Tuple)
        inside = state.fork()
        inside.facts |= row.facts
        with m.speaking_of_all():
            ends = m.assume(row.value.items[1], True, inside, scope)
        templates += [replace(row, value=row.value.items[0], facts=end.facts) for end in ends]
        for end in ends:
            keep(m, state, end)
    return Cell(tuple(templates))


def _sum(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A sum of lists is one list of all that they hold."""
    source = _drawn(m, iterable(m, arguments.positional[0], state, scope, node), state)
    start = arguments.positional[1] if len(arguments.positional) > 1 else arguments.named("start")
    templates = containers.elements_of(m, source, state)
    if not isinstance(start, Seq | Tuple):
        labels = deep_labels(m, source, state, objects=True)
        term = Applied("builtins.sum", (term_of(source),))
        if isinstance(source, Seq) and start is None:
            values = [t.value for t in templates]
            if counting.is_sum_of_ones(values):
                counting.noted(m, term, source, state)
            elif counting.is_sum_of_tests(values):
                counting.noted(m, term, Cond(NO_LABELS, "any", (source,)), state)
        return [(Sym(labels, term, Type("int")), state)]
    return _in_a_row(m, "list", [Template(start), *templates], state)


def _star_mapped(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`starmap`: the function is called on what each row holds."""
    function, rows = arguments.positional[:2]
    source = _drawn(m, iterable(m, rows, state, scope, node), state)
    new = Seq(address=m.allocate(state), kind="iterator")
    templates: list[Template] = []
    for template in containers.elements_of(m, source, state):
        row = template.value
        if not isinstance(row, Tuple):
            return _anything(m, arguments, state, scope, node)
        inside = state.fork()
        inside.facts |= template.facts
        with m.speaking_of_all():
            for value, after in m.call(function, Arguments(row.items), inside, scope, node):
                templates.append(Template(value, after.facts, None, template.about))
                keep(m, state, after)
    cell = state.find(source.address) if isinstance(source, Seq) else None
    aligned = cell is not None and cell.whole and len(templates) == len(cell.templates)
    state.heap[new.address] = Cell(tuple(templates), cell.source if cell is not None and aligned else None, aligned)
    return [(new, state)]


def _anything(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """Rows of which it is not known what they hold: the function may be called on any of it."""
    labels = callbacks.run(m, arguments, state, scope, node)
    labels = labels.union(*(deep_labels(m, value, state, objects=True) for value in arguments.positional))
    return [(Sym(labels, m.fresh("starmap"), why=Reason.OPAQUE_CALLABLE), state)]


def _combined(m: Analysis, parts: list[Value], state: State) -> Value:
    """All combinations: no element belongs to the one beside it."""
    return zipped(m, parts, state, apart=True)


def _product(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    parts = [_drawn(m, iterable(m, v, state, scope, node), state) for v in arguments.positional]
    repeat = arguments.named("repeat")
    times = repeat.value if isinstance(repeat, Const) and isinstance(repeat.value, int) else 1 if repeat is None else 3
    return [(_combined(m, parts * min(times, 3), state), state)]


def _chosen(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`combinations`, `permutations`: rows of so many elements, each of which may be any."""
    source = _drawn(m, iterable(m, arguments.positional[0], state, scope, node), state)
    number = arguments.positional[1] if len(arguments.positional) > 1 else arguments.named("r")
    if isinstance(number, Const) and isinstance(number.value, int) and 0 < number.value <= LONGEST:
        return [(_combined(m, [source] * number.value, state), state)]
    row = Seq(address=m.allocate(state), kind="tuple")
    state.heap[row.address] = Cell(containers.elements_of(m, source, state))
    new = Seq(address=m.allocate(state), kind="iterator")
    state.heap[new.address] = Cell((Template(row),))
    return [(new, state)]


LONGEST = 3
"""Elements of a row that are told apart."""


def _pairwise(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    source = _drawn(m, iterable(m, arguments.positional[0], state, scope, node), state)
    return [(_combined(m, [source, source], state), state)]


def _tee(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    source = _drawn(m, iterable(m, arguments.positional[0], state, scope, node), state)
    number = arguments.positional[1] if len(arguments.positional) > 1 else arguments.named("n")
    times = number.value if isinstance(number, Const) and isinstance(number.value, int) else 2
    return [(Tuple(items=tuple(copied_from(m, source, state, "iterator", True) for _ in range(min(times, 9)))), state)]


ITERATING: dict[str, Model] = {
    "builtins.sum": _sum,
    "itertools.starmap": _star_mapped,
    "itertools.product": _product,
    "itertools.pairwise": _pairwise,
    **dict.fromkeys(
        ("itertools.combinations", "itertools.permutations", "itertools.combinations_with_replacement"), _chosen
    ),
    "itertools.tee": _tee,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_all,
    "itertools.compress": _compress,
    "itertools.groupby": _grouped,
    "functools.reduce": _reduced,
}
