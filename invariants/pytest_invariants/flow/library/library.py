"""Calls out of the program: models of builtins and of the standard library, and what is assumed of everything else."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.calls import caching, callbacks, entrusted
from pytest_invariants.flow.containers import changing
from pytest_invariants.flow.domain.mapping import Renaming
from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State, Template
from pytest_invariants.flow.domain.terms import Applied, Element, Field, Named, Term
from pytest_invariants.flow.domain.values import (
    ANY,
    BOOL,
    NO_LABELS,
    STR,
    Dict,
    Foreign,
    Func,
    Label,
    Seq,
    Sym,
    Thunk,
    Tuple,
    Type,
    Value,
    Verdict,
    Wrapped,
    term_of,
    with_labels,
)
from pytest_invariants.flow.library import fitting
from pytest_invariants.flow.library.library_models import STDLIB
from pytest_invariants.flow.library.models import BUILTINS, Model
from pytest_invariants.flow.library.weak import WEAK
from pytest_invariants.flow.machine import arithmetic, groups, in_place
from pytest_invariants.flow.machine.machine import Arguments, Results
from pytest_invariants.flow.objects import implicit
from pytest_invariants.flow.seal.granting import deep_labels, settle
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


HARMLESS = frozenset(sys.stdlib_module_names) | {"builtins", "object"}
"""Where a call cannot ask the program's seal, unless it is handed a function of the program."""
GENERAL = frozenset({
    "aiohttp", "anyio", "charset_normalizer", "dateutil", "httpx", "idna", "jinja2", "markupsafe", "msgpack", "multidict", "numpy",
    "opentelemetry", "orjson", "packaging", "pandas", "pydantic", "pydantic_core", "regex", "requests", "rich", "ruamel", "simplejson",
    "structlog", "toml", "tomli", "ujson", "urllib3", "wcmatch", "websockets", "yaml", "yarl",
})  # fmt: skip
"""Libraries of general use of which the same holds: nothing of theirs was written with the program in mind."""
STEADY = frozenset({
    "builtins", "re", "math", "string", "json", "operator", "textwrap", "posixpath", "os.path", "pathlib", "base64", "hashlib",
    "html", "inspect", "fnmatch", "unicodedata", "decimal", "fractions", "shlex", "typing", "types", "urllib.parse",
})  # fmt: skip
"""Modules whose functions give the same for the same arguments."""
UNSTEADY = frozenset(
    {"builtins.input", "builtins.open", "builtins.next", "builtins.eval", "builtins.vars", "builtins.dir"}
)
NUMBERS = frozenset({"len", "hash", "id", "round", "abs", "ord", "divmod"})
"""Builtins whose result tells a number and lets nothing out."""
MODELS = {**BUILTINS, **STDLIB, **WEAK}
EXCEPTIONS = ("Exception", "Error", "Exit", "Interrupt", "Warning")


def call(m: Analysis, function: Foreign, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    if function.path not in groups.GROUPS:
        m.may_raise_midway(state)
    number = m.capabilities.foreign.get(function.path)
    if number is not None:
        m.exercise_foreign(number, function.path, arguments, state, scope, node)
    converted = arithmetic.converted(m, function.path, arguments, state, scope)
    if converted is not None:
        return converted
    model = MODELS.get(function.path) or MODELS.get(function.path.replace("typing_extensions.", "typing."))
    if model is not None:
        return _modelled(m, model, function.path, arguments, state, scope, node)
    unbound = in_place.method_of(m, function.path, arguments)
    if unbound is not None:
        return m.call(unbound[0], unbound[1], state, scope, node)
    root, _, name = function.path.partition(".")
    if function.path in groups.GROUPS:
        return [(groups.made(m, function.path, arguments, state), state)]
    if root == "builtins" and name.endswith(EXCEPTIONS):
        labels = NO_LABELS.union(*(deep_labels(m, value, state, objects=True) for value in arguments.every()))
        return [(Sym(labels, Applied(function.path, ()), Type(function.path)), state)]
    if general(root):
        return [(assumed(m, function.path, arguments, state, scope, node), state)]
    from pytest_invariants.flow.calls.calls import unknown_call

    return unknown_call(m, function, arguments, state, scope, node, m.foreign_reason(function.path))


def _modelled(
    m: Analysis, model: Model, path: str, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    given = fitting.fitted(m, path, arguments, state)
    if given is None:
        return [(_in_doubt(path, assumed(m, path, arguments, state, scope, node), scope.at(node)), state)]
    results = model(m, given, state, scope, node)
    if arguments.options is None or path in fitting.TAKING_OPTIONS:
        return results
    return [(with_labels(v, deep_labels(m, arguments.options, after, objects=True)), after) for v, after in results]


def _in_doubt(path: str, value: Value, at: Place) -> Value:
    """What comes of arguments of which it is not known which is which."""
    labels = frozenset(
        label if label.cleared is not None else replace(label, doubt=label.doubt or Reason.OPAQUE_CALLABLE)
        for label in value.labels
    )
    if path in fitting.READING:
        labels |= {Label(-1, Applied("unseen", ()), at, doubt=Reason.DYNAMIC_ATTRIBUTE)}
    return replace(value, labels=labels)


def assumed(m: Analysis, path: str, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Value:
    """A function of the standard library: its result may carry whatever it was given, and it may call what it was given."""
    values = arguments.every()
    for value in values:
        m.escape(value, state, scope, node, tuple(v for v in values if v is not value))
    name = path.rpartition(".")[2]
    labels = callbacks.run(m, arguments, state, scope, node)
    labels |= entrusted.run(m, Foreign(path=path), values, state, scope, node, special=True)
    if name not in NUMBERS:
        labels = labels.union(*(deep_labels(m, v, state, objects=True) for v in values))
    if path in WRITING:
        labels |= implicit.as_text(m, list(values), state, scope, node)
    if path in changing.FUNCTIONS:
        changing.by_function(m, arguments, state)
    _put_in(m, values, state)
    kind = BOOL if name in NUMBERS else STR if name in ("str", "repr", "format", "dumps", "dedent", "escape") else ANY
    term: Term = Applied(path, tuple(term_of(v) for v in values))
    if name[:1].isupper() and not m.past and path.rpartition(".")[0] not in STEADY:
        term = Applied(path, (*(term_of(v) for v in values), m.allocate(state)))
    if path.rpartition(".")[0] not in STEADY or path in UNSTEADY:
        term = m.evaluated(term, state)
    return Sym(labels, term, kind, m.foreign_reason(path))


WRITING = frozenset({"builtins.str", "builtins.repr", "builtins.format", "builtins.ascii", "pprint.pformat"})
"""Functions that write a value out."""


def _put_in(m: Analysis, values: tuple[Value, ...], state: State) -> None:
    """`heappush(heap, item)`: a collection may be given what stands beside it."""
    for value in values:
        others = [v for v in values if v is not value]
        if isinstance(value, Seq | Dict) and any(isinstance(v, Seq | Dict) or v.labels for v in others):
            given = NO_LABELS.union(*(deep_labels(m, v, state, objects=True) for v in others))
            if given:
                key = Sym(term=m.fresh("key put in")) if isinstance(value, Dict) else None
                some = Sym(settle(m, given, state.facts, state), m.fresh("put in"))
                state.add(value.address, Template(some, key=key))
                state.note_loss(value.address)


def call_cached(
    m: Analysis, function: Wrapped, arguments: Arguments, state: State, scope: Scope, node: ast.AST
) -> Results:
    """Under a cache the body may have run long ago, for somebody else: its answers and grants are an earlier activation's."""
    inner = function.function
    declared = isinstance(inner, Func) and inner.info in m.declared_caches
    if declared or caching.answers_anew(m, function, arguments, state):
        return m.call(inner, arguments, state, scope, node)
    before, asked = state.facts, set(state.outcomes)
    results: Results = []
    for value, after in m.call(inner, arguments, state, scope, node):
        settled = settle(m, value.labels, after.facts - before, after)
        after.facts = before
        after.outcomes = {n: o if n in asked else "stale" for n, o in after.outcomes.items()}
        results.append((aged(m, replace(value, labels=settled), after), after))
    return results


def aged(m: Analysis, value: Value, state: State) -> Value:
    """The value as an earlier activation left it: its verdicts and grants are stale, its objects are themselves."""
    from pytest_invariants.flow.domain.aging import Aging

    aging = Aging()
    if isinstance(value, Seq | Dict) and (cell := state.find(value.address)) is not None:
        templates = tuple(
            replace(t, value=replace(t.value, labels=settle(m, t.value.labels, t.facts, state))) for t in cell.templates
        )
        aged_ones = tuple(replace(aging.template(t), facts=frozenset()) for t in templates)
        state.heap[value.address] = replace(cell, templates=aged_ones, source=None, whole=False)
    return aging.value(value)


POOLS = ("concurrent.futures.", "multiprocessing.")


def submits(function: Sym, arguments: Arguments) -> Arguments | None:
    """What a pool's `submit`, or a loop's `run_in_executor`, calls, and with which arguments."""
    term = function.term
    if not isinstance(term, Field) or not isinstance(term.base, Applied) or arguments.more is not None:
        return None
    if term.name == "submit" and term.base.function.startswith(POOLS) and arguments.positional:
        return arguments
    if term.name == "run_in_executor" and term.base.function.startswith("asyncio.") and len(arguments.positional) > 1:
        return replace(arguments, positional=arguments.positional[1:])
    return None


BUILTIN_METHODS = frozenset(name for kind in (str, bytes, list, dict, set, tuple) for name in dir(kind))


def builtin_method(m: Analysis, term: Term) -> bool:
    """A method that strings and collections have and no class of the program: what it is called on is one of those."""
    return isinstance(term, Field) and term.name in BUILTIN_METHODS and term.name not in m.method_names


def of_library(term: Term) -> bool:
    """An object of the standard library (a logger, a lock): its methods ask no seal of the program."""
    while True:
        match term:
            case Field(base, _) | Applied("result", (base, *_)):
                term = base
            case Applied(function, (base, *_)) if "." not in function and ":" not in function:
                term = base
            case Applied(function, _):
                return "." in function and ":" not in function and general(function)
            case Named(name):
                return "." in name and ":" not in name and general(name)
            case _:
                return False


def stdlib(path: str) -> bool:
    return path.partition(".")[0] in HARMLESS


def general(path: str) -> bool:
    """Whether a name belongs to the standard library, or to one that is of as general use."""
    return path.partition(".")[0] in HARMLESS | GENERAL


__all__ = [
    "HARMLESS",
    "Callable",
    "Element",
    "Func",
    "Reason",
    "Renaming",
    "Term",
    "Thunk",
    "Tuple",
    "Verdict",
    "call",
    "call_cached",
    "general",
]
