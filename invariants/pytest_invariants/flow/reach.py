"""May-reach by name: a cheap over-approximation that says which functions are worth following."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.program.code import FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


REFLECTION = frozenset({"getattr", "attrgetter", "methodcaller", "setattr", "hasattr"})


def mentioned(node: ast.AST) -> frozenset[str]:
    """Every name and attribute in a function, and every text given to `getattr` and its kin: what it may call or read."""
    found: set[str] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Name(id=name) | ast.Attribute(attr=name, ctx=ast.Load()):
                found.add(name)
            case ast.Call(func=ast.Name(id=function) | ast.Attribute(attr=function), args=arguments) if (
                function in REFLECTION
            ):
                found.update(a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str))
                if any(not isinstance(a, ast.Constant) for a in arguments[1:2]):
                    found.add(ANY_NAME)
            case ast.MatchClass(kwd_attrs=names):
                found.update(names)
    return frozenset(found)


ANY_NAME = "<any>"
"""What a function mentions that reads an attribute by a computed name."""


class Reach:
    """Which functions mention, directly or through functions that they mention, the name of a capability or the seal."""

    def __init__(self, m: Analysis, stops: frozenset[FunctionInfo] = frozenset()) -> None:
        self.stops = stops
        self.mentions = {info: mentioned(info.node) for info in m.functions.values()}
        self.by_name: dict[str, list[FunctionInfo]] = {}
        for info in self.mentions:
            self.by_name.setdefault(info.name, []).append(info)
        owners = {cls.name for held in m.capabilities.fields.values() for _, cls in held}
        seeds = set(m.capabilities.fields) | {i.name for i in m.capabilities.functions} | owners
        seeds |= {name.rpartition(".")[2] for name in (*m.capabilities.foreign, *m.capabilities.decorators)}
        seeds |= {name.split(".")[0] for _, name in m.capabilities.tables} | {ANY_NAME}
        self.names = self._closure(seeds | self._makers(m, owners))
        self.relevant = self._closure({info.name for info in m.seal.functions}) | self.names

    def _makers(self, m: Analysis, owners: set[str]) -> set[str]:
        """Functions whose annotation says that they give an object with capabilities."""
        found = set()
        for info in self.mentions:
            returns = getattr(info.node, "returns", None)
            if returns is not None and owners & mentioned(returns):
                found.add(info.name)
        return found

    def _closure(self, seeds: set[str]) -> frozenset[str]:
        """All names by which something that mentions a seed may be called."""
        users: dict[str, set[str]] = {}
        for info, names in self.mentions.items():
            for name in names if info not in self.stops else ():
                users.setdefault(name, set()).add(info.name)
        reached, stack = set(seeds), list(seeds)
        while stack:
            for user in users.get(stack.pop(), ()):
                if user not in reached:
                    reached.add(user)
                    stack.append(user)
        return frozenset(reached)

    def users(self, info: FunctionInfo) -> int:
        """How many other functions mention this one's name."""
        return sum(info.name in names for other, names in self.mentions.items() if other is not info)

    def may_grant(self, info: FunctionInfo) -> bool:
        if info not in self.mentions:  # a nested function is known once its maker has been followed
            self.mentions[info] = mentioned(info.node)
        return bool(self.mentions[info] & self.names)
