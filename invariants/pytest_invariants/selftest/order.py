"""Operators on the order of things: more is added after the filter, or the seal is asked when it is too late."""

from __future__ import annotations

import ast
import copy

from pytest_invariants.registry.model import Grant, VerdictKind
from pytest_invariants.selftest.answers import truth
from pytest_invariants.selftest.site import NotApplicable, Site, called_name

Listing = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def append_after(site: Site) -> None:
    """After the list that the seal has filtered, everything is added once more."""
    if site.seal.declared.kind is VerdictKind.FILTERS:
        site.replace(site.answered, _both(site.answered, site.subject()))
        return
    condition, listing = _condition(site)
    if condition is not None and listing is not None:
        site.replace(listing, _twice(listing, condition))
    else:
        _second_loop(site)


def _condition(site: Site) -> tuple[ast.expr | None, Listing | None]:
    """The filter of a comprehension that the answer decides, and the comprehension."""
    for node in site.parents(site.call):
        if isinstance(node, ast.comprehension):
            listing = site.parent(node)
            inside = [one for one in node.ifs if site.call in ast.walk(one)]
            if inside and isinstance(listing, Listing) and truth(inside[0], site, allows=True) is not None:
                return inside[0], listing
    return None, None


def _twice(listing: Listing, condition: ast.expr) -> ast.expr:
    unfiltered = copy.deepcopy(listing)
    for one, twin in zip(listing.generators, unfiltered.generators, strict=True):
        twin.ifs = [kept for old, kept in zip(one.ifs, twin.ifs, strict=True) if old is not condition]
    if isinstance(listing, ast.DictComp):
        return ast.Dict([None, None], [listing, unfiltered])
    if any(one.is_async for one in listing.generators) and isinstance(listing, ast.GeneratorExp):
        raise NotApplicable("the list is drawn asynchronously")
    if isinstance(listing, ast.SetComp):
        return ast.Set([ast.Starred(listing), ast.Starred(unfiltered)])
    return _both(listing, unfiltered)


def _both(first: ast.expr, second: ast.expr) -> ast.expr:
    return ast.List([ast.Starred(first), ast.Starred(copy.deepcopy(second))])


def _second_loop(site: Site) -> None:
    """A loop that leaves out what is sealed is run again without leaving anything out."""
    loop, branch = site.around(ast.For), site.statement
    if loop is None or not isinstance(branch, ast.If) or branch not in loop.body:
        raise NotApplicable("the question filters no list")
    left_out = len(branch.body) == 1 and isinstance(branch.body[0], ast.Continue) and not branch.orelse
    if not left_out or truth(branch.test, site, allows=True) is not False:
        raise NotApplicable("the question filters no list")
    again = copy.deepcopy(loop)
    del again.body[loop.body.index(branch)]
    site.put(loop, loop, again)


def grant_first(site: Site) -> None:
    """What the seal should forbid has been done by the time that it is asked."""
    statement = site.statement
    if not _refuses(statement):
        raise NotApplicable("the question is no statement that could be moved")
    block, position = site.block(statement)
    names = {
        capability.of.qualname.rpartition(".")[2]
        for capability in site.code.registry.capabilities
        if capability.grant is Grant.CALL and capability.of is not None
    }
    late = next((one for one in block[position + 1 :] if _calls(one, names)), None)
    if late is None:
        raise NotApplicable("nothing is exercised behind the question in the same block")
    _move_behind(site, statement, late)


def _refuses(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return True
    leaves = isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise | ast.Return)
    return leaves and isinstance(statement, ast.If) and not statement.orelse


def _calls(statement: ast.stmt, names: set[str]) -> bool:
    return any(isinstance(node, ast.Call) and called_name(node) in names for node in ast.walk(statement))


def _move_behind(site: Site, statement: ast.stmt, late: ast.stmt) -> None:
    site.put(statement)
    if isinstance(late, ast.Return) and late.value is not None:
        name = site.fresh("_done")
        early = ast.Assign([ast.Name(name, ast.Store())], late.value)
        site.put(late, early, statement, ast.Return(ast.Name(name)))
    else:
        site.put(late, late, statement)
