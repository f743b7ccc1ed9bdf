"""How large a YAML text is once its aliases are followed, counted before anything is built of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import yaml

from pytest_invariants.registry.problems import Problem, RegistryError, quoted

MAX_DEPTH = 40
"""A registry nests six deep."""
MAX_NODES = 100_000
"""A registry of a thousand surfaces has some seven thousand nodes."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class _Size:
    """A node's nodes, itself included, and how many levels they make."""

    nodes: int = 1
    depth: int = 1
    anchor: str | None = None


@dataclass
class Census:
    """Walks the events of a text, so that deep nesting and aliases that multiply cost no more than their bytes."""

    path: str
    documents: int = 0
    begun: list[_Size] = field(default_factory=list)
    anchors: dict[str, _Size | None] = field(default_factory=dict)
    """None while what the anchor names has not ended."""

    def take(self, text: str) -> None:
        """Count.

        :raises RegistryError: for a second document, for aliases that name nothing or what they stand in, for an
            anchor that stands twice, and beyond the limits.
        :raises yaml.YAMLError: where the text is no YAML.
        """
        for event in yaml.parse(text, Loader=LOADER):
            if isinstance(event, yaml.DocumentStartEvent):
                self._open_document(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close(self.begun.pop(), event)
            elif isinstance(event, yaml.AliasEvent):
                self._follow(event)
            elif isinstance(event, yaml.NodeEvent):
                self._open(event)

    def _open_document(self, event: yaml.Event) -> None:
        self.documents += 1
        if self.documents > 1:
            self._refuse(event, "a second document begins here", "keep one: remove the line `---` and what is too much")

    def _open(self, event: yaml.NodeEvent) -> None:
        size = _Size(anchor=event.anchor)
        if event.anchor in self.anchors:
            self._refuse(event, f"the anchor {quoted('&' + event.anchor)} stands twice", "rename one of them")
        if event.anchor:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.CollectionStartEvent):
            self._limit(size, event)
            self.begun.append(size)
        else:
            self._close(size, event)

    def _follow(self, event: yaml.AliasEvent) -> None:
        alias = quoted(f"*{event.anchor}")
        if event.anchor not in self.anchors:
            self._refuse(event, f"the alias {alias} names nothing above it", "define it first, or put it in quotes")
        target = self.anchors[str(event.anchor)]
        if target is None:
            self._refuse(event, f"the alias {alias} stands inside what it names", "write the value out")
        else:
            self._close(_Size(target.nodes, target.depth), event)

    def _close(self, size: _Size, event: yaml.Event) -> None:
        if size.anchor:
            self.anchors[size.anchor] = size
        self._limit(size, event)
        if self.begun:
            parent = self.begun[-1]
            parent.nodes += size.nodes
            parent.depth = max(parent.depth, size.depth + 1)

    def _limit(self, size: _Size, event: yaml.Event) -> None:
        if len(self.begun) + size.depth > MAX_DEPTH:
            self._refuse(event, f"the file nests deeper than {MAX_DEPTH} levels", "a registry needs six: flatten it")
        if size.nodes + (self.begun[-1].nodes if self.begun else 0) > MAX_NODES:
            remedy = "split the registry, or write out what the aliases multiply"
            self._refuse(event, f"the file has more than {MAX_NODES:,} values once its aliases are followed", remedy)

    def _refuse(self, event: yaml.Event, message: str, remedy: str) -> None:
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise RegistryError([Problem(self.path, line, column, message, remedy)])
