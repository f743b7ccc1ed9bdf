"""The program under judgement: the modules that can matter, parsed when they are first needed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pytest_invariants.program.bodies import Read
from pytest_invariants.registry.model import Reference, Registry
from pytest_invariants.source.files import Source, Unreadable, find_sources, parse, read_bytes
from pytest_invariants.source.relevance import Related, group_of, related


@dataclass
class Program:
    """The modules of the registry's code roots, by dotted name, that have to do with what the registry names.

    `files` and `lines` count all of them; `related` says which were kept, and `apart` gives the top-level packages that were
    only searched, each with the folder that it fills, or the file that it is.
    """

    sources: dict[str, Source]
    trees: dict[str, ast.Module] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    lines: int = 0
    contents: dict[str, bytes] = field(default_factory=dict)
    files: int = 0
    related: Related | None = None
    apart: Mapping[str, frozenset[str]] = field(default_factory=dict)
    read: Read = field(default_factory=Read)

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
        program.files = len(program.sources)
        program._keep(related(program.contents, named_modules(registry), _last(registry.seal.function)))
        return program

    def _keep(self, kept: Related) -> None:
        """Leave out what cannot matter."""
        self.related = kept
        self.apart = _folders(source for source in self.sources.values() if not kept.includes(source.module))
        self.sources = {module: source for module, source in self.sources.items() if kept.includes(module)}
        self.contents = {module: content for module, content in self.contents.items() if kept.includes(module)}

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
        self.read.watch(self.sources[module].path, outcome)
        self.trees[module] = outcome
        return outcome

    def has(self, module: str) -> bool:
        return module in self.sources

    def is_package_prefix(self, module: str) -> bool:
        """A namespace package: no file of its own, but modules below it."""
        return module in self._prefixes

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        names = [name.split(".") for name in self.sources]
        return frozenset(".".join(parts[:end]) for parts in names for end in range(1, len(parts)))

    def resolve_relative(self, module: str, level: int, target: str | None) -> str:
        """The absolute name that `from ..target import x` means inside `module`."""
        if not level:
            return target or ""
        parts = module.split(".")
        if not self.sources[module].package:
            parts = parts[:-1]
        parts = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*parts, *([target] if target else [])])


def _folders(sources: Iterable[Source]) -> dict[str, frozenset[str]]:
    """For each top-level package its folders, with a slash at the end, or its file."""
    found: dict[str, set[str]] = {}
    for source in sources:
        parts = source.path.split("/")
        below = source.module.count(".") + source.package
        folder = "/".join(parts[: len(parts) - below]) + "/" if below else source.path
        found.setdefault(group_of(source.module), set()).add(folder)
    return {group: frozenset(folders) for group, folders in sorted(found.items())}


def named_modules(registry: Registry) -> set[str]:
    """The modules of everything that a registry names, but for those that only a run needs."""
    return {reference.module for reference in _references(registry) if reference is not None}


def _references(registry: Registry) -> Iterator[Reference | None]:
    seal = registry.seal
    yield from (seal.function, seal.allowed_value, *seal.aliases, *seal.principal.values(), *seal.state)
    for capability in registry.capabilities:
        yield from (capability.of, capability.decorated)
    yield from (surface.function for surface in registry.surfaces)
    yield from (row.function for row in registry.exempt)
    yield from (relation.of for relation in registry.relations)
    yield from (cache.of for cache in registry.caches)
    yield from registry.open_classes


def _last(reference: Reference) -> str:
    return reference.qualname.rpartition(".")[2]
