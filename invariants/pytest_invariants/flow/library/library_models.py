"""Models of the standard library: functools, dataclasses, copy, importlib, operator."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import dispatching
from pytest_invariants.flow.containers import containers, holding, lookups
from pytest_invariants.flow.containers.iterating import ITERATING
from pytest_invariants.flow.containers.tables import TABLES
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, lives_on
from pytest_invariants.flow.domain.terms import Field, Index, Literal, Named
from pytest_invariants.flow.domain.values import (
    NO_LABELS,
    STR,
    Bound,
    Class,
    Cond,
    Const,
    Descriptor,
    Dict,
    Foreign,
    Func,
    Module,
    Obj,
    Partial,
    Seq,
    Sym,
    Tuple,
    Type,
    Value,
    Wrapped,
    term_of,
    union,
    with_labels,
)
from pytest_invariants.flow.library.models import IDENTITY, Model, first
from pytest_invariants.flow.library.operating import OPERATING
from pytest_invariants.flow.library.waiting import WAITING, open_ended
from pytest_invariants.flow.machine.in_place import IN_PLACE
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.objects import attached, namespaces
from pytest_invariants.flow.objects.construct import construct, init_fields, is_passed_on
from pytest_invariants.flow.objects.descriptors import DESCRIPTORS
from pytest_invariants.flow.objects.plain_records import RECORDS
from pytest_invariants.flow.objects.reflection import awaitable, get_attribute, is_callable, of_kind, subclass_of
from pytest_invariants.verdict import Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def _decorator(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """A decorator that changes nothing that matters here, bare or with options."""
    value = first(arguments)
    return [(value if isinstance(value, Func | Class | Wrapped | Descriptor) else IDENTITY, state)]


def _wraps(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(Partial(function=Foreign(path="flow.wrap"), args=arguments.positional[:1]), state)]


def _wrap(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    inner, wrapper = arguments.positional[:2]
    state.set_field(term_of(wrapper), "__wrapped__", inner)
    return [(wrapper, state)]


def _update_wrapper(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    wrapper, inner = arguments.positional[:2]
    return _wrap(m, Arguments((inner, wrapper)), state, scope, node)


def _partial(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [
        (
            Partial(
                NO_LABELS, arguments.positional[0], arguments.positional[1:], arguments.keywords, *open_ended(arguments)
            ),
            state,
        )
    ]


def _partial_method(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """Bound like a method: the instance goes before the arguments that it holds."""
    return [
        (Wrapped(function=made, kind="partialmethod"), after)
        for made, after in _partial(m, arguments, state, scope, node)
    ]


def _wrapper(kind: str) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
        value = first(arguments)
        if isinstance(value, Func | Wrapped | Bound | Partial):
            return [(Wrapped(function=value, kind=kind, fresh=not m.past), state)]
        return [(Foreign(path={"cache": "functools.lru_cache"}.get(kind, f"flow.{kind}")), state)]

    return model


def _field(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    factory = arguments.named("default_factory")
    if factory is not None:
        return [(Descriptor(function=factory, kind="factory"), state)]
    return [(arguments.named("default") or first(arguments) or Sym(term=m.fresh("field")), state)]


def _replace(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`dataclasses.replace`: the class is called with what is given, and with the old object's fields for the rest. Fields that
    the constructor does not take are not taken over: it sets them anew."""
    old = arguments.positional[0]
    if m.past or not isinstance(old, Obj):
        return _with_fields(m, arguments, state, scope, node)
    taken = [name for name in init_fields(old.cls) if not is_passed_on(old.cls, name)]
    fields = {**_held(m, old, taken, state, scope, node), **dict(arguments.keywords)}
    made = construct(m, old.cls, Arguments(keywords=tuple(fields.items())), state, scope, node)
    return [(with_labels(value, old.labels), after) for value, after in made]


def _with_fields(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A new object whose fields are the old one's, but for those that are given."""
    old = arguments.positional[0]
    if not isinstance(old, Obj):
        return [(Sym(old.labels, m.fresh("replaced")), state)]
    new = Obj(old.labels, m.allocate(state), old.cls, exact=True)
    m.class_of[new.address] = old.cls
    fields = _held(m, old, old.cls.field_names(), state, scope, node)
    for name, value in {**fields, **dict(arguments.keywords)}.items():
        state.set_field(new.address, name, value)
    return [(new, state)]


def _held(m: Analysis, old: Obj, names: list[str], state: State, scope: Scope, node: ast.AST) -> dict[str, Value]:
    """What these fields of an object may hold."""
    found = {name: [value for value, _ in m.attribute(old, name, state, scope, node)] for name in names}
    return {name: union(values) for name, values in found.items() if values}


def _context_var(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(Sym(term=m.allocate(state), type=Type("ContextVar")), state)]


def _import(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    name = first(arguments)
    if isinstance(name, Const) and isinstance(name.value, str):
        if m.load(name.value):
            return [(Module(name=name.value), state)]
        return [(Foreign(path=name.value), state)]
    return [(Sym(term=m.fresh("module"), why=Reason.COMPUTED_IMPORT), state)]


def _import_top(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`__import__`: the package at the top, unless names in the module are asked for."""
    name, listed = first(arguments), arguments.named("fromlist") or next(iter(arguments.positional[3:]), None)
    if listed is None and isinstance(name, Const) and isinstance(name.value, str) and m.load(name.value):
        return [(Module(name=name.value.partition(".")[0]), state)]
    return _import(m, arguments, state, scope, node)


def _getter(kind: str) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
        each = [Partial(function=Foreign(path=f"flow.{kind}"), args=(name,)) for name in arguments.positional]
        if len(each) == 1:
            return [(each[0], state)]
        return [(Partial(function=Foreign(path="flow.each"), args=tuple(each)), state)]

    return model


def _each(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`attrgetter` and `itemgetter` of several names: a tuple of what each gives."""
    *functions, target = arguments.positional
    paths: list[tuple[tuple[Value, ...], State]] = [((), state)]
    for function in functions:
        paths = [
            ((*got, value), after)
            for got, before in paths
            for value, after in m.call(function, Arguments((target,)), before, scope, node)
        ]
    return [(Tuple(items=got), after) for got, after in paths]


def _get_named(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    name, target = arguments.positional[:2]
    return get_attribute(m, Arguments((target, name)), state, scope, node)


def _get_keyed(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    key, target = arguments.positional[:2]
    return lookups.lookup(m, target, key, state, scope, node)


def _negate(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(Cond(NO_LABELS, "not", arguments.positional[:1]), state)]


def _cast(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    kind, value = arguments.positional[:2]
    if isinstance(kind, Class) and isinstance(value, Sym):
        m.class_of[value.term] = kind.info
        return [(Obj(value.labels, value.term, kind.info), state)]
    return [(value, state)]


def _same(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(arguments.positional[0], state)]


def _reference(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """`weakref.ref(x)`: called, it gives `x`."""
    return [(Partial(function=IDENTITY, args=arguments.positional[:1]), state)]


def _copied(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    """A collection is another one with the same elements; an object of the program is as good as the same."""
    value = arguments.positional[0]
    if isinstance(value, Seq):
        return [(replace(containers.copied(m, value, state, value.kind), labels=value.labels), state)]
    if isinstance(value, Dict):
        return [(replace(containers.merged_dict(m, [value], state), labels=value.labels), state)]
    if isinstance(value, Obj) and not lives_on(value.address):
        new = replace(value, address=m.allocate(state))
        m.class_of[new.address] = value.cls
        for name, held in attached.copied(m, value, state).items():
            state.fields[new.address, name] = held
        return [(new, state)]
    return [(value, state)]


def _model_copied(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`model.model_copy(update={...}, deep=True)`."""
    update = arguments.named("update")
    if update is None or (isinstance(update, Const) and update.value is None):
        return _copied(m, arguments, state, scope, node)
    entries = containers.contents(m, update, state).templates if isinstance(update, Dict) else ()
    given = tuple((t.key.value, t.value) for t in entries if isinstance(t.key, Const) and isinstance(t.key.value, str))
    results = _with_fields(m, Arguments(arguments.positional[:1], given), state, scope, node)
    for new, after in results if len(given) < len(entries) or not isinstance(update, Dict) else []:
        holding.hold(m, term_of(new), (update,), after)
    return results


def _environment(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    terms = tuple(term_of(v) for v in arguments.every())
    term = m.evaluated(Index(Named("os.environ"), terms[0] if terms else Literal("", "str")), state)
    return [(Sym(term=term, type=STR), state)]


def _in_namespace(name: str) -> Model:
    def model(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
        return namespaces.call_method(m, name, arguments, state, scope, node)

    return model


def _initialise(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`x.__init__(...)` where the class has it generated: all fields are set anew."""
    from pytest_invariants.flow.objects.construct import set_fields

    receiver, *given = arguments.positional
    if isinstance(receiver, Obj):
        set_fields(m, receiver, Arguments(tuple(given), arguments.keywords), state, scope, node)
    else:
        for value in (*given, *(v for _, v in arguments.keywords)):
            namespaces.write(m, receiver, Sym(term=m.fresh("name")), value, state, scope)
    return [(Const(value=None), state)]


def _setter(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    descriptor, function = arguments.positional[:2]
    assert isinstance(descriptor, Descriptor)
    return [(replace(descriptor, setter=function), state)]


def _new_getter(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    descriptor, function = arguments.positional[:2]
    assert isinstance(descriptor, Descriptor)
    return [(replace(descriptor, function=function), state)]


def _inherited(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`super().method(...)` of a base in another package: what it is given, the instance holds."""
    receiver, name, *given = arguments.positional
    values = (*given, *(value for _, value in arguments.keywords))
    term = term_of(receiver)
    assert isinstance(name, Const)
    holding.hold(m, term, values, state)
    return [(Sym(holding.held(state, term), m.evaluated(Field(term, f"super {name.value}"), state)), state)]


def _plain_instance(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """`object.__new__(cls)`"""
    cls = first(arguments)
    if not isinstance(cls, Class):
        return [(Sym(term=m.fresh("new")), state)]
    new = Obj(address=m.allocate(state), cls=cls.info, exact=True)
    m.class_of[new.address] = cls.info
    holding.hold(m, new.address, arguments.positional[1:], state)
    return [(new, state)]


def _construct(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    cls, *given = arguments.positional
    return m.call(cls, Arguments(tuple(given), arguments.keywords), state, scope, node)


STDLIB: dict[str, Model] = {
    **WAITING,
    **ITERATING,
    **OPERATING,
    **TABLES,
    **IN_PLACE,
    **DESCRIPTORS,
    "weakref.ref": _reference,
    "weakref.proxy": _same,
    "flow.wrap": _wrap,
    "flow.attribute": _get_named,
    "flow.item": _get_keyed,
    "flow.each": _each,
    "flow.context": _wrapper("context"),
    "flow.initialise": _initialise,
    "flow.setter": _setter,
    "flow.getter": _new_getter,
    "flow.deleter": _same,
    "flow.inherited": _inherited,
    "flow.object.__new__": _plain_instance,
    "builtins.object.__new__": _plain_instance,
    "builtins.object.__getattribute__": get_attribute,
    "flow.object.__call__": _construct,
    **dict.fromkeys(("inspect.iscoroutinefunction", "asyncio.iscoroutinefunction"), of_kind(waits=True, yields=False)),
    **dict.fromkeys(("inspect.isawaitable", "inspect.iscoroutine", "asyncio.iscoroutine"), awaitable),
    "builtins.callable": is_callable,
    "builtins.issubclass": subclass_of,
    "inspect.isasyncgenfunction": of_kind(waits=True, yields=True),
    "inspect.isgeneratorfunction": of_kind(waits=False, yields=True),
    "builtins.vars": namespaces.vars_of,
    "builtins.globals": namespaces.globals_of,
    "builtins.locals": namespaces.locals_of,
    "builtins.exec": namespaces.executed,
    "importlib.reload": namespaces.reloaded,
    "builtins.eval": namespaces.evaluated,
    **{f"flow.namespace.{name}": _in_namespace(name) for name in sorted(namespaces.METHODS)},
    "functools.singledispatch": _wrapper("singledispatch"),
    "functools.singledispatchmethod": _wrapper("singledispatchmethod"),
    "flow.register": dispatching.register,
    "functools.partial": _partial,
    "functools.partialmethod": _partial_method,
    "functools.wraps": _wraps,
    "functools.update_wrapper": _update_wrapper,
    "functools.lru_cache": _wrapper("cache"),
    "functools.cache": _wrapper("cache"),
    "contextlib.contextmanager": _wrapper("context"),
    "contextlib.asynccontextmanager": _wrapper("context"),
    "dataclasses.dataclass": _decorator,
    "dataclasses.field": _field,
    **dict.fromkeys(("pydantic.Field", "pydantic.PrivateAttr"), _field),
    "dataclasses.replace": _replace,
    **RECORDS,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    "copy.replace": _replace,
    "flow.model_copy": _model_copied,
    "abc.abstractmethod": _decorator,
    "typing.override": _decorator,
    "typing.final": _decorator,
    "typing.overload": _decorator,
    "typing.runtime_checkable": _decorator,
    "enum.unique": _decorator,
    "typing.cast": _cast,
    "functools.total_ordering": _decorator,
    "contextvars.ContextVar": _context_var,
    "importlib.import_module": _import,
    "builtins.__import__": _import_top,
    "operator.attrgetter": _getter("attribute"),
    "operator.itemgetter": _getter("item"),
    "operator.not_": _negate,
    "os.environ.get": _environment,
    "os.getenv": _environment,
}
