"""Classes of other packages, where an annotation names one: which classes of the program may stand behind it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.abroad import WORDS
from pytest_invariants.flow.domain.reachable import Held
from pytest_invariants.flow.domain.types import MAPPINGS, SCALARS, SEQUENCES
from pytest_invariants.flow.domain.values import Type, Value
from pytest_invariants.program.code import MODELS, ClassInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


class ForeignClasses:
    """Answers for one program; answers are kept."""

    def __init__(self, m: Analysis, held: Held) -> None:
        self.m, self.held = m, held
        self._behind: dict[str, list[ClassInfo]] = {}
        self._derived: dict[str, list[ClassInfo]] = {}
        self._back: dict[str | ClassInfo, list[ClassInfo]] = {}

    def behind(self, path: str) -> list[ClassInfo]:
        """The classes of the program of which an instance may be meant where an annotation names this foreign class."""
        if path not in self._behind:
            last = path.rpartition(".")[2]
            self._behind[path] = [cls for cls in self.m.classes.values() if self._derives(cls, last)]
        return self._behind[path]

    def built_on(self, name: str) -> list[ClassInfo]:
        """The classes of the program that are derived from builtin ones of this kind."""
        if not self._derived:
            kinds = [(kind, cls) for cls in self.m.classes.values() for kind in map(_kind, cls.foreign_bases())]
            for kind, cls in kinds:
                self._derived.setdefault(kind, []).append(cls)
            self._derived.setdefault("", [])
        return self._derived.get(_kind(name), []) if _kind(name) else []

    def called_back(self, declared: Type, name: str) -> Iterator[str]:
        """What a foreign method may lead to, which is inherited: it may call the methods of the class below."""
        key = declared.cls or declared.path
        if not key:
            return
        if key not in self._back:
            owners = declared.cls.family if declared.cls is not None else self._below(declared.path)
            self._back[key] = [cls for cls in owners if self._inherits(cls)]
        if any(name in cls.namespace for cls in self._back[key]):
            return
        for value in (value for cls in self._back[key] for value in cls.namespace.values()):
            if isinstance(value, Value):
                yield from self.held.mentions(value)

    def _derives(self, cls: ClassInfo, name: str) -> bool:
        """Whether a class may be below the foreign class of this name: some base of it is, or is not known well enough."""
        if any(one.opaque_base for one in cls.mro):
            return True
        paths = cls.foreign_bases()
        return any(path.rpartition(".")[2] == name or self._tells_little(path) for path in paths)

    def _tells_little(self, path: str) -> bool:
        return not (path.partition(".")[0] in WORDS or path.rpartition(".")[2] in MODELS)

    def _below(self, path: str) -> list[ClassInfo]:
        """The classes that say that they are derived from this one."""
        last = path.rpartition(".")[2]
        return [
            cls for cls in self.m.classes.values() if any(p.rpartition(".")[2] == last for p in cls.foreign_bases())
        ]

    def _inherits(self, cls: ClassInfo) -> bool:
        return any(not self.m.harmless_base(path) for path in cls.foreign)


def structural(path: str) -> bool:
    """Whether by its name a foreign class is one of form: any class may stand behind it."""
    return path.rpartition(".")[2].startswith("Supports") or path.endswith(("Protocol", "Like"))


def may_have_any(cls: ClassInfo, name: str) -> bool:
    """Whether an attribute that the class does not define may lead to anything: it is handed on, or a base is not known."""
    kinds = [kind for kind in map(_kind, cls.foreign_bases()) if kind]
    if "__getattribute__" in cls.namespace:
        return True
    if "__getattr__" in cls.namespace:
        return not any(hasattr(getattr(builtins, kind, None), name) for kind in kinds)
    return cls.opaque_base and not cls.foreign and not kinds


def _kind(name: str) -> str:
    """Builtin classes of one kind have the same methods."""
    last = name.rpartition(".")[2]
    return SEQUENCES.get(last, "") or (
        "dict" if last in MAPPINGS or last == "TypedDict" else last if last in SCALARS else ""
    )
