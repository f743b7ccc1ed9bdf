"""What the registry says, in the machine's words: the seal's facts, capabilities, relations, open classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.instances import Instances
from pytest_invariants.flow.domain.terms import Field, Term
from pytest_invariants.flow.domain.values import NO_LABELS, Class, Func, Label, Labels, Obj
from pytest_invariants.program.code import ClassInfo, FunctionInfo
from pytest_invariants.registry.model import Grant, Registry
from pytest_invariants.verdict import Place, Reason

if TYPE_CHECKING:
    from pytest_invariants.flow.seal.sealing import SealModel


@dataclass
class Capabilities:
    """Where capabilities come from, found in the program; numbers are positions in the registry's list."""

    fields: dict[str, list[tuple[int, ClassInfo]]] = field(default_factory=dict)
    functions: dict[FunctionInfo, int] = field(default_factory=dict)
    tables: dict[tuple[str, str], int] = field(default_factory=dict)
    foreign: dict[str, int] = field(default_factory=dict)
    decorators: dict[str, int] = field(default_factory=dict)

    @cached_property
    def references(self) -> frozenset[str]:
        return frozenset(info.reference for info in self.functions)

    def name_of(self, info: FunctionInfo) -> str:
        """What this capability is called; its overrides go by the same name: one object has one of them."""
        return self.names[self.functions[info]] if info in self.functions else info.reference

    @cached_property
    def names(self) -> dict[int, str]:
        first: dict[int, str] = {}
        for info, number in self.functions.items():
            first.setdefault(number, info.reference)
        return first


class Registered:
    """The registry's side of the machine."""

    registry: Registry
    seal: SealModel
    capabilities: Capabilities
    class_of: Instances
    relations: dict[str, int]
    surface_params: dict[str, ClassInfo | None]
    receiver: ClassInfo | None = None
    """The class of the surface's receiver."""
    open_classes: frozenset[ClassInfo]
    granting_names: frozenset[str] = frozenset()
    """Names of the program's methods by which a capability may be reached."""

    @property
    def has_call_capability(self) -> bool:
        return any(capability.grant is Grant.CALL for capability in self.registry.capabilities)

    def grant_of(self, label: Label) -> Grant:
        if label.capability < 0:
            return Grant.VALUE
        return self.registry.capabilities[label.capability].grant

    @property
    def value_capability(self) -> int | None:
        """The first capability that is granted by value: what a filtering seal lets through counts as it."""
        return next((n for n, c in enumerate(self.registry.capabilities) if c.grant is Grant.VALUE), None)

    @property
    def subject_is_state(self) -> bool:
        """The seal takes the state itself (`categories`), not the object that has it."""
        return any(ref.qualname.rpartition(".")[2] in self.seal.declared.subject for ref in self.seal.declared.state)

    def holds_state(self, term: Field) -> bool:
        """Whether the field is one of those that the seal decides by; without a declaration any field may be."""
        declared = [ref for ref in self.seal.declared.state if "." in ref.qualname]
        if not declared:
            return True
        known = self.class_of.get(term.base)
        for ref in declared:
            owner, _, name = ref.qualname.rpartition(".")
            if name == term.name and (known is None or self._is_class(known, ref.module, owner)):
                return True
        return False

    def decides_by(self, term: Term) -> bool:
        """Whether the seal is declared to decide by this very field: what stands there asks nobody in turn."""
        known = self.class_of.get(term.base) if isinstance(term, Field) else None
        return (
            known is not None
            and bool(self.seal.declared.state)
            and isinstance(term, Field)
            and any(
                ref.qualname.rpartition(".")[2] == term.name
                and self._is_class(known, ref.module, ref.qualname.rpartition(".")[0])
                for ref in self.seal.declared.state
            )
        )

    def _is_class(self, cls: ClassInfo, module: str, qualname: str) -> bool:
        return any(c.module == module and c.qualname == qualname for c in cls.mro) or self._same_name(cls, qualname)

    def _same_name(self, cls: ClassInfo, qualname: str) -> bool:
        return any(c.qualname == qualname for c in [*cls.mro, *cls.descendants()])

    def is_capability_field(self, name: str) -> bool:
        return name in self.capabilities.fields

    def is_part(self, term: Term) -> bool:
        """`x.y` where `x` and `y` are of different classes of the program: `y` is a part, or the group, of `x`."""
        if not isinstance(term, Field):
            return False
        own, whole = self.class_of.get(term), self.class_of.get(term.base)
        return (
            own is not None and whole is not None and own is not whole and whole not in own.mro and own not in whole.mro
        )

    def capability_call(self, function: str) -> bool:
        return function in self.capabilities.references

    def key_of(self, function: str, arguments: tuple[Term, ...]) -> Term | None:
        position = self.relations.get(function)
        return arguments[position] if position is not None and position < len(arguments) else None

    def declared_open(self, cls: ClassInfo) -> bool:
        return bool(self.open_classes & set(cls.mro))

    def field_labels(self, cls: ClassInfo, address: Term, name: str, at: Place) -> Labels:
        """The labels that reading this field of an instance brings."""
        found = set()
        for number, owner in self.capabilities.fields.get(name, ()):
            if owner in cls.mro or owner in cls.descendants() or (cls.is_protocol and owner.lookup(name)):
                found.add(Label(number, address, at))
        return frozenset(found)

    def guessed_labels(self, address: Term, name: str, at: Place) -> Labels:
        """The same for a receiver of unknown class: it may be that field."""
        if name not in self.capabilities.fields:
            return NO_LABELS
        doubt = Reason.UNTYPED_RECEIVER
        return frozenset(Label(number, address, at, doubt=doubt) for number, _ in self.capabilities.fields[name])

    def owner_labels(self, value: Obj, at: Place) -> Labels:
        """An instance that leaves as a whole takes its capability fields along."""
        found = set()
        for name, owners in self.capabilities.fields.items():
            for number, owner in owners:
                held = owner.lookup(name)
                method = held is not None and isinstance(held[1], Func)
                if (owner in value.cls.mro or owner in value.cls.descendants()) and not method:
                    found.add(Label(number, value.address, at))
        return frozenset(found)

    @property
    def has_caller_object(self) -> bool:
        """Whether the surface is given an object that may have the principal, or is a method of one that has it."""
        owners = {ref.qualname.rpartition(".")[0] for ref in self.seal.declared.principal.values() if ref is not None}
        own = self.receiver is not None and any(cls.qualname in owners for cls in self.receiver.mro)
        return own or any(cls is not None for cls in self.surface_params.values())

    def names_caller(self, parameter: str, role: str) -> bool:
        """A bare parameter of a surface that has an object with the principal in it was written by the model."""
        for cls in self.surface_params.values():
            if cls is not None and any(name in (parameter, role) or name in role for name in cls.field_names()):
                return parameter in self.surface_params and self.surface_params[parameter] is None
        return False


__all__ = ["Capabilities", "Class", "Registered"]
