"""Where an expression stands: its module, its chain of frames, its function and class."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from pytest_invariants.program.code import ClassInfo, FunctionInfo
from pytest_invariants.verdict import Place


def module_frame(module: str) -> str:
    return f"module {module}"


@dataclass(frozen=True, slots=True)
class Scope:
    """`chain` lists the frames that names are looked up in, innermost last."""

    module: str
    path: str
    chain: tuple[str, ...]
    info: FunctionInfo | None = None
    owner: ClassInfo | None = None
    qualname: str = ""
    statement: int = 1

    @property
    def frame(self) -> str:
        return self.chain[-1]

    def at(self, node: ast.AST) -> Place:
        return Place(self.path, getattr(node, "lineno", self.statement))

    @property
    def here(self) -> Place:
        """The statement that is being executed."""
        return Place(self.path, self.statement)

    def on(self, statement: ast.stmt) -> Scope:
        return Scope(self.module, self.path, self.chain, self.info, self.owner, self.qualname, statement.lineno)

    def inside(self, frame: str) -> Scope:
        """A comprehension's own scope."""
        return replace(self, chain=(*self.chain, frame))
