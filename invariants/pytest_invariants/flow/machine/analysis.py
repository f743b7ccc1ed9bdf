"""The machine as the evaluators use it: the registry's side, and services that need more than one of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from pytest_invariants.flow.calls import calls, escaping
from pytest_invariants.flow.calls.opened import Opened
from pytest_invariants.flow.containers import containers, drawing
from pytest_invariants.flow.domain import types
from pytest_invariants.flow.domain.instances import Instances
from pytest_invariants.flow.domain.live import Live
from pytest_invariants.flow.domain.outcomes import Kept
from pytest_invariants.flow.domain.scope import Scope, module_frame
from pytest_invariants.flow.domain.state import Cell, State, Template, lives_on
from pytest_invariants.flow.domain.terms import Field, Literal, Named, Term
from pytest_invariants.flow.domain.values import (
    ANY,
    NO_LABELS,
    Class,
    Cond,
    Const,
    Dict,
    Foreign,
    Func,
    Label,
    Labels,
    Member,
    Obj,
    Seq,
    Sym,
    Thunk,
    Type,
    Union,
    Value,
    Verdict,
    Wrapped,
    term_of,
)
from pytest_invariants.flow.library.library import stdlib
from pytest_invariants.flow.machine import (
    comprehensions,
    conditions,
    expressions,
    imports,
    merging,
    modules,
    reading,
    setting,
    statements,
)
from pytest_invariants.flow.machine.machine import Arguments, Machine, Results
from pytest_invariants.flow.objects import attributes
from pytest_invariants.flow.objects.hierarchy import Hierarchy
from pytest_invariants.flow.relevance import worth
from pytest_invariants.flow.relevance.handed import Handed
from pytest_invariants.flow.relevance.later import Later
from pytest_invariants.flow.relevance.reach import Reach
from pytest_invariants.flow.relevance.uncalled import Uncalled
from pytest_invariants.flow.seal import sealing
from pytest_invariants.flow.seal.granting import deep_labels
from pytest_invariants.flow.seal.registered import Capabilities, Registered
from pytest_invariants.program.code import MODELS, ClassInfo, FunctionInfo
from pytest_invariants.program.program import Program
from pytest_invariants.registry.model import Grant, Registry
from pytest_invariants.verdict import Place, Reason

REGISTRARS = frozenset({
    "get", "post", "put", "delete", "patch", "head", "options", "route", "websocket", "tool", "resource", "prompt", "command",
    "callback", "event", "on_event", "listener", "task", "list_tools", "call_tool", "list_resources", "read_resource",
    "list_prompts", "get_prompt", "tool_plain", "custom_route",
})  # fmt: skip
CALLER_NAMES = frozenset({"self", "cls"})


class Analysis(Hierarchy, Registered, Machine):
    """The wired machine."""

    def __init__(self, program: Program, registry: Registry) -> None:
        super().__init__(program)
        self.registry = registry
        self.class_of = Instances()
        self.captured: set[str] = set()
        self.thunk_functions: dict[int, Value] = {}
        self.definitions: dict[ast.AST, Value] = {}
        self.annotated: dict[ast.arg, Type] = {}
        self.declared_fields: dict[ast.expr, Type] = {}
        self.registered_as: dict[str, bool] = {}
        """Classes by name, and whether others may have been registered as one."""
        self.declared_later: dict[Term, tuple[ast.expr, Scope]] = {}
        """The annotations of context variables: a class in one may be defined later in the module."""
        self.plain: dict[FunctionInfo, Func] = {}
        self.unresolved: dict[ClassInfo, Scope] = {}
        """Classes of which a base was not known when they were defined."""
        self.rebindings: list[tuple[Place, str]] = []
        self.opened = Opened()
        self.counted: dict[Term, tuple[Value, tuple[int, int]]] = {}
        """Numbers of things: what they count, and how often that had changed by then."""
        self.entries: dict[str, Value] = {}
        """The keys of entries that were put into mappings of which nothing is known, by the fields that hold them."""
        self.attaching: dict[ClassInfo, bool] = {}
        """Whether a class's constructor puts something in the place of an instance's namespace."""
        self.live: dict[Term, Live] = {}
        """Iterators that are drawn later, by their address."""
        self.filters: dict[Term, comprehensions.Filter] = {}
        """Collections that a comprehension made of those elements that pass its conditions."""
        self.dispatchers: dict[FunctionInfo, list[tuple[ClassInfo | str, Value]]] = {}
        self.declared_caches: frozenset[FunctionInfo] = frozenset()
        self.declared_addresses: frozenset[Term] = frozenset()
        self.state_reads: dict[tuple[str, int, int], bool] = {}
        self.factories: dict[Term, Value] = {}
        self.counters: dict[Term, tuple[Seq, int] | None] = {}
        self.loading: Any = None
        self.running, self.appended = [], {}
        self.surprising: dict[ast.stmt, list[str]] = {}
        """What statements may raise by surprise."""
        self.texts: dict[ast.expr, str] = {}
        """Conditions as they are shown."""
        self.surely_loaded: dict[str, set[str]] = {}
        """By module, those that have run once it has."""
        self.method_names: frozenset[str] = frozenset()
        self.surface_names: dict[str, str] = {}
        self.surface_params = {}
        self.relations = {}
        self.open_classes = frozenset()
        self.capabilities = Capabilities()
        self.seal = sealing.SealModel(registry.seal, frozenset(), None, (), False)
        self._initial: dict[ClassInfo, tuple[dict[str, Value], State]] = {}
        self.uncalled, self.handed = Uncalled(self), Handed(self)
        self._wire()

    def _wire(self) -> None:
        self.evaluate = partial(expressions.evaluate, self)
        self.execute = partial(statements.execute, self)
        self.execute_all = partial(statements.execute_all, self)
        self.assume = partial(conditions.assume, self)
        self.call = partial(calls.call, self)
        self.attribute = partial(self._attribute)
        self.iterate = partial(self._iterate)
        self.load = partial(modules.load, self)
        self.join = partial(merging.join, self)
        self.combined = partial(merging.combined, self)
        self.fewer = partial(merging.fewer, self)
        self.unpack: Callable[[ast.expr, Value, State, Scope], list[State]] = partial(statements.unpack, self)
        self.escape = partial(escaping.escape, self)

    def _attribute(self, receiver: Value, name: str, state: State, scope: Scope, node: ast.AST) -> Results:
        return [
            pair
            for value, after in attributes.attribute(self, receiver, name, state, scope, node)
            for pair in reading.split(value, after)
        ]

    def _iterate(self, value: Value, state: State, scope: Scope, node: ast.AST) -> Results:
        return [
            pair
            for element, after in drawing.iterate(self, value, state, scope, node)
            for pair in reading.split(element, after)
        ]

    def evaluate_quietly(self, node: ast.expr, state: State, scope: Scope) -> Results:
        """Evaluate where no exception may escape and no state is kept: annotations, class patterns, handlers."""
        with self.collecting():
            return self.evaluate(node, state.fork(), scope)

    # Names and definitions

    def resolve_import(self, value: Value, state: State) -> Value:
        return imports.resolve(self, value, state)

    def note_definition(self, node: ast.AST, value: Value) -> None:
        self.definitions[node] = value

    def note_rebinding(self, frame: str, name: str, value: Value, state: State, scope: Scope) -> None:
        """A module's name is bound anew: of interest where it was the seal (`seal-sole` looks at it)."""
        old = state.frame(frame).get(name)
        if isinstance(old, Func) and not (isinstance(value, Func) and value.info is old.info):
            self.rebindings.append((scope.here, old.info.reference))

    def scope_of_module(self, module: str) -> Scope:
        source = self.program.sources.get(module)
        return Scope(module, source.path if source else module, (module_frame(module),))

    def scope_of_class(self, cls: ClassInfo) -> Scope:
        return Scope(cls.module, cls.path, cls.chain or (module_frame(cls.module),))

    def scope_of_function(self, function: Func) -> Scope:
        info = function.info
        return Scope(info.module, info.path, function.chain or (module_frame(info.module),))

    def world_or(self, state: State) -> State:
        return state

    def return_type(self, function: Func, state: State) -> Type:
        node = function.info.node
        if isinstance(node, ast.Lambda):
            return ANY
        return types.read(self, node.returns, state, self.scope_of_function(function))

    def set_attribute(self, owner: Value, name: str, value: Value, state: State, scope: Scope | None = None) -> None:
        setting.set_attribute(self, owner, name, value, state, scope)

    def note_state_read(self, cls: ClassInfo, name: str, scope: Scope, node: ast.AST) -> None:
        """Where the seal's facts are read, and whether of an object that has them (`seal-sole` asks)."""
        if any(ref.qualname.rpartition(".")[2] == name for ref in self.seal.declared.state):
            key = (scope.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
            self.state_reads[key] = self.state_reads.get(key, False) or self.is_owner(cls)

    # Verdicts

    def is_verdict(self, value: Value) -> bool:
        return isinstance(value, Verdict)

    def verdict_part(self, value: Value, key: object) -> Value:
        assert isinstance(value, Verdict)
        fields = self.seal.fields
        name = fields[key] if isinstance(key, int) and -len(fields) <= key < len(fields) else str(key)
        return sealing.part_of_answer(self, value, name)

    def verdicts_in(self, value: Value) -> list[Verdict]:
        if isinstance(value, Verdict):
            return [value]
        if isinstance(value, Cond):
            return [v for operand in value.operands for v in self.verdicts_in(operand)]
        return []

    def member_value(self, member: Member) -> Value | None:
        return member.cls.namespace.get(f"_value_of_{member.name}")

    def is_context(self, info: FunctionInfo) -> bool:
        from pytest_invariants.registry.model import VerdictKind

        return self.seal.kind is VerdictKind.ENTERS and info.is_generator

    # Collections

    def as_declared(self, value: Seq | Dict) -> Cell:
        """What a collection holds of which nothing is known but its type."""
        return containers.symbolic(self, value)

    def cell_of(self, templates: tuple[Template, ...]) -> Cell:
        return Cell(templates)

    def grows(self, address: Term) -> bool:
        return lives_on(address)

    def grown(self, address: Term) -> bool:
        """Whether an earlier activation may have added to a collection: how much it holds is not known then."""
        return address in self.left_behind

    @cached_property
    def left_behind(self) -> set[Term]:
        """The collections that some activation has added to."""
        return set()

    @cached_property
    def truths(self) -> dict[Term, tuple[Value, Value | None]]:
        """Truths that a round of a loop has put into a list, or into a dictionary under a key."""
        return {}

    def typed(self, value: Sym, declared: Type) -> Value:
        return replace(types.shape(self, value.term, declared, value.why), labels=value.labels)

    def told_by_text(self, cls: ClassInfo, name: str) -> Type:
        """The type of a field that holds a plain value by all that the program's text assigns to it."""
        told = self.reach.mentions.fields.type_of(cls, name) if self.reach is not None else ANY
        return told if types.scalar(told) else ANY

    def relabel(self, labels: Labels, table: Term, key: Term) -> Labels:
        """A capability that is a table: what is drawn from it is the entry of this key."""
        return frozenset(replace(la, subject=key) if la.subject == table else la for la in labels)

    def persist(self, address: Term, what: str, value: Value, state: State, key: Value | None = None) -> None:
        """Something is left in an object that lives on: a later activation will find it."""
        if self.past or not lives_on(address) or (isinstance(value, Const) and self._told_by_text(address, what)):
            return
        self.effects.keep(Kept(address, what, value, key))

    def _told_by_text(self, address: Term, what: str) -> bool:
        """Whether `Rewritten` finds a constant that is left there; of elements by number and variables of closures it knows nothing."""
        if what == "element":
            cell = self.world.find(address)
            return cell is None or not cell.exact
        return (
            not isinstance(address, Named)
            or address.name.startswith("module ")
            or address.name not in self.world.frames
        )

    # Calls out of the program

    def foreign(self, path: str, labels: Labels) -> Value:
        number = self.capabilities.foreign.get(path)
        if number is not None and self.registry.capabilities[number].grant is Grant.VALUE:
            labels |= {Label(number, Named(path), Place("", 1))}
        return Foreign(labels, path)

    def foreign_reason(self, path: str) -> Reason:
        return Reason.OPAQUE_CALLABLE

    def is_foreign_decorator(self, value: Value) -> bool:
        if isinstance(value, Foreign):
            return (
                not stdlib(value.path)
                and not value.path.startswith("flow.")
                and not self._harmless_decorator(value.path)
            )
        return isinstance(value, Sym)

    def _harmless_decorator(self, path: str) -> bool:
        return path.rpartition(".")[2] in ("override", "deprecated", "final", "runtime_checkable")

    def registers(self, node: ast.expr) -> bool:
        """A decorator that by its name hands the function to a framework and gives it back: it guards nothing."""
        name = ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]
        return name in REGISTRARS and "." in ast.unparse(node)

    def hands_over(self, node: ast.expr, state: State, scope: Scope) -> bool:
        """Whether a function of the program stands among the decorator's arguments (`dependencies=[Depends(check)]`)."""
        if not isinstance(node, ast.Call):
            return False
        names = [
            n
            for part in (*node.args, *(k.value for k in node.keywords))
            for n in ast.walk(part)
            if isinstance(n, ast.Name)
        ]
        values = [v for n in names for v, _ in self.evaluate_quietly(n, state, scope)]
        return any(isinstance(v, Func | Class | Wrapped | Obj) for v in values)

    def harmless_base(self, path: str) -> bool:
        return stdlib(path) or path.rpartition(".")[2] in (*MODELS, "Protocol", "Generic")

    def decorated_labels(self, number: int | None, value: Value, at: Place) -> Labels:
        if number is None:
            return NO_LABELS
        return frozenset({Label(number, term_of(value), at)})

    def exercise_foreign(
        self, number: int, path: str, arguments: Arguments, state: State, scope: Scope, node: ast.AST
    ) -> None:
        from pytest_invariants.flow.seal.granting import record

        if self.registry.capabilities[number].grant is Grant.CALL:
            subject = term_of(arguments.positional[0]) if arguments.positional else Literal(path, "call")
            record(self, Label(number, subject, scope.at(node)), state, scope.here)

    def note_edge(self, info: FunctionInfo) -> None:
        caller = self.stack[-1].reference if self.stack else self.root
        if caller != info.reference:
            self.effects.edges.add((caller, info.reference))

    root: str = ""
    reach: Reach | None = None
    later: Later | None = None
    """What functions of the program may have done before the surface is called; None while modules are loaded."""

    def matters(self, function: Func, given: Arguments, state: State) -> bool:
        return worth.matters(self, function, given, state)

    def reads_capabilities(self, info: FunctionInfo) -> bool:
        """Whether following the function could find it read a capability of an object that it is given."""
        return self.reach is None or self.reach.matters(info) or self.reach.reflects(info)

    def would_ask(self, number: int) -> bool:
        """Whether running a call that is still pending would ask the seal."""
        from pytest_invariants.flow.relevance.asking import would_ask

        return would_ask(self, self.thunk_functions.get(number))

    def note_unresolved(self, why: Reason, at: Place, node: ast.AST) -> None:
        self.effects.unresolved.append((str(why), at, ast.unparse(node)[:80]))

    def possible_grants(self, function: Value, node: ast.AST, why: Reason, at: Place) -> Labels:
        return escaping.possible_grants(self, function, node, why, at)

    def is_caller(self, value: Value) -> bool:
        """An argument that carries the principal, and is not what is asked for."""
        declared = [ref for ref in self.seal.declared.principal.values() if ref is not None]
        if isinstance(value, Obj):
            owners = {ref.qualname.rpartition(".")[0] for ref in declared}
            if any(c.qualname in owners for c in value.cls.mro):
                return True
            names = {n for name in self.seal.declared.principal for n in (name, name.rpartition("_")[2])}
            return not declared and bool(names & set(value.cls.field_names())) and not self.is_owner(value.cls)
        return False


__all__ = ["Analysis", "Class", "Dict", "Field", "Seq", "Thunk", "Union", "Wrapped", "deep_labels"]
