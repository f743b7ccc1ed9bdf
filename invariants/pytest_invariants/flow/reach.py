"""May-reach: a cheap over-approximation that says which functions are worth following."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_invariants.flow.mentions import ANY_NAME, Mentions, names_in
from pytest_invariants.flow.reachable import LABELLED
from pytest_invariants.program.code import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


class Reach:
    """Which functions mention, directly or through what they mention, a capability (`granting`) or the seal (`asking`)."""

    def __init__(self, m: Analysis, stops: frozenset[FunctionInfo] = frozenset()) -> None:
        self.m, self.stops = m, stops
        self.mentions = Mentions(m)
        self.users = self._users()
        self.granting = self._closure(self._capabilities())
        self.asking = self._closure({info.reference for info in m.seal.functions})
        self.relevant = self.granting | self.asking
        self.reflective = self._closure({ANY_NAME})

    def _users(self) -> dict[str, set[str]]:
        """Who mentions a text: the texts by which each of them is mentioned itself."""
        users: dict[str, set[str]] = {}
        for info in [i for i in self.m.functions.values() if i not in self.stops]:
            for text in self.mentions.of(info):
                users.setdefault(text, set()).update(provided(info))
        for cls in self.m.classes.values():
            for text in self.mentions.of_class(cls):
                users.setdefault(text, set()).add(f"class {cls.reference}")
            for text in self.mentions.of_instance(cls):
                users.setdefault(text, set()).add(f"of {cls.reference}")
        return users

    def _capabilities(self) -> set[str]:
        found = self.m.capabilities
        owners = {cls for held in found.fields.values() for _, cls in held}
        seeds = {f"{kind} {cls.reference}" for cls in owners for kind in ("class", "of")} | {
            f"field {name}" for name in found.fields
        }
        seeds |= {text for info in found.functions for text in provided(info)}
        last = {name.rpartition(".")[2] for name in (*found.foreign, *found.decorators)}
        last |= {name.split(".")[0] for _, name in found.tables}
        seeds |= {f"{kind}{name}" for name in last for kind in ("name ", "field ", ".")}
        return seeds | {LABELLED} | self._makers({cls.name for cls in owners})

    def _makers(self, owners: set[str]) -> set[str]:
        """Functions whose annotation says that they give an object with capabilities."""
        return {
            text
            for info in self.m.functions.values()
            if (returns := getattr(info.node, "returns", None)) is not None and owners & names_in(returns)
            for text in provided(info)
        }

    def _closure(self, seeds: Iterable[str]) -> frozenset[str]:
        """All texts by which something that leads to a seed may be mentioned."""
        reached, stack = set(seeds), list(seeds)
        while stack:
            new = self.users.get(stack.pop(), set()) - reached
            reached |= new
            stack += new
        return frozenset(reached)

    def matters(self, info: FunctionInfo) -> bool:
        """Whether its own text leads to a capability or to the seal."""
        return bool(self.mentions.of(info) & self.relevant)

    def reflects(self, info: FunctionInfo) -> bool:
        """Whether it may read an attribute by a computed name."""
        return bool(self.mentions.of(info) & self.reflective)

    def class_matters(self, cls: ClassInfo) -> bool:
        """Whether what the language calls of an instance leads there (`__call__`, `__getitem__`, `__enter__`)."""
        return f"of {cls.reference}" in self.relevant

    def may_grant(self, info: FunctionInfo) -> bool:
        return bool(self.mentions.of(info) & (self.granting | self.reflective))

    def grants(self, info: FunctionInfo) -> bool:
        """Whether it is a capability, or leads to one."""
        return info in self.m.capabilities.functions or bool(self.mentions.of(info) & self.granting)

    def mentioned_by(self, info: FunctionInfo) -> int:
        """How many others mention this function."""
        self.m.program.read.mentioned |= provided(info)
        return len(set().union(*(self.users.get(text, set()) for text in provided(info))) - provided(info))

    @cached_property
    def names(self) -> frozenset[str]:
        """Names by which the seal or a capability may be reached, of functions, methods and fields."""
        return frozenset(re.split(r"[ .:]", text)[-1] for text in self.relevant)

    def granting_names(self) -> frozenset[str]:
        """Names of methods and functions by which a capability may be reached."""
        kept = {
            text.rpartition(".")[2].rpartition(":")[2]
            for text in self.granting
            if not text.startswith(("class ", "of "))
        }
        return frozenset(text.rpartition(" ")[2] for text in kept)


def provided(info: FunctionInfo) -> set[str]:
    """The texts by which a function is mentioned."""
    return {info.reference} | ({f".{info.name}"} if info.is_method else set())


__all__ = ["ANY_NAME", "Reach", "provided"]
