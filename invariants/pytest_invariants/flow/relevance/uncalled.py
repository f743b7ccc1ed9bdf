"""Whether a function only looks at what it is given for a parameter, and never calls it or hands it on to who might."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.values import Foreign, Func, Value
from pytest_invariants.program.code import FunctionInfo
from pytest_invariants.program.nodes import below, children

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

LOOKS = frozenset(
    "builtins." + name
    for name in ("callable", "isinstance", "issubclass", "hasattr", "type", "id", "repr", "str", "hash", "bool")
)
"""Builtins that look at a function without calling it."""
LOOKING_MODULES = ("inspect.", "typing.", "typing_extensions.", "types.")


class Uncalled:
    """Answers for parameters of functions; answers are kept."""

    def __init__(self, m: Analysis) -> None:
        self.m = m
        self._known: dict[tuple[FunctionInfo, str], bool] = {}

    def parameter(self, info: FunctionInfo, name: str) -> bool:
        """Whether the value of this parameter is only looked at."""
        key = (info, name)
        if key not in self._known:
            self._known[key] = True  # what a function hands to itself it calls nowhere else
            self._known[key] = self._only_looked_at(info, name)
        return self._known[key]

    def only_read(self, info: FunctionInfo, name: str) -> bool:
        """Whether all that is done with the value of a variable is to read or write its attributes, or to look at it."""
        key = (info, f"{name}.")
        if key not in self._known:
            parents, uses = _uses(info, name)
            self._known[key] = all(
                (isinstance(parents[node], ast.Attribute) or self._looks(info, node, parents[node], parents))
                and isinstance(node.ctx, ast.Load)
                for node in uses
            )
        return self._known[key]

    def _only_looked_at(self, info: FunctionInfo, name: str) -> bool:
        parents, uses = _uses(info, name)
        return all(isinstance(node.ctx, ast.Load) and self._looks(info, node, parents[node], parents) for node in uses)

    def _looks(self, info: FunctionInfo, node: ast.expr, parent: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
        match parent:
            case ast.Attribute(attr=attribute, ctx=ast.Load()):
                above = parents[parent]
                called = isinstance(above, ast.Call) and above.func is parent
                return attribute.startswith("__") and attribute.endswith("__") and not called
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
                return True
            case ast.Call(func=function, args=arguments) if node in arguments:
                return self._handed(info, function, arguments.index(node))
            case ast.Compare() | ast.UnaryOp() | ast.BoolOp() | ast.If() | ast.IfExp() | ast.FormattedValue():
                return not isinstance(parent, ast.BoolOp | ast.IfExp) or isinstance(
                    parents[parent], ast.If | ast.UnaryOp
                )
            case _:
                return False

    def _handed(self, info: FunctionInfo, function: ast.expr, position: int) -> bool:
        value = self._global(info, function)
        if isinstance(value, Foreign):
            return value.path in LOOKS or value.path.startswith(LOOKING_MODULES)
        if isinstance(value, Func) and len(value.chain) == 1:
            spec = value.info.node.args
            names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
            return position < len(names) and self.parameter(value.info, names[position])
        return False

    def _global(self, info: FunctionInfo, function: ast.expr) -> Value | None:
        scope = self.m.scope_of_module(info.module)
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in info.locals:
            return None
        frame = self.m.world.frame(module_frame(info.module))
        if root.id not in frame:
            return Foreign(path=f"builtins.{root.id}") if root is function else None
        found = self.m.evaluate_quietly(function, self.m.world, scope)
        return found[0][0] if len(found) == 1 else None


def _uses(info: FunctionInfo, name: str) -> tuple[dict[ast.AST, ast.AST], list[ast.Name]]:
    """The node above each node of a function, and the places where a variable stands."""
    parents = {child: node for node in below(info.node) for child in children(node)}
    return parents, [node for node in parents if isinstance(node, ast.Name) and node.id == name]
