"""Models of builtins and of the standard library, by dotted name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import callbacks
from pytest_invariants.flow.containers import containers, holding, lookups
from pytest_invariants.flow.containers.drawing import unrolled
from pytest_invariants.flow.containers.lookups import NUMBER
from pytest_invariants.flow.containers.pairing import zipped
from pytest_invariants.flow.domain import live
from pytest_invariants.flow.domain.limits import UNROLLED
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import VERSIONS, Cell, State, Template, absorb
from pytest_invariants.flow.domain.terms import Applied, Element, Literal, Term
from pytest_invariants.flow.domain.values import (
    ANY,
    NO_LABELS,
    NONE,
    Class,
    Cond,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Obj,
    Seq,
    Super,
    Sym,
    Thunk,
    Tuple,
    Type,
    Value,
    Verdict,
    term_of,
)
from pytest_invariants.flow.library import output
from pytest_invariants.flow.machine import counting, quantifying
from pytest_invariants.flow.machine.comprehensions import keep
from pytest_invariants.flow.machine.machine import Arguments, Raised, Results
from pytest_invariants.flow.objects import descriptors, implicit, kinds
from pytest_invariants.flow.objects.reflection import get_attribute

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


Model = Callable[["Analysis", Arguments, State, Scope, ast.AST], Results]
IDENTITY = Foreign(path="flow.identity")


def first(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else None


def _copy_as(kind: str, whole: bool = True, complete: bool = True) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
        source = first(arguments)
        if source is None:
            new = Seq(address=m.allocate(state), kind=kind)
            state.heap[new.address] = Cell()
            return [(new, state)]
        if isinstance(source, Tuple) and kind == "tuple":
            return [(source, state)]
        if kind == "iterator" and complete and isinstance(source, Seq) and source.kind == kind:
            return [(source, state)]  # an iterator gives itself
        if kind == "iterator" and len(arguments.positional) == 2:
            return [(_called_again(m, source, state, scope, node), state)]
        if isinstance(source, Sym) and (source.type == ANY or source.type.name in ("str", "int")):
            return [(Sym(source.labels, Applied(kind, (source.term,)), source.type), state)]
        given = iterable(m, source, state, scope, node)
        made = copied_from(m, given, state, kind, whole, complete)
        if kind == "iterator" and isinstance(made, Seq):
            again = partial(copied_from, m, given, kind=kind, whole=False)
            live.noted(m, made, [given], state, lambda later: live.rest(again(later), later))
        return [(made, state)]

    return model


def _called_again(m: Analysis, function: Value, state: State, scope: Scope, node: ast.AST) -> Seq:
    """`iter(function, sentinel)`: what calling the function gives, time after time."""
    new = Seq(address=m.allocate(state), kind="iterator")
    templates: list[Template] = []
    for value, after in m.call(function, Arguments(), state.fork(), scope, node):
        templates.append(Template(value, after.facts))
        keep(m, state, after)
    state.heap[new.address] = Cell(tuple(templates))
    return new


def _reversed(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    source = first(arguments)
    exact = isinstance(source, Seq) and state.cell(source.address).exact
    results = _copy_as("list", whole=False)(m, arguments, state, scope, node)
    for made, after in results:
        if isinstance(made, Seq) and (cell := after.find(made.address)) is not None:
            after.heap[made.address] = replace(cell, templates=cell.templates[::-1], exact=exact)
    return results


def _sorted(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    callbacks.on_each(m, first(arguments), arguments, state, scope, node)
    results = _copy_as("list", whole=False)(m, arguments, state, scope, node)
    for made, after in results:
        if isinstance(made, Seq) and (cell := after.find(made.address)) is not None:
            after.heap[made.address] = replace(cell, exact=False)
    return results


def copied_from(m: Analysis, source: Value, state: State, kind: str, whole: bool, complete: bool = True) -> Value:
    new = replace(containers.copied(m, source, state, kind, whole), labels=source.labels)
    if complete:
        containers.with_all(new, source, state)
    return new


def iterable(m: Analysis, value: Value, state: State, scope: Scope, node: ast.AST) -> Value:
    """An instance with `__iter__` as the collection that it gives."""
    if not isinstance(value, Obj):
        return value
    new = Seq(value.labels | holding.held(state, value.address), m.allocate(state))
    templates: tuple[Template, ...] = tuple(implicit.all_steps(m, value, state, scope, node) or ())
    if not implicit.defines(value, "__iter__"):
        labels = new.labels
        state.heap[new.address] = Cell(templates or (Template(Sym(labels, Element(0, new.address))),))
        return new
    for method, ready in m.attribute(value, "__iter__", state.fork(), scope, node):
        for inner, after in m.call(method, Arguments(), ready, scope, node):
            if inner != value:
                templates = absorb(templates, containers.elements_of(m, inner, after))
            keep(m, state, after)
    state.heap[new.address] = Cell(templates)
    return new


def _dict(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    new = containers.merged_dict(m, [iterable(m, v, state, scope, node) for v in arguments.positional], state)
    for name, value in arguments.keywords:
        state.put(new.address, Template(value, state.facts, Const(value=name)))
    if arguments.options is not None:
        containers.update(m, new, arguments.options, state)
    return [(new, state)]


def _from_keys(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`dict.fromkeys(keys, value)`"""
    value = arguments.positional[1] if len(arguments.positional) > 1 else arguments.named("value") or NONE
    new = Dict(address=m.allocate(state))
    rows = containers.elements_of(m, iterable(m, arguments.positional[0], state, scope, node), state)
    state.heap[new.address] = Cell(tuple(Template(value, t.facts | state.facts, t.value) for t in rows))
    return [(new, state)]


def _default_dict(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    results = _dict(m, Arguments(arguments.positional[1:], arguments.keywords), state, scope, node)
    for made, _ in results:
        if isinstance(made, Dict) and arguments.positional:
            m.factories[made.address] = arguments.positional[0]
    return results


def _enumerate(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    new = Seq(address=m.allocate(state), kind="iterator")
    source = iterable(m, arguments.positional[0], state, scope, node)
    start = arguments.named("start") or (arguments.positional[1] if len(arguments.positional) > 1 else None)
    first = start is None or start == Const(value=0)

    def made(after: State) -> Cell:
        place = lookups.origin(source.address, after) if isinstance(source, Seq) and first else m.fresh("number")
        rows = []
        for template in containers.elements_of(m, source, after):
            number = Sym(term=Applied(NUMBER, (term_of(template.value), place)), type=Type("int"))
            rows.append(replace(template, value=Tuple(items=(number, template.value))))
        return Cell(tuple(rows))

    live.drawn_later(m, new, [source], state, made)
    return [(new, state)]


def _zip(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.calls.thunks import drained

    given = [iterable(m, v, state, scope, node) for v in arguments.positional]
    numbers = [part.number for part in given if isinstance(part, Thunk)]
    shared = len(set(numbers)) < len(numbers)  # what one column draws is not there for the other
    new = Seq(address=m.allocate(state), kind="iterator")

    def made(after: State) -> Cell:
        parts = [drained(m, part, after) if isinstance(part, Thunk) else part for part in given]
        return after.cell(zipped(m, parts, after, apart=shared).address)

    live.drawn_later(m, new, given, state, made)
    return [(new, state)]


def _lazy(kind: str) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
        from pytest_invariants.flow.calls.calls import make_thunk

        function, *sources = arguments.positional
        if isinstance(function, Const):
            function = Foreign(path="builtins.bool")
        sources = [iterable(m, s, state, scope, node) for s in sources]
        return [(make_thunk(m, kind, function, Arguments(tuple(sources)), state, scope, node), state)]

    return model


def _next(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    from pytest_invariants.flow.calls.thunks import RETURNED, drained
    from pytest_invariants.flow.seal.granting import deep_labels

    source = arguments.positional[0]
    value = None
    if isinstance(source, Thunk):
        source = drained(m, source, state)
        value = state.field(source.address, RETURNED)
    results = m.iterate(source, state.fork(), scope, node)
    for _, after in results:
        if isinstance(source, Seq) and after.find(source.address) is not None:
            containers.shortened(source, after)
    if len(arguments.positional) > 1:
        results.append((arguments.positional[1], state))
    elif m.may_catch:
        labels = deep_labels(m, value, state, objects=True) if value is not None else NO_LABELS
        m.throw(Raised(state, "builtins.StopIteration", value=Sym(labels, m.fresh("stop"))))
    return results


def _extreme(operator: str) -> Model:
    return partial(_one_of_all, operator)


def _one_of_all(operator: str, m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    several = len(arguments.positional) > 1
    known = arguments.positional if several else unrolled(m, arguments.positional[0], state)
    truth = quantifying.extreme(m, known, operator) if known and not arguments.keywords else None
    if truth is not None:
        return [(truth, state)]
    source = Tuple(items=arguments.positional) if several else arguments.positional[0]
    callbacks.on_each(m, source, arguments, state, scope, node)
    if several:
        return [(value, state.fork()) for value in arguments.positional]
    results = m.iterate(arguments.positional[0], state.fork(), scope, node)
    default = arguments.named("default")
    return [*results, (default, state)] if default is not None else results


def _isinstance(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    value, classes = arguments.positional[:2]
    options = classes.items if isinstance(classes, Tuple) else (classes,)
    infos = [option.info for option in options if isinstance(option, Class)]
    if isinstance(value, Obj):
        found = [kinds.belongs(m, value, option, state) for option in options]
        if True in found or None not in found:
            return [(Const(value=True in found), state)]
    if isinstance(value, Const) and value.value is None and infos:
        return [(Const(value=False), state)]
    return [(Cond(NO_LABELS, "isinstance", (value, classes)), state)]


def _super(m: Analysis, arguments: Arguments, state: State, scope: Scope, _node: ast.AST) -> Results:
    if len(arguments.positional) == 2 and isinstance(arguments.positional[0], Class):
        return [(Super(cls=arguments.positional[0].info, receiver=arguments.positional[1]), state)]
    info = scope.info
    if info is None or info.owner is None or not info.node.args.args:
        return [(Sym(term=m.fresh("super")), state)]
    first = info.node.args.args[0].arg
    receiver = next((state.frame(f)[first] for f in reversed(scope.chain) if first in state.frame(f)), None)
    return [(Super(cls=info.owner, receiver=receiver or Sym(term=m.fresh("self"))), state)]


def _type(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    value = first(arguments)
    if isinstance(value, Obj):
        return [(Class(info=value.cls), state)]
    if isinstance(value, Descriptor) and (kind := descriptors.type_of(value)) is not None:
        return [(kind, state)]
    return [(Sym(term=Applied("type", tuple(term_of(v) for v in arguments.every()))), state)]


def _bool(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    value = first(arguments)
    if value is None or isinstance(value, Verdict | Cond | Const):
        return [
            (value if isinstance(value, Verdict | Cond) else Const(value=bool(getattr(value, "value", False))), state)
        ]
    return [(Cond(NO_LABELS, "not", (Cond(NO_LABELS, "not", (value,)),)), state)]


def _range(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """A short range of constants is its numbers."""
    numbers = [v.value for v in arguments.positional if isinstance(v, Const) and isinstance(v.value, int)]
    if 0 < len(numbers) == len(arguments.positional) <= 3 and 0 not in numbers[2:]:
        found = range(*numbers)
        if len(found) <= UNROLLED:
            return [(Tuple(items=tuple(Const(value=n) for n in found)), state)]
    term = Applied("range", tuple(term_of(v) for v in arguments.every()))
    m.types.setdefault(term, Type("list", args=(Type("int"),)))
    return [(Seq(address=term), state)]


def _nothing(m: Analysis, _arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(NONE, state)]


def _number(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    value = first(arguments)
    term: Term = Applied("len", tuple(term_of(v) for v in arguments.every()))
    if isinstance(value, Seq | Dict) and (version := state.cell(value.address).version):
        term = m.fresh("length") if version >= VERSIONS else Applied("len", (term, Literal(version, "int")))
    if isinstance(value, Seq | Dict):
        counting.noted(m, term, value, state)
    return [(Sym(term=term, type=Type("int")), state)]


def _identity(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(arguments.positional[-1] if arguments.positional else IDENTITY, state)]


def _descriptor(kind: str) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
        return [(Descriptor(function=arguments.positional[0], kind=kind), state)]

    return model


BUILTINS: dict[str, Model] = {
    "builtins.range": _range,
    "flow.identity": _identity,
    "builtins.list": _copy_as("list"),
    "builtins.tuple": _copy_as("tuple"),
    "builtins.set": _copy_as("set", whole=False),
    "builtins.frozenset": _copy_as("set", whole=False),
    "builtins.sorted": _sorted,
    "builtins.reversed": _reversed,
    "builtins.iter": _copy_as("iterator"),
    "builtins.aiter": _copy_as("iterator"),
    "collections.deque": _copy_as("list"),
    "itertools.islice": _copy_as("iterator", False, complete=False),
    "builtins.dict": _dict,
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict.fromkeys": _from_keys,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _default_dict,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "itertools.zip_longest": _zip,
    "builtins.map": _lazy("map"),
    "builtins.filter": _lazy("filter"),
    "itertools.filterfalse": _lazy("filterfalse"),
    "itertools.takewhile": _lazy("takewhile"),
    "itertools.dropwhile": _lazy("dropwhile"),
    "builtins.any": quantifying.model("any"),
    "builtins.all": quantifying.model("all"),
    "builtins.next": _next,
    "builtins.anext": _next,
    "builtins.min": _extreme("all"),
    "builtins.max": _extreme("any"),
    "builtins.isinstance": _isinstance,
    "builtins.getattr": get_attribute,
    "builtins.super": _super,
    "builtins.type": _type,
    "builtins.bool": _bool,
    "builtins.print": output.printed,
    "contextlib.redirect_stdout": output.redirected,
    "builtins.len": _number,
    "object.__init__": _nothing,
    "builtins.property": _descriptor("property"),
    "functools.cached_property": _descriptor("cached"),
    "builtins.staticmethod": _descriptor("static"),
    "builtins.classmethod": _descriptor("class"),
}
