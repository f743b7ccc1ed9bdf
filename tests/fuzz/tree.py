"""Programs as trees: a grammar of text templates, how a tree is drawn from it, and how it becomes source.

`grammar/README.md` describes the templates.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

HOLE = re.compile(r"<([a-z_]+)(!plain)?>")
WORDS = {"u", "a", "w", "s", "sa"}
Mode = frozenset[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to write a `sort`. `defs` go to the top of the module; `when` names what the program must be like."""

    sort: str
    text: str
    defs: str = ""
    weight: float = 1.0
    fault: bool = False
    state: bool = False
    when: Mode = frozenset()

    def size(self) -> int:
        return 10 + len(self.text) + len(self.defs)

    def holes(self) -> list[tuple[str, bool]]:
        found = [(match[1], bool(match[2])) for match in HOLE.finditer(self.text)]
        found += [(match[1], True) for match in HOLE.finditer(self.defs)]
        return [hole for hole in found if hole[0] not in WORDS]


@dataclass(frozen=True, slots=True)
class Node:
    rule: Rule
    kids: tuple[Node, ...]

    def size(self) -> int:
        """How much text it is, about."""
        return self.rule.size() + sum(kid.size() for kid in self.kids)

    def walk(self) -> Iterator[Node]:
        yield self
        for kid in self.kids:
            yield from kid.walk()


def inner(mode: Mode, plain: bool) -> Mode:
    return (mode - {"generator"}) | {"plain"} if plain else mode


def read_rules(folder: Path) -> list[Rule]:
    return [rule for path in sorted(folder.glob("*.txt")) for rule in _rules_of(path.read_text(encoding="utf-8"))]


def _rules_of(text: str) -> Iterator[Rule]:
    for part in re.split(r"^=== ", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        said, _, defs = body.strip("\n").partition("\n--- above\n")
        sort, *attributes = head.split()
        options = dict(attribute.split("=") for attribute in attributes if "=" in attribute)
        yield Rule(
            sort,
            said,
            defs,
            weight=float(options.get("weight", 1)),
            fault="fault" in attributes,
            state="state" in attributes,
            when=frozenset(options["when"].split(",") if "when" in options else ()),
        )


class Grammar:
    def __init__(self, rules: list[Rule]) -> None:
        self.rules: dict[str, list[Rule]] = {}
        for rule in rules:
            self.rules.setdefault(rule.sort, []).append(rule)
        unknown = {sort for rule in rules for sort, _ in rule.holes()} - set(self.rules)
        if unknown:
            raise ValueError(f"sorts without rules: {sorted(unknown)}")
        self.heights = cache(self._heights)
        self.shortest = cache(self._shortest)

    def allowed(self, sort: str, mode: Mode) -> list[Rule]:
        return [rule for rule in self.rules[sort] if rule.when <= mode]

    def _heights(self, mode: Mode) -> dict[tuple[str, bool], dict[int, int]]:
        """For each sort in each mode: how high the lowest tree of each rule is, where honest rules only fill it."""
        known: dict[tuple[str, bool], int] = {}
        while True:
            before = dict(known)
            for sort in self.rules:
                for plain in (False, True):
                    for rule in (rule for rule in self.allowed(sort, inner(mode, plain)) if not rule.fault):
                        below = [known.get((hole, plain or flat), 99) for hole, flat in rule.holes()]
                        height = 1 + max(below, default=0)
                        known[sort, plain] = min(known.get((sort, plain), 99), height)
            if known == before:
                break
        return {
            (sort, plain): {
                index: 1 + max((known[hole, plain or flat] for hole, flat in rule.holes()), default=0)
                for index, rule in enumerate(self.rules[sort])
                if rule.when <= inner(mode, plain)
                and all((hole, plain or flat) in known for hole, flat in rule.holes())
            }
            for sort in self.rules
            for plain in (False, True)
        }

    def choices(self, sort: str, mode: Mode, budget: int) -> list[Rule]:
        """The rules of `sort` that fit into `budget`; those as low as the lowest honest one where that does not fit."""
        heights = self.heights(mode)[sort, "generator" not in mode]
        lowest = min(height for index, height in heights.items() if not self.rules[sort][index].fault)
        return [self.rules[sort][i] for i, height in heights.items() if height <= max(budget, lowest)]

    def draw(self, sort: str, rng: random.Random, mode: Mode, budget: int, faultiness: float) -> Node:
        rules = self.choices(sort, mode, budget)
        weights = [rule.weight * (faultiness if rule.fault else 1.0) for rule in rules]
        if not any(weights):
            weights = [1.0] * len(rules)
        rule = rng.choices(rules, weights)[0]
        kids = [self.draw(hole, rng, inner(mode, plain), budget - 1, faultiness) for hole, plain in rule.holes()]
        return Node(rule, tuple(kids))

    def _shortest(self, mode: Mode) -> dict[tuple[str, bool], Node]:
        """For each sort the honest tree with the least text."""
        known: dict[tuple[str, bool], Node] = {}
        while True:
            before = dict(known)
            for sort, plain in itertools.product(self.rules, (False, True)):
                for rule in self.allowed(sort, inner(mode, plain)):
                    holes = [(hole, plain or flat) for hole, flat in rule.holes()]
                    if rule.fault or not all(hole in known for hole in holes):
                        continue
                    node = Node(rule, tuple(known[hole] for hole in holes))
                    if (sort, plain) not in known or node.size() < known[sort, plain].size():
                        known[sort, plain] = node
            if known == before:
                return known

    def smallest(self, sort: str, mode: Mode) -> Node:
        return self.shortest(mode)[sort, "generator" not in mode]


@dataclass(frozen=True, slots=True)
class Program:
    """A drawn program: the kind of its seal, whether it is asynchronous, and its tree."""

    mode: Mode
    root: Node

    @property
    def kind(self) -> str:
        return next(tag.partition(":")[2] for tag in self.mode if tag.startswith("kind:"))

    @property
    def stateful(self) -> bool:
        return any(node.rule.state for node in self.root.walk())

    @property
    def layout(self) -> str:
        """How the program is spread over modules: "one", or the way in which the doors import the rest."""
        return next((tag.partition(":")[2] for tag in self.mode if tag.startswith("layout:")), "one")

    def with_root(self, root: Node) -> Program:
        return replace(self, root=root)


class Writer:
    """Turns a tree into text; definitions that are hoisted to the module gather in `defs`."""

    def __init__(self, mode: Mode) -> None:
        self.mode, self.defs, self.count = mode, list[str](), 0

    def write(self, node: Node, plain: bool) -> str:
        self.count += 1
        words = self._words(self.count)
        kids = iter(node.kids)
        text = self._fill(node.rule.text, kids, words, plain)
        if node.rule.defs:
            self.defs.append(self._fill(node.rule.defs, kids, words, True))
        return text

    def _words(self, number: int) -> dict[str, str]:
        running, sealing = "async" in self.mode, "seal-async" in self.mode
        return {
            "u": str(number),
            "a": "async " if running else "",
            "w": "await " if running else "",
            "sa": "async " if sealing else "",
            "s": "await " if sealing else "",
        }

    def _fill(self, text: str, kids: Iterator[Node], words: dict[str, str], plain: bool) -> str:
        lines = []
        for line in text.split("\n"):
            indent = line[: len(line) - len(line.lstrip())]

            def fill(match: re.Match[str], indent: str = indent) -> str:
                if match[1] in WORDS:
                    return words[match[1]]
                return self.write(next(kids), plain or bool(match[2])).replace("\n", "\n" + indent)

            lines.append(speak(HOLE.sub(fill, line), plain))
        return "\n".join(lines)


def speak(text: str, plain: bool) -> str:
    """Resolve the words for letting out, which differ between functions and generators."""
    if plain:
        text = re.sub(r"^( *)RETURN ", r"\1return ", text, flags=re.M)
        text = re.sub(r"^( *)STOP$", r"\1return None", text, flags=re.M)
        return re.sub(r"^( *)EMIT (.*)$", r"\1lines.append(\2)", text, flags=re.M)
    text = re.sub(r"^( *)RETURN (.*)$", r"\1yield \2\n\1return", text, flags=re.M)
    text = re.sub(r"^( *)STOP$", r"\1return", text, flags=re.M)
    return re.sub(r"^( *)EMIT ", r"\1yield ", text, flags=re.M)
