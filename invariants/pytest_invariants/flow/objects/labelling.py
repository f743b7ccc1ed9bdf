"""What the value of an attribute carries: the capability that the field is, and what the object brought along."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import lives_on
from pytest_invariants.flow.domain.types import read as read_type
from pytest_invariants.flow.domain.types import scalar
from pytest_invariants.flow.domain.values import Dict, Labels, Obj, Seq, Union, Value, with_labels
from pytest_invariants.flow.seal.granting import remembered

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


def labelled(m: Analysis, receiver: Obj, name: str, value: Value, scope: Scope, node: ast.AST) -> Value:
    m.note_state_read(receiver.cls, name, scope, node)
    labels = m.field_labels(receiver.cls, receiver.address, name, scope.at(node))
    memory = {label.capability: label for label in remembered(receiver)}
    if not lives_on(receiver.address):
        copied = {label.capability for label in value.labels}
        labels = frozenset(label for label in labels if label.capability not in copied)
    labels = frozenset(memory.get(label.capability, label) for label in labels)
    brought = receiver.labels - frozenset(memory.values())
    found = _of_collection(value, labels) if labels else value
    return with_labels(found, _told(m, receiver, name, brought)) if brought else found


def _of_collection(value: Value, labels: Labels) -> Value:
    """A capability that is a collection: its elements may be asked about one by one."""
    match value:
        case Union():
            return replace(value, options=tuple(_of_collection(option, labels) for option in value.options))
        case Seq() | Dict():
            return with_labels(value, frozenset(replace(label, also=value.address) for label in labels))
        case _:
            return with_labels(value, labels)


def _told(m: Analysis, receiver: Obj, name: str, labels: Labels) -> Labels:
    """A plain text or number of an element of the seal's answer, which the registry does not name."""
    found = receiver.cls.field_annotation(name)
    if m.is_capability_field(name) or found is None:
        return labels
    if not scalar(read_type(m, found[1], m.world, m.scope_of_class(found[0]))):
        return labels
    own = receiver.address
    return frozenset(replace(la, aside=True) if la.answer and la.subject == own else la for la in labels)
