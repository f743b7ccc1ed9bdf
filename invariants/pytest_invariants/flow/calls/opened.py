"""Names of modules that code which is not read may have bound anew: by `exec`, under a computed name, in `sys.modules`.

What such code is called on stays what the source says, and whatever reads one of these names is left undecided. It is assumed to
touch no other module than the one that it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.terms import Applied, Field, Literal, Named, Term, roots
from pytest_invariants.flow.domain.values import Const, Label, Value, term_of
from pytest_invariants.flow.machine.machine import Event
from pytest_invariants.program.code import ClassInfo, FunctionInfo, bound_names, own_nodes
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

Name = tuple[str, str]
"""A module's frame, and a name in it."""


INNARDS = frozenset({"__code__", "__defaults__", "__kwdefaults__"})
"""What a function does, as its attributes say."""
CLASS = "__class__"
BUILTINS = "builtins"
"""The frame, so to speak, in which builtins stand."""


class Opened:
    """Which names these are, and by what: told while modules are loaded, and asked by whoever reads a name."""

    def __init__(self) -> None:
        self.names: dict[Name, Label] = {}
        self.replaced: dict[str, Label] = {}
        self.functions: dict[FunctionInfo, Label] = {}
        """Functions whose code, or defaults, were put in from elsewhere."""
        self.bound_later: set[Name] = set()
        """Functions' names that some function of the program gives to something else."""
        self.loose: set[ClassInfo] = set()
        """Classes whose instances are given fields under computed names."""
        self.read: Label | None = None
        """The last of them that the statement of a module which is being run has read."""

    def module(self, module: str, at: Place, why: Reason, state: State) -> None:
        """All names that a module has so far."""
        frame = module_frame(module)
        label = Label(-1, Applied("unseen", (Named(module),)), at, doubt=why)
        self.names |= {(frame, name): label for name in state.frame(frame) if not name.startswith("__")}

    def builtin(self, name: str, at: Place) -> None:
        """A builtin is replaced."""
        why = Reason.OPAQUE_CALLABLE
        self.names[BUILTINS, name] = Label(-1, Applied("unseen", (Named(f"builtins.{name}"),)), at, doubt=why)

    def function(self, info: FunctionInfo, at: Place, why: Reason) -> None:
        self.functions[info] = Label(-1, Applied("unseen", (Named(info.reference),)), at, doubt=why)

    def methods(self, cls: ClassInfo, functions: Iterable[FunctionInfo], at: Place) -> None:
        """An instance is given another class: what its methods do from then on is not known."""
        for info in functions:
            if info.owner in cls.mro:
                self.function(info, at, Reason.OPAQUE_CALLABLE)

    def in_its_place(self, module: str, at: Place, why: Reason) -> None:
        """Something else stands in `sys.modules` under a module's name: whoever imports it may get that."""
        self.replaced[module_frame(module)] = Label(-1, Applied("unseen", (Named(module),)), at, doubt=why)

    def bound(self, frame: str, name: str) -> None:
        """The module binds the name again."""
        self.names.pop((frame, name), None)

    def of(self, frame: str, name: str) -> Label | None:
        """What may have bound a name that another module reads."""
        return self.names.get((frame, name)) or self.replaced.get(frame)

    def handed_on(self, source: Name, target: Name) -> None:
        """`from module import name`."""
        found = self.of(*source)
        if found is not None:
            self.names[target] = found

    def derived(self, frame: str, statement: ast.stmt) -> None:
        """What a statement binds after it has read one of these names."""
        if self.read is not None and not isinstance(statement, ast.Import | ast.ImportFrom):
            self.names |= dict.fromkeys([(frame, name) for name in _bound(statement)], self.read)


def note(m: Analysis, frame: str, name: str, state: State) -> None:
    """A name of a module is read in it."""
    _noted(m, m.opened.names.get((frame, name)), state)


def note_import(m: Analysis, frame: str, name: str, state: State) -> None:
    """A name of a module is read elsewhere."""
    _noted(m, m.opened.of(frame, name), state)


def _noted(m: Analysis, label: Label | None, state: State) -> None:
    if label is None:
        return
    if m.past:
        m.opened.read = label
    elif not any(event.label is label for event in m.effects.events):
        m.effects.events.append(Event(label, label.read, state.fork(), None))


def note_call(m: Analysis, info: FunctionInfo, state: State) -> None:
    """A function is called."""
    _noted(m, m.opened.functions.get(info), state)


def note_class(m: Analysis, address: Term, state: State, at: Place) -> None:
    """An attribute is read of an object that may have been given another class."""
    if state.field(address, CLASS) is not None:
        _noted(m, Label(-1, Applied("unseen", (Field(address, CLASS),)), at, doubt=Reason.OPAQUE_CALLABLE), state)


def replaced(m: Analysis, key: Value, scope: Scope) -> None:
    """`sys.modules[key] = ...`: a key that comes from outside is taken for the name of a module that is new."""
    if isinstance(key, Const) and isinstance(key.value, str):
        named = [key.value] if m.program.has(key.value) else []
    else:
        written = all(isinstance(root, Literal) for root in roots(term_of(key)))
        named = list(m.program.sources) if written else []
    for module in named:
        m.opened.in_its_place(module, scope.here, Reason.COMPUTED_IMPORT)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds, or puts something into."""
    for node in [statement, *own_nodes(statement)]:
        yield from bound_names(node)
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name):
                yield node.value.id
