"""The program under judgement: its modules, parsed when they are first needed."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pytest_invariants.registry.model import Registry
from pytest_invariants.source.files import Source, Unreadable, find_sources, parse, read_bytes


@dataclass
class Program:
    """All modules of the registry's code roots, by dotted name."""

    sources: dict[str, Source]
    trees: dict[str, ast.Module] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    lines: int = 0
    contents: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def load(cls, registry: Registry) -> Program:
        program = cls({source.module: source for source in find_sources(registry.root, registry.code)})
        for source in program.sources.values():
            content = read_bytes(source)
            if isinstance(content, Unreadable):
                program.unreadable.append(content)
                continue
            program.lines += content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
            program.contents[source.module] = content
        return program

    def tree(self, module: str) -> ast.Module | None:
        """The module's syntax tree; None where there is no such module or it does not parse."""
        if module in self.trees:
            return self.trees[module]
        if module not in self.contents:
            return None
        outcome = parse(self.sources[module], self.contents.pop(module))
        if isinstance(outcome, Unreadable):
            self.unreadable.append(outcome)
            return None
        self.trees[module] = outcome
        return outcome

    def has(self, module: str) -> bool:
        return module in self.sources

    def is_package_prefix(self, module: str) -> bool:
        """A namespace package: no file of its own, but modules below it."""
        prefix = module + "."
        return any(name.startswith(prefix) for name in self.sources)

    def resolve_relative(self, module: str, level: int, target: str | None) -> str:
        """The absolute name that `from ..target import x` means inside `module`."""
        if not level:
            return target or ""
        parts = module.split(".")
        if not self.sources[module].package:
            parts = parts[:-1]
        parts = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*parts, *([target] if target else [])])
