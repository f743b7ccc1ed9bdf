"""May-reach: a cheap over-approximation that says which functions are worth following."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.reachable import LABELLED
from pytest_invariants.flow.relevance.fillings import Fillings
from pytest_invariants.flow.relevance.manners import every_manner, manners
from pytest_invariants.flow.relevance.mentions import ANY_NAME, ANY_OF, CHANGES_ITEMS, Mentions
from pytest_invariants.flow.relevance.syntax import called_name, names_in
from pytest_invariants.program.bodies import glance
from pytest_invariants.program.code import ClassInfo, FunctionInfo
from pytest_invariants.program.nodes import below

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis


class Reach:
    """Which functions mention, directly or through what they mention, a capability (`granting`) or the seal (`asking`)."""

    def __init__(
        self, m: Analysis, stops: frozenset[FunctionInfo] = frozenset(), earlier: Mentions | None = None
    ) -> None:
        self.m, self.stops = m, stops
        self.mentions = Mentions(m, earlier)
        self.fillings = Fillings(self.mentions.fields, self.mentions.known)
        self.users = self._users()
        self._told: dict[tuple[FunctionInfo, str], bool] = {}
        self._closures: dict[tuple[str, ...], frozenset[str]] = {}
        self._alike: dict[frozenset[str], frozenset[str]] = {}
        self._bound: dict[FunctionInfo, list[str]] = {}
        self._written = [text for text in self.users if text.startswith(("sets ", "changes "))]
        self._binding = [text for text in self.users if text.startswith("binds ")]
        granted, asked = self._capabilities(), {info.reference for info in m.seal.functions} | self._facts()
        self.granting, self.asking = self._closure(granted), self._closure(asked)
        self.relevant = self.granting | self.asking
        self.reflective = self._closure({ANY_NAME})

    def _users(self) -> dict[str, list[frozenset[str]]]:
        """Who mentions a text: the texts by which each of them is mentioned itself."""
        users: dict[str, list[frozenset[str]]] = {}
        for info in [i for i in self.m.functions.values() if i not in self.stops]:
            _note(users, self.mentions.of(info), provided(info))
        for cls in self.m.classes.values():
            _note(users, set(self.mentions.of_class(cls)), {f"class {cls.reference}"})
            _note(users, set(self.mentions.of_instance(cls)), {f"of {cls.reference}"})
        for cls, text in [(cls, f"{ANY_OF}{cls.reference}") for cls in self.m.classes.values()]:
            if text in users:
                _note(users, set(self.mentions.of_any_member(cls)), {text})
        return users

    def _users_of(self, text: str) -> frozenset[str]:
        """Put together when first asked for: of most texts nobody ever asks."""
        found = self.users.get(text)
        if found is None:
            return frozenset()
        if len(found) > 1:
            found[:] = [found[0].union(*found)]
        return found[0]

    def _capabilities(self) -> set[str]:
        found = self.m.capabilities
        owners = {cls for held in found.fields.values() for _, cls in held}
        seeds = {f"{kind} {cls.reference}" for cls in owners for kind in ("class", "of")}
        for name, held in found.fields.items():
            seeds |= {f"field {name}"} | {f"field {name} of {one.reference}" for _, cls in held for one in cls.family}
        seeds |= {text for info in found.functions for text in provided(info)}
        last = {name.rpartition(".")[2] for name in (*found.foreign, *found.decorators)}
        last |= {name.split(".")[0] for _, name in found.tables}
        seeds |= {f"{kind}{name}" for name in last for kind in ("name ", "field ", "any field ")}
        seeds |= {text for name in last for text in every_manner(name)}
        return seeds | {LABELLED} | self._makers({cls.name for cls in owners})

    def _facts(self) -> set[str]:
        """What the seal is told may be changed: functions that do so matter as much as those that ask."""
        declared = self.m.seal.declared
        told = [ref for ref in (*declared.principal.values(), *declared.state) if ref is not None]
        names = {*declared.principal, *declared.subject, *(ref.qualname.rpartition(".")[2] for ref in told)}
        said = {pair for info in self.m.functions.values() for pair in self._said(info)}
        names |= {name for name, cls in said if cls is None}
        exact = {f"changes {name} of {cls.reference}" for name, cls in said if cls is not None}
        exact |= {f"{kind} {name}" for name, _ in said for kind in ("sets", "changes")}
        written = (text for text in self.users if text.startswith(("sets ", "changes ")))
        return (
            exact
            | {text for text in written if text.split(" ")[1] in names}
            | {f"name {ref.qualname}" for ref in told if "." not in ref.qualname}
        )

    def _said(self, info: FunctionInfo) -> Iterator[tuple[str, ClassInfo | None]]:
        """The attributes that stand in the arguments of a question, and the classes that they are of, where that is known."""
        asked = {one.name for one in self.m.seal.functions}
        if not info.speaks_of(asked):
            return
        with glance(info.node):
            nodes = below(info.node)
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            if called_name(call) in asked:
                for node in (node for node in ast.walk(call) if isinstance(node, ast.Attribute)):
                    classes = self.mentions.classes_of(info, node.value)
                    yield from ((node.attr, cls) for cls in (classes if classes is not None else [None]))

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
            new = self._users_of(stack.pop()) - reached
            reached |= new
            stack += new
        return frozenset(reached)

    def knows(self, info: FunctionInfo, name: str) -> bool:
        """Whether the text of a function tells the class of one of its variables."""
        if (info, name) not in self._told:
            with self.m.program.read.glancing():
                self._told[info, name] = bool(self.mentions.classes_of(info, ast.Name(name, ast.Load())))
        return self._told[info, name]

    def matters(self, info: FunctionInfo) -> bool:
        """Whether its own text leads to a capability or to the seal."""
        return bool(self.mentions.of(info) & self.relevant)

    def changes_items(self, info: FunctionInfo) -> bool:
        """Whether it may change a collection that it is given."""
        return self._leads_to(info, CHANGES_ITEMS)

    def changes(self, info: FunctionInfo, cls: ClassInfo, field: str) -> bool:
        """Whether it may write this field of an instance."""
        return self._leads_to(info, f"changes {field}", *(f"changes {field} of {one.reference}" for one in cls.family))

    def changes_something(self, info: FunctionInfo) -> bool:
        """Whether it may change an object, a collection or a variable of a module."""
        return self.changes_items(info) or self._leads_to(info, *self._written, *self._binding)

    def changes_any(self, info: FunctionInfo, field: str) -> bool:
        """Whether it may write a field of this name, of whatever."""
        return self._leads_to(info, *(t for t in self._written if t.split(" ")[1] == field))

    def binds(self, info: FunctionInfo) -> list[str]:
        """The variables of modules (`module:name`) and of functions around it (`name`) that it may bind anew."""
        if info not in self._bound:
            found = [text for text in self._binding if self._leads_to(info, text)]
            self._bound[info] = [text.removeprefix("binds ") for text in found]
        return self._bound[info]

    def sets_variable(self, info: FunctionInfo, name: str) -> bool:
        """Whether it may set a context variable of this name."""
        text = f"sets variable {name}"
        return text in self.users and self._leads_to(info, text)

    def _leads_to(self, info: FunctionInfo, *seeds: str) -> bool:
        """Whether a function mentions one of these texts, or what leads to one: that is the same for many of them."""
        if seeds not in self._closures:
            behind = self._closure(seeds).difference(seeds)
            self._closures[seeds] = self._alike.setdefault(behind, behind)
        found = self.mentions.of(info)
        return not (found.isdisjoint(seeds) and found.isdisjoint(self._closures[seeds]))

    def reflects(self, info: FunctionInfo) -> bool:
        """Whether it may read an attribute by a computed name."""
        return bool(self.mentions.of(info) & self.reflective)

    def class_matters(self, cls: ClassInfo) -> bool:
        """Whether what the language calls of an instance leads there (`__call__`, `__getitem__`, `__enter__`)."""
        return f"of {cls.reference}" in self.relevant

    @cached_property
    def mattering(self) -> frozenset[ClassInfo]:
        """The classes of which that leads there."""
        return frozenset(cls for cls in self.m.classes.values() if self.class_matters(cls))

    def may_ask(self, info: FunctionInfo) -> bool:
        """Whether its own text leads to the seal."""
        return bool(self.mentions.of(info) & self.asking)

    def may_grant(self, info: FunctionInfo) -> bool:
        found = self.mentions.of(info)
        return not (found.isdisjoint(self.granting) and found.isdisjoint(self.reflective))

    def grants(self, info: FunctionInfo) -> bool:
        """Whether it is a capability, or leads to one."""
        return info in self.m.capabilities.functions or bool(self.mentions.of(info) & self.granting)

    def mentioned_by(self, info: FunctionInfo) -> int:
        """How many others mention this function."""
        self.m.program.read.mentioned |= provided(info)
        return len(set[str]().union(*map(self._users_of, provided(info))) - provided(info))

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


def _note(users: dict[str, list[frozenset[str]]], texts: Iterable[str], user: set[str]) -> None:
    kept = frozenset(map(sys.intern, user))
    for text in texts:
        users.setdefault(text, []).append(kept)


def provided(info: FunctionInfo) -> set[str]:
    """The texts by which a function is mentioned."""
    if not info.is_method:
        return {info.reference}
    return {info.reference, f".{info.name}", *(f"{manner}.{info.name}" for manner in manners(info))}


__all__ = ["ANY_NAME", "Reach", "provided"]
