"""Random doors without data, each with its control-flow graph: an oracle for what the prover says of reaching a grant.

All conditions differ, so every path of the graph can be taken. A door is sealed where no grant can be reached once the
nodes are gone at which the seal has said yes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import networkx as nx

HEAD = """from agent.seal import sealed
from agent.store import STORE
from agent.turn import Refused


def check(skill, turn):
    if sealed(skill.categories, turn.category):
        raise Refused(skill.name)


def door(turn, name):
    skill = STORE.get(name)
    if skill is None:
        return None
"""
IN_CHECK = 7
"""The line at which `check` asks the seal."""


@dataclass
class Door:
    """`passes` maps the nodes after a yes to the line that asked; `grants` are the nodes that let something out."""

    text: str
    graph: nx.DiGraph
    passes: dict[int, int]
    grants: list[int]

    def lets_out(self, without: set[int]) -> bool:
        """Whether a grant can be reached from the entry where these nodes are gone."""
        left = self.graph.subgraph(node for node in self.graph if node not in without)
        reached = nx.descendants(left, 0)
        return any(grant in reached for grant in self.grants)

    def dominating(self) -> set[int]:
        """The lines of questions whose yes lies on every path to every grant that can be reached at all."""
        parents = nx.immediate_dominators(self.graph, 0)
        chains = [self._chain(parents, grant) for grant in self.grants if grant in parents]
        return {line for node, line in self.passes.items() if chains and all(node in chain for chain in chains)}

    def _chain(self, parents: dict[int, int], node: int) -> set[int]:
        chain = {node}
        while (above := parents.get(node)) not in (None, node):
            chain.add(above)
            node = above
        return chain


@dataclass
class _Loop:
    head: int
    after: int


@dataclass
class Draw:
    """Writes a door and draws its graph at once. A block is given the node it begins at and gives the one it ends at."""

    rng: random.Random
    lines: list[str] = field(default_factory=lambda: HEAD.rstrip("\n").split("\n"))
    graph: nx.DiGraph = field(default_factory=nx.DiGraph)
    passes: dict[int, int] = field(default_factory=dict)
    grants: list[int] = field(default_factory=list)
    tests: int = 0

    def door(self) -> Door:
        self.graph.add_node(0)
        end = self.block(0, 1, 2, None)
        if end is not None:
            self.grant(end, 1)
        return Door("\n".join(self.lines) + "\n", self.graph, self.passes, self.grants)

    def node(self, before: int) -> int:
        new = len(self.graph)
        self.graph.add_edge(before, new)
        return new

    def write(self, depth: int, text: str) -> int:
        self.lines.append("    " * depth + text)
        return len(self.lines)

    def condition(self) -> str:
        self.tests += 1
        return f"turn.flag_{self.tests}"

    def block(self, node: int, depth: int, size: int, loop: _Loop | None) -> int | None:
        """One to three statements; None where none of them goes on."""
        current: int | None = node
        for _ in range(self.rng.randint(1, 3)):
            if current is None:
                break
            kinds = [self.leave, self.guard, self.guard, self.tried, self.granted]
            if size:
                kinds += [self.branch, self.branch, self.asked, self.loop]
            if loop is not None:
                kinds += [self.jump]
            current = self.rng.choice(kinds)(current, depth, size - 1, loop)
        return current

    def leave(self, node: int, depth: int, _size: int, _loop: _Loop | None) -> int:
        self.write(depth, f"if {self.condition()}:")
        self.write(depth + 1, "return None")
        return self.node(node)

    def guard(self, node: int, depth: int, _size: int, _loop: _Loop | None) -> int:
        line = self.write(depth, "if sealed(skill.categories, turn.category):")
        self.write(depth + 1, self.rng.choice(["return None", "raise Refused(name)"]))
        return self.passed(node, line)

    def passed(self, node: int, line: int) -> int:
        yes = self.node(node)
        self.passes[yes] = line
        return yes

    def tried(self, node: int, depth: int, _size: int, _loop: _Loop | None) -> int:
        """A check that raises; the handler leaves, or swallows the refusal."""
        swallows = self.rng.random() < 0.3
        self.write(depth, "try:")
        self.write(depth + 1, "check(skill, turn)")
        self.write(depth, "except Refused:")
        self.write(depth + 1, "pass" if swallows else "return None")
        yes = self.passed(node, IN_CHECK)
        after = self.node(yes)
        if swallows:
            self.graph.add_edge(node, after)
        return after

    def granted(self, node: int, depth: int, _size: int, _loop: _Loop | None) -> int:
        self.write(depth, f"if {self.condition()}:")
        self.grant(self.node(node), depth + 1)
        return self.node(node)

    def grant(self, node: int, depth: int) -> None:
        self.write(depth, "return skill.body")
        self.grants.append(self.node(node))

    def branch(self, node: int, depth: int, size: int, loop: _Loop | None) -> int | None:
        self.write(depth, f"if {self.condition()}:")
        ends = [self.block(self.node(node), depth + 1, size, loop)]
        if self.rng.random() < 0.5:
            self.write(depth, "else:")
            ends.append(self.block(self.node(node), depth + 1, size, loop))
        else:
            ends.append(node)
        return self.join(ends)

    def asked(self, node: int, depth: int, size: int, loop: _Loop | None) -> int | None:
        line = self.write(depth, "if not sealed(skill.categories, turn.category):")
        return self.join([self.block(self.passed(node, line), depth + 1, size, loop), node])

    def loop(self, node: int, depth: int, size: int, _loop: _Loop | None) -> int:
        head = self.node(node)
        after = self.node(head)
        self.write(depth, self.rng.choice([f"while {self.condition()}:", "for _ in turn.loaded:"]))
        end = self.block(self.node(head), depth + 1, size, _Loop(head, after))
        if end is not None:
            self.graph.add_edge(end, head)
        return after

    def jump(self, node: int, depth: int, _size: int, loop: _Loop | None) -> int:
        assert loop is not None
        word = self.rng.choice(["break", "continue"])
        self.write(depth, f"if {self.condition()}:")
        self.write(depth + 1, word)
        self.graph.add_edge(node, loop.after if word == "break" else loop.head)
        return self.node(node)

    def join(self, ends: list[int | None]) -> int | None:
        going = [end for end in ends if end is not None]
        if not going:
            return None
        after = self.node(going[0])
        self.graph.add_edges_from((end, after) for end in going)
        return after


def draw(seed: int) -> Door:
    return Draw(random.Random(seed)).door()
