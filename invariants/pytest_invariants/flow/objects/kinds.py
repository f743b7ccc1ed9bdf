"""Whether an object is of a class: by its bases, unless the class itself has a say in that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import Class, Foreign, Obj, Value
from pytest_invariants.flow.machine.machine import Raised
from pytest_invariants.flow.objects import implicit
from pytest_invariants.flow.objects.reflection import has_attribute
from pytest_invariants.program.code import ClassInfo
from pytest_invariants.source.files import searched

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

HOOKS = ("__instancecheck__", "__subclasscheck__")


def belongs(m: Analysis, value: Obj, kind: Value, state: State) -> bool | None:
    """None where it is not known."""
    if isinstance(kind, Foreign):
        return _of_foreign(value, kind, state)
    if not isinstance(kind, Class) or (kind.info is not value.cls and _says_itself(m, kind.info)):
        return None
    if kind.info in value.cls.mro:
        return True
    if kind.info.is_protocol:
        return _fits(m, value, kind.info, state)
    return False if value.exact and not _registers(m, kind.info.name) else None


def _of_foreign(value: Obj, kind: Foreign, state: State) -> bool | None:
    """An exception of the program, and a class of the language or another package."""
    from pytest_invariants.flow.machine.trying import catches

    if not (value.exact and value.cls.is_exception):
        return None
    return catches(kind, Raised(state, value.cls))


def _says_itself(m: Analysis, info: ClassInfo) -> bool:
    """Whether a metaclass or a hook decides."""
    meta = implicit.metaclass(m, info)
    return bool(info.lookup("__subclasshook__")) or (meta is not None and any(meta.lookup(name) for name in HOOKS))


def _registers(m: Analysis, name: str) -> bool:
    """Whether another class may have been registered as one of this name."""
    m.program.read.mentioned |= {"register", name}
    if name not in m.registered_as:
        m.registered_as[name] = _register_is_written(m, name)
    return m.registered_as[name]


def _register_is_written(m: Analysis, name: str) -> bool:
    every = (searched(source) for source in m.program.sources.values())
    texts = [text for text in every if "register" in text and name in text]
    names = {name, *(found for text in texts for found in re.findall(rf"\b{name}\s+as\s+(\w+)", text))}
    written = re.compile(rf"\b(?:{'|'.join(sorted(names))})\s*\.\s*register\b")
    return any(written.search(text) for text in texts)


def _fits(m: Analysis, value: Obj, protocol: ClassInfo, state: State) -> bool | None:
    """Whether an object has all that a protocol names."""
    names = {
        name
        for cls in protocol.mro
        if cls.is_protocol
        for name in (*cls.namespace, *cls.annotations)
        if not name.startswith("_") or name in ("__call__", "__iter__", "__len__", "__contains__", "__getitem__")
    }
    found = [has_attribute(m, value, name, state) for name in names]
    if False in found and value.exact:
        return False
    return True if found and all(found) else None
