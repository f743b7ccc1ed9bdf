"""Make a program smaller as long as it stays wrong in the same way: delta debugging on the tree it was drawn as."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.fuzz import generate
from tests.fuzz.tree import Grammar, Mode, Node, Program, inner


def shrink(program: Program, still_wrong: Callable[[Program], bool], attempts: int = 2000) -> Program:
    """The smallest program that greedy replacement finds. `still_wrong` is asked at most `attempts` times."""
    improved = True
    while improved:
        improved = False
        for candidate in candidates(generate.GRAMMAR, program):
            attempts -= 1
            if attempts < 0:
                return program
            if generate.compiles(candidate) and still_wrong(candidate):
                program, improved = candidate, True
                break
    return program


def candidates(grammar: Grammar, program: Program) -> Iterator[Program]:
    """Smaller programs, the much smaller ones first."""
    found = [program.with_root(root) for root in smaller(grammar, program.root, program.mode)]
    yield from sorted(found, key=lambda candidate: candidate.root.size())
    yield from (other for other in simpler_modes(program) if suits(other.root, other.mode))


SHAPES = {"named", "browse", "listing", "deliver", "soup"}
"""Sorts whose rule is kept: exchanged for another it would often become another mistake, one that is known already."""

LESS = [("generator", "plain"), ("async", "sync"), ("seal-async", None), ("deeds", None)]
LESS += [(f"layout:{layout}", None) for layout in ("names", "star", "package")]


def simpler_modes(program: Program) -> Iterator[Program]:
    for old, new in LESS:
        if old in program.mode:
            dropped = {old, "seal-async"} if old == "async" else {old}
            yield Program((program.mode - dropped) | ({new} if new else set()), program.root)


def smaller(grammar: Grammar, node: Node, mode: Mode) -> Iterator[Node]:
    """Trees with one subtree replaced: by a leaf of its sort, by a part of itself of that sort, by a simpler rule."""
    yield from replacements(grammar, node, mode)
    for index, (kid, (_, plain)) in enumerate(zip(node.kids, node.rule.holes(), strict=True)):
        for other in smaller(grammar, kid, inner(mode, plain)):
            yield Node(node.rule, (*node.kids[:index], other, *node.kids[index + 1 :]))


def replacements(grammar: Grammar, node: Node, mode: Mode) -> Iterator[Node]:
    found = [grammar.smallest(node.rule.sort, mode)]
    found += [part for part in node.walk() if part is not node and part.rule.sort == node.rule.sort]
    for rule in grammar.allowed(node.rule.sort, mode) if node.rule.sort not in SHAPES else ():
        kids = [
            next((part for part in node.walk() if part is not node and part.rule.sort == hole), None)
            or grammar.smallest(hole, inner(mode, plain))
            for hole, plain in rule.holes()
        ]
        found.append(Node(rule, tuple(kids)))
    yield from (other for other in found if other.size() < node.size() and suits(other, mode))


def suits(node: Node, mode: Mode) -> bool:
    """Whether each rule of a tree may be used where it stands."""
    return node.rule.when <= mode and all(
        suits(kid, inner(mode, plain)) for kid, (_, plain) in zip(node.kids, node.rule.holes(), strict=True)
    )
