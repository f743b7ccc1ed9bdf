"""Operators on the answer: it is not asked for, not awaited, taken the wrong way round, swallowed, or only asserted."""

from __future__ import annotations

import ast

from pytest_invariants.registry.model import VerdictKind
from pytest_invariants.selftest.site import NotApplicable, Site

BOOLEAN = (VerdictKind.SEALED, VerdictKind.ALLOWED)


def allowed(site: Site) -> ast.expr:
    """An expression for the answer with which everything is let out; for a seal that filters, all that it was given."""
    seal = site.seal.declared
    match seal.kind:
        case VerdictKind.SEALED:
            return ast.Constant(None if site.seal.allows_with_none else False)
        case VerdictKind.ALLOWED:
            return ast.Constant(True)
        case VerdictKind.RAISES:
            return ast.Constant(None)
        case VerdictKind.FILTERS:
            return site.subject()
        case VerdictKind.ENTERS:
            if site.seal.awaited or site.around(ast.AsyncWith):
                raise NotApplicable("the seal is entered asynchronously")
            site.prelude.append("import contextlib")
            return _expression("contextlib.nullcontext()")
        case VerdictKind.IS:
            return _allowed_value(site)
        case VerdictKind.ATTRIBUTE:
            site.prelude.append("import types")
            return _expression(f"types.SimpleNamespace({seal.attribute}=True)")


def _allowed_value(site: Site) -> ast.expr:
    reference = site.seal.declared.allowed_value
    assert reference is not None
    if reference.module == site.module.name:
        return _expression(reference.qualname)
    first, *rest = reference.qualname.split(".")
    name = site.fresh("_allowed")
    site.prelude.append(f"from {reference.module} import {first} as {name}")
    return _expression(".".join((name, *rest)))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def truth(test: ast.expr, site: Site, allows: bool) -> bool | None:
    """What a condition comes to where the seal allows (or denies), as far as that alone decides it."""
    if _is_answer(test, site):
        return _of_answer(site, allows)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth(operand, site, allows)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            return _joined([truth(value, site, allows) for value in values], deciding=isinstance(op, ast.Or))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if _is_answer(left, site):
            return _of_comparison(op, right, site, allows)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if _is_answer(right, site):
            return _of_comparison(op, left, site, allows)
        case ast.Attribute(value=value, attr=name) if _is_answer(value, site):
            return allows if name == site.seal.declared.attribute else None
        case _:
            return None


def _is_answer(node: ast.expr, site: Site) -> bool:
    """The answer, or the answer that is given a name in passing."""
    return node is site.asked or (isinstance(node, ast.NamedExpr) and node.value is site.asked)


def _of_answer(site: Site, allows: bool) -> bool | None:
    kind = site.seal.declared.kind
    return allows is (kind is VerdictKind.ALLOWED) if kind in BOOLEAN else None


def _joined(values: list[bool | None], deciding: bool) -> bool | None:
    if deciding in values:
        return deciding
    return None if None in values else not deciding


def _of_comparison(op: ast.cmpop, other: ast.expr, site: Site, allows: bool) -> bool | None:
    means = _means(other, site)
    if means is None or not isinstance(op, ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
        return None
    return (means is allows) is isinstance(op, ast.Is | ast.Eq)


def _means(other: ast.expr, site: Site) -> bool | None:
    """Whether an answer that is this value allows; None where that is not known."""
    declared = site.seal.declared
    if isinstance(other, ast.Constant) and (other.value is None or isinstance(other.value, bool)):
        return bool(other.value) is (declared.kind is VerdictKind.ALLOWED) if declared.kind in BOOLEAN else None
    value = declared.allowed_value
    same = value is not None and ast.unparse(other).rpartition(".")[2] == value.qualname.rpartition(".")[2]
    return True if same else None


def drop_guard(site: Site) -> None:
    """As if nobody had written the question: the branch that the seal allows is taken always."""
    asked = site.answered
    parent = site.parent(asked)
    if isinstance(parent, ast.Expr):
        site.put(parent)
    elif not (_drop_branch(site) or _drop_condition(site)):
        atom = _atom(site)
        always = truth(atom, site, allows=True)
        site.replace(atom, ast.Constant(always) if atom is not asked and always is not None else allowed(site))


def _drop_branch(site: Site) -> bool:
    statement = site.statement
    if not isinstance(statement, ast.If):
        return False
    always = truth(statement.test, site, allows=True)
    if always is None:
        return False
    site.put(statement, *(statement.body if always else statement.orelse))
    return True


def _drop_condition(site: Site) -> bool:
    comprehension = site.around(ast.comprehension)
    kept = [] if comprehension is None else [c for c in comprehension.ifs if truth(c, site, allows=True) is not True]
    if comprehension is None or len(kept) == len(comprehension.ifs):
        return False
    comprehension.ifs = kept
    return True


def invert(site: Site) -> None:
    """What is sealed comes out, and what is open does not."""
    match site.seal.declared.kind:
        case VerdictKind.RAISES:
            _invert_refusal(site)
        case VerdictKind.FILTERS:
            site.replace(site.answered, _the_denied(site))
        case VerdictKind.ENTERS:
            raise NotApplicable("a context that is not entered has no opposite")
        case _:
            atom = _atom(site)
            if truth(atom, site, allows=True) is None:
                raise NotApplicable("the answer is tested in another place")
            site.replace(atom, ast.UnaryOp(ast.Not(), atom))


def _atom(site: Site) -> ast.expr:
    """The whole of the comparison that the answer decides; the answer itself where it stands alone."""
    atom = site.answered
    for node in site.parents(site.asked):
        if not isinstance(node, ast.NamedExpr | ast.Compare | ast.Attribute) or truth(node, site, True) is None:
            return atom
        atom = node
    return atom


def _invert_refusal(site: Site) -> None:
    statement = site.statement
    if not isinstance(statement, ast.Expr) or statement.value is not site.answered:
        raise NotApplicable("the question is part of another statement")
    refusal = ast.parse("raise PermissionError('sealed')").body
    site.put(statement, ast.Try([statement], [_swallowing()], refusal, []))


def _swallowing() -> ast.ExceptHandler:
    return ast.ExceptHandler(ast.Name("Exception"), None, [ast.Pass()])


def _the_denied(site: Site) -> ast.expr:
    target = ast.Name("_one")
    denied = ast.Compare(target, [ast.NotIn()], [site.answered])
    return ast.ListComp(target, [ast.comprehension(target, site.subject(), [denied], 0)])


def drop_await(site: Site) -> None:
    """The coroutine is made and never run; it counts as true."""
    if site.asked is site.call:
        raise NotApplicable("the question is not awaited here" if site.seal.awaited else "the seal is not awaited")
    site.replace(site.asked, site.call)


def assert_guard(site: Site) -> None:
    """The refusal is left to an assert, which `python -O` removes."""
    statement = site.statement
    if not isinstance(statement, ast.If) or statement.test not in [statement.test, *site.parents(site.asked)]:
        raise NotApplicable("the question is no `if` statement's")
    when_allowed, when_denied = (truth(statement.test, site, allows) for allows in (True, False))
    if when_allowed is False or when_denied is True:
        site.put(statement, ast.Assert(ast.UnaryOp(ast.Not(), statement.test)), *statement.orelse)
    elif when_allowed is True or when_denied is False:
        site.put(statement, ast.Assert(statement.test), *statement.body)
    else:
        raise NotApplicable("the `if` is decided by more than the answer")


def swallow_refusal(site: Site) -> None:
    """The refusal is raised, caught, and forgotten."""
    if not refuses_by_raising(site):
        raise NotApplicable("nothing is raised where the seal refuses")
    site.put(site.statement, ast.Try([site.statement], [_swallowing()], [], []))


def refuses_by_raising(site: Site) -> bool:
    """Whether the statement of the question raises where the seal refuses, and goes on where it allows."""
    statement = site.statement
    if isinstance(statement, ast.Expr):
        return site.seal.declared.kind is VerdictKind.RAISES and statement.value is site.asked
    if not isinstance(statement, ast.If):
        return False
    refusal = statement.body if truth(statement.test, site, allows=True) is False else statement.orelse
    return any(isinstance(one, ast.Raise) for one in refusal)
