"""Second readers: code outside the seal that decides by the facts that only the seal may decide on.

Reading them to show them, to log them or to hand them to the seal decides nothing. A read counts where its outcome steers: it is tested,
compared or combined, and what hangs on the test is more than a text.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_invariants.program.code import FunctionInfo, own_nodes
from pytest_invariants.program.nodes import below, children
from pytest_invariants.verdict import Place

if TYPE_CHECKING:
    from pytest_invariants.flow.prover import Prover

MAKERS = frozenset(
    {"__init__", "__post_init__", "__new__", "__repr__", "__str__", "__eq__", "__hash__", "model_post_init"}
)
SET_TESTS = frozenset({"isdisjoint", "issubset", "issuperset", "intersection", "__contains__", "count", "index"})
TRUTH = frozenset({"any", "all", "bool", "len", "set", "frozenset", "tuple", "list", "sorted"})
EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Yield, ast.YieldFrom, ast.Await)


@dataclass(frozen=True, slots=True)
class Reader:
    at: Place
    note: str


def second_readers(prover: Prover) -> list[Reader]:
    m = prover.m
    attributes = {ref.qualname.rpartition(".")[2] for ref in prover.registry.seal.state if "." in ref.qualname}
    if not attributes:
        return []
    home = {info.module for info in m.seal.functions}
    found: list[Reader] = []
    for info in sorted(m.functions.values(), key=lambda i: i.place):
        if info.module in home or info.name in MAKERS or isinstance(info.node, ast.Lambda):
            continue
        found += _Scan(prover, info, attributes).readers()
    return list(dict.fromkeys(found))


class _Scan:
    """One function: its reads of the state, its variables that hold them, and the tests that they reach."""

    def __init__(self, prover: Prover, info: FunctionInfo, attributes: set[str]) -> None:
        self.prover, self.info, self.attributes = prover, info, attributes
        self.seals = {i.name for i in prover.m.seal.functions}
        self.parents = {child: parent for parent in below(info.node) for child in children(parent)}
        self.nodes = below(info.node)
        self.seals |= self._aliases()
        self.held = self._variables()

    def _aliases(self) -> set[str]:
        """Other names of the seal in this module."""
        frame = self.prover.m.world.frame(f"module {self.info.module}")
        from pytest_invariants.flow.domain.wrapped import plain_function

        return {
            name
            for name, value in frame.items()
            if (f := plain_function(value)) is not None and f.info in self.prover.m.seal.functions
        }

    def _variables(self) -> set[str]:
        """Local names that hold the state: assigned from a read, drawn from it in a loop, or a parameter of its name."""
        arguments = self.info.node.args
        held = {
            a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if a.arg in self.attributes
        }
        for _ in range(2):
            for node in own_nodes(self.info.node):
                held |= self._bound(node, held)
        return held

    def _bound(self, node: ast.AST, held: set[str]) -> set[str]:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                return {name} if value is not None and self._carries(value, held) else set()
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                return {name} if self._carries(value, held) else set()
            case (
                ast.For(target=ast.Name(id=name), iter=source)
                | ast.comprehension(target=ast.Name(id=name), iter=source)
            ):
                return {name} if self._carries(source, held) else set()
            case ast.MatchClass(kwd_attrs=names, kwd_patterns=patterns):
                pairs = zip(names, patterns, strict=True)
                return {p.name for n, p in pairs if n in self.attributes and isinstance(p, ast.MatchAs) and p.name}
            case _:
                return set()

    def _carries(self, node: ast.expr, held: set[str]) -> bool:
        """Whether the expression is the state itself, or a copy or negligible rewriting of it."""
        match node:
            case ast.Attribute(attr=attr):
                return attr in self.attributes and self._of_owner(node)
            case ast.Name(id=name):
                return name in held
            case ast.Call(func=ast.Name(id="set" | "frozenset" | "tuple" | "list" | "sorted" | "iter"), args=[inner]):
                return self._carries(inner, held)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(attr)), *_]):
                return attr in self.attributes
            case ast.BoolOp(values=[inner, *_]):
                return self._carries(inner, held)
            case ast.Subscript(value=inner):
                return self._carries(inner, held)
            case _:
                return False

    def _of_owner(self, node: ast.Attribute) -> bool:
        """A receiver whose annotation names another class is not the state's owner."""
        seen = self.prover.m.state_reads.get((self.info.path, node.lineno, node.col_offset))
        if seen is not None:
            return seen
        if not isinstance(node.value, ast.Name):
            return True
        if node.value.id == "self":
            owner = self.info.owner
            return owner is None or self.prover.m.is_owner(owner)
        arguments = self.info.node.args
        annotation = next(
            (
                a.annotation
                for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                if a.arg == node.value.id
            ),
            None,
        )
        return annotation is None or self._may_own(annotation)

    def _may_own(self, annotation: ast.expr) -> bool:
        m = self.prover.m
        names = {n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)}
        classes = [c for c in m.classes.values() if c.name in names]
        return not classes or any(m.is_owner(c) or any(c.field_annotation(a) for a in self.attributes) for c in classes)

    def readers(self) -> list[Reader]:
        found = []
        for node in self.nodes:
            if isinstance(node, ast.expr) and self._carries(node, self.held) and not self._only_part(node):
                reader = self._judge(node)
                if reader is not None:
                    found.append(reader)
        return found

    def _only_part(self, node: ast.expr) -> bool:
        """Judged as part of the larger expression that carries the state as well."""
        parent = self.parents.get(node)
        return isinstance(parent, ast.expr) and self._carries(parent, self.held) and not isinstance(parent, ast.BoolOp)

    def _judge(self, node: ast.expr) -> Reader | None:
        """Climb from the read to what hangs on it."""
        current: ast.AST = node
        tested = False
        while (parent := self.parents.get(current)) is not None:
            if isinstance(parent, ast.Call) and current is not parent.func:
                if not _tests(parent):
                    return None
                tested = True
            elif (isinstance(parent, ast.Attribute) and parent.attr in SET_TESTS) or isinstance(
                parent, ast.Compare | ast.UnaryOp | ast.BoolOp
            ):
                tested = True
            elif isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert) and current is parent.test:
                return None if self._only_shows(parent) else self._reader(node)
            elif (
                (isinstance(parent, ast.comprehension) and any(current is test for test in parent.ifs))
                or isinstance(parent, ast.match_case)
                or (isinstance(parent, ast.Match) and current is parent.subject)
            ):
                return self._reader(node)
            elif isinstance(parent, (ast.Return, ast.Lambda)):
                return self._reader(node) if tested else None
            elif isinstance(parent, ast.stmt):
                return self._assigned(parent, node) if tested else None
            current = parent
        return None

    def _assigned(self, statement: ast.stmt, node: ast.expr) -> Reader | None:
        """The outcome of a test that is kept: it counts where the variable is tested later."""
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            return None
        name = statement.targets[0].id
        for other in self.nodes:
            if isinstance(other, ast.If | ast.While | ast.IfExp) and any(
                isinstance(n, ast.Name) and n.id == name for n in ast.walk(other.test)
            ):
                return None if self._only_shows(other) else self._reader(node)
        return None

    def _only_shows(self, node: ast.If | ast.While | ast.IfExp | ast.Assert) -> bool:
        """Both arms only make a text: no way out, no capability, no call of the program that may reach one."""
        if isinstance(node, ast.Assert | ast.While):
            return False
        arms = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [*node.body, *node.orelse]
        inner = [n for arm in arms for n in ast.walk(arm)]
        names = {n.id for n in inner if isinstance(n, ast.Name)} | {
            n.attr for n in inner if isinstance(n, ast.Attribute)
        }
        if any(isinstance(n, EXITS) for n in inner) or names & self.prover.m.granting_names or names & self.seals:
            return False
        return not (isinstance(node, ast.IfExp) and self._to_seal(node))

    def _to_seal(self, node: ast.AST) -> bool:
        """Whether the expression ends in an argument of the seal, or in a variable that does."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call | ast.keyword):
            return True
        return isinstance(parent, ast.Assign) and any(
            isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in self.seals
            for call in self.nodes
        )

    def _reader(self, node: ast.expr) -> Reader:
        at = Place(self.info.path, node.lineno)
        return Reader(at, f"`{self.info.reference}` decides by `{ast.unparse(node)}`")


def _tests(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id in TRUTH
    return isinstance(call.func, ast.Attribute) and call.func.attr in SET_TESTS
