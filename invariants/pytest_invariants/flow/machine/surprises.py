"""Exceptions that a statement may raise by surprise, by what it is made of."""

from __future__ import annotations

import ast

ANYTHING = "builtins.Exception"
KINDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Attribute: ("builtins.AttributeError",),
    ast.Subscript: ("builtins.LookupError", "builtins.TypeError"),
    ast.BinOp: ("builtins.ArithmeticError", "builtins.TypeError"),
    ast.AugAssign: ("builtins.ArithmeticError", "builtins.TypeError"),
    ast.Compare: ("builtins.TypeError",),
    ast.FormattedValue: ("builtins.ValueError", "builtins.TypeError"),
    ast.For: ("builtins.TypeError",),
    ast.AsyncFor: (ANYTHING,),
    ast.With: ("builtins.TypeError",),
    ast.AsyncWith: (ANYTHING,),
    ast.Delete: ("builtins.LookupError", "builtins.NameError"),
    ast.Starred: ("builtins.TypeError",),
    ast.Await: (ANYTHING,),
}
WHOLE = (ast.Try, ast.TryStar, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Raise)
"""Statements that raise nothing of their own, or say themselves what they raise."""


def surprises(node: ast.stmt, seals: set[str]) -> list[str]:
    """The classes of what may be raised in the statement itself, not in its blocks. The seal's own failure is modelled where
    it is called."""
    if isinstance(node, WHOLE):
        return []
    parts = [part for head in _heads(node) for part in ast.walk(head)]
    kinds = dict.fromkeys(kind for part in [node, *parts] for kind in _kinds(part, seals))
    return [ANYTHING] if ANYTHING in kinds else list(kinds)


def _heads(node: ast.stmt) -> list[ast.AST]:
    if isinstance(node, ast.Match):
        return [node.subject, *(case.guard for case in node.cases if case.guard is not None)]
    if isinstance(node, ast.With | ast.AsyncWith):
        return list(node.items)
    if hasattr(node, "body"):
        return [part for _, part in ast.iter_fields(node) if isinstance(part, ast.AST)]
    return [node]


def _kinds(part: ast.AST, seals: set[str]) -> tuple[str, ...]:
    match part:
        case ast.Call(func=function):
            return () if _name(function) in seals else (ANYTHING,)
        case ast.Compare(ops=ops) if all(isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) for op in ops):
            return ()
        case ast.Assign(targets=targets) if any(isinstance(t, ast.Tuple | ast.List) for t in targets):
            return ("builtins.ValueError", "builtins.TypeError")
        case _:
            return KINDS.get(type(part), ())


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
