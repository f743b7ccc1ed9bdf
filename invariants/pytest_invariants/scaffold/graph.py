"""Who calls whom, and who reads which member: one pass over all functions."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from pytest_invariants.scaffold.kinds import Kind, Types
from pytest_invariants.scaffold.survey import Function, Survey


@dataclass(frozen=True, slots=True)
class Member:
    """A member that is read or called: of an instance of `cls`, and as the topmost class of ours has it."""

    node: ast.expr
    cls: str
    name: str
    ref: str


@dataclass(frozen=True)
class Graph:
    """`calls` has for each function what its calls call; `members` the members that it reads or calls."""

    survey: Survey
    types: dict[str, Types]
    calls: dict[str, list[tuple[ast.Call, str]]] = field(default_factory=dict)
    members: dict[str, list[Member]] = field(default_factory=dict)
    callers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    readers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, survey: Survey, types: dict[str, Types]) -> Graph:
        graph = cls(survey, types)
        for function in survey.functions.values():
            graph._add(function)
        return graph

    def _add(self, function: Function) -> None:
        types = self.types[function.ref]
        calls = self.calls[function.ref] = []
        members = self.members[function.ref] = []
        for node in function.nodes:
            if isinstance(node, ast.Call) and (target := types.target(node)):
                calls.append((node, target))
                self.callers[target].add(function.ref)
                if target.endswith(".__call__") and (kind := types.of(node.func)):
                    self._note(function, members, node.func, kind, "__call__")
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                kind = types.of(node.value)
                if kind is not None and not kind.many:
                    self._note(function, members, node, kind, node.attr)

    def _note(self, function: Function, members: list[Member], node: ast.expr, kind: Kind, name: str) -> None:
        member = Member(node, kind.cls, name, self.defined(kind.cls, name))
        members.append(member)
        self.readers[member.ref].add(function.ref)

    def defined(self, cls: str, name: str) -> str:
        """`class.member`, with the topmost class of ours that has the member."""
        having = self.survey.having(name)
        tops = [each for each in self.survey.line(cls) if each in having]
        return f"{tops[-1] if tops else cls}.{name}"

    def leading(self, ref: str, calls: int) -> set[str]:
        """The functions that lead to `ref` by at most so many calls, itself included."""
        return leading(self.callers, ref, calls)

    def below(self, refs: Collection[str], calls: int) -> set[str]:
        """The functions that these lead to by at most so many calls, themselves included."""
        found = layer = set(refs)
        for _ in range(calls):
            layer = {target for each in layer for _, target in self.calls.get(each, ())} - found
            layer &= self.survey.functions.keys()
            found = found | layer
        return found


def leading(callers: dict[str, set[str]], ref: str, calls: int) -> set[str]:
    found = layer = {ref}
    for _ in range(calls):
        layer = {caller for each in layer for caller in callers.get(each, ())} - found
        found = found | layer
    return found
