"""A first reading of a code base: its functions and classes, and what a name means where it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from pytest_invariants.scaffold.bindings import aliases, instances, own_attributes
from pytest_invariants.source.files import Unreadable, find_sources, parse, read_bytes
from pytest_invariants.verdict import Place

Node: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_MOST_HOPS = 8
"""Re-exports that are followed before a name is given up."""


@dataclass(frozen=True)
class Function:
    """A function or method; `owner` is the class that it is a method of."""

    ref: str
    path: str
    node: Node = field(compare=False, repr=False)
    owner: str | None = None

    @property
    def module(self) -> str:
        return self.ref.partition(":")[0]

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def place(self) -> Place:
        return Place(self.path, self.node.lineno)

    @property
    def public(self) -> bool:
        return not any(part.startswith("_") for part in self.ref.partition(":")[2].split("."))

    @cached_property
    def parameters(self) -> dict[str, ast.expr | None]:
        """The parameters with their annotations, the receiver left out."""
        spec = self.node.args
        every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        skipped = 1 if self.owner and not self._is_static else 0
        return {each.arg: each.annotation for each in every[skipped:]}

    @property
    def _is_static(self) -> bool:
        return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in self.node.decorator_list)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the function's own body, in the order of the text; nested functions are left out."""
        return [node for statement in self.node.body for node in _own(statement)]


def _own(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(child)


@dataclass
class Class:
    """A class: the annotations of its fields, its methods and properties by name, and its bases as written."""

    ref: str
    path: str
    node: ast.ClassDef
    fields: dict[str, ast.expr | None] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)

    @property
    def module(self) -> str:
        return self.ref.partition(":")[0]


class Survey:
    """All functions, classes and imports below the code roots. Names resolve to `module:qualname`, ours or foreign."""

    def __init__(self, root: Path, code: tuple[str, ...]) -> None:
        self.root = root
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.trees: dict[str, ast.Module] = {}
        self.paths: dict[str, str] = {}
        self.unreadable: list[Unreadable] = []
        self.calls: dict[str, list[ast.Call]] = {}
        self.assigned: dict[str, list[ast.Assign | ast.AnnAssign]] = {}
        self.imported: dict[str, set[str]] = {}
        """The modules that a module imports, by their absolute names."""
        self.aliases: dict[str, ast.expr] = {}
        """What may be a name for a type: unions and subscripts that are bound at the top of a module."""
        self.instances: dict[str, ast.expr] = {}
        """Of objects that are bound at the top of a module: the annotation, or the class that was called."""
        self._imports: dict[str, dict[str, str]] = {}
        self._lines: dict[str, tuple[str, ...]] = {}
        self._packages: set[str] = set()
        for source in find_sources(root, code):
            content = read_bytes(source)
            tree = content if isinstance(content, Unreadable) else parse(source, content)
            if isinstance(tree, Unreadable):
                self.unreadable.append(tree)
                continue
            self.trees[source.module], self.paths[source.module] = tree, source.path
            self._packages |= {source.module} if source.package else set()
        self.tops = {module.partition(".")[0] for module in self.trees}
        for module, tree in self.trees.items():
            self._sort(module, list(ast.walk(tree)))
            self._define(module, "", tree, None)

    def _sort(self, module: str, nodes: list[ast.AST]) -> None:
        """Keep by their kind what is asked for again and again, so that no tree is walked twice."""
        self._imports[module] = dict(self._imported(module, nodes))
        self.calls[module] = [node for node in nodes if isinstance(node, ast.Call)]
        self.assigned[module] = [node for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
        self.aliases |= dict(aliases(module, self.trees[module]))
        self.instances |= dict(instances(module, self.trees[module]))
        whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        parts = {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
        self.imported[module] = whole | parts

    def _define(self, module: str, prefix: str, node: ast.AST, owner: Class | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define_function(module, prefix, child, owner)
            elif isinstance(child, ast.ClassDef):
                made = Class(f"{module}:{prefix}{child.name}", self.paths[module], child)
                self.classes[made.ref] = made
                self._define(module, f"{prefix}{child.name}.", child, made)
            elif owner is not None and isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
                owner.fields[child.target.id] = child.annotation
            elif isinstance(child, ast.stmt):
                self._define(module, prefix, child, owner)

    def _define_function(self, module: str, prefix: str, node: Node, owner: Class | None) -> None:
        made = Function(f"{module}:{prefix}{node.name}", self.paths[module], node, owner.ref if owner else None)
        self.functions.setdefault(made.ref, made)
        if owner is not None:
            owner.methods.setdefault(node.name, made)
            for name, annotation in own_attributes(node):
                if owner.fields.get(name) is None:
                    owner.fields[name] = annotation
        self._define(module, f"{prefix}{node.name}.<locals>.", node, None)

    def _imported(self, module: str, nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
            elif isinstance(node, ast.ImportFrom):
                source = self._absolute(module, node)
                for alias in node.names:
                    whole = f"{source}.{alias.name}"
                    yield alias.asname or alias.name, whole if whole in self.trees else f"{source}:{alias.name}"

    def _absolute(self, module: str, node: ast.ImportFrom) -> str:
        parts = module.split(".")
        above = node.level - (1 if module in self._packages else 0)
        base = parts[: len(parts) - above] if node.level else []
        return ".".join([*base, *([node.module] if node.module else [])])

    # What a name means

    def meaning(self, module: str, expression: ast.expr) -> str | None:
        """`module:qualname` of a name or a dotted name; None where it is no name of a module."""
        match expression:
            case ast.Name(id=name):
                return self._symbol(module, name)
            case ast.Attribute(value=value, attr=attr) if not isinstance(value, ast.Constant):
                base = self.meaning(module, value)
                return None if base is None else self._member(base, attr)
            case ast.Constant(value=str(text)):
                return self._written(module, text)
        return None

    def _written(self, module: str, text: str) -> str | None:
        """The meaning of a name that is written as text; any other text has none."""
        parts = text.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        whole: ast.expr = ast.Name(parts[0])
        for part in parts[1:]:
            whole = ast.Attribute(whole, part)
        return self.meaning(module, whole)

    def _symbol(self, module: str, name: str, hops: int = 0) -> str | None:
        whole = f"{module}:{name}"
        if (
            any(whole in each for each in (self.functions, self.classes, self.aliases, self.instances))
            or hops > _MOST_HOPS
        ):
            return whole
        target = self._imports.get(module, {}).get(name)
        if target is None:
            return None
        origin, colon, symbol = target.partition(":")
        if not colon or origin not in self.trees:
            return target
        return self._symbol(origin, symbol, hops + 1) or target

    def _member(self, base: str, attr: str) -> str | None:
        if ":" in base:
            return f"{base}.{attr}"
        if base in self.trees:
            whole = f"{base}.{attr}"
            return whole if whole in self.trees else self._symbol(base, attr)
        return f"{base}.{attr}" if f"{base}.{attr}" in self._prefixes else f"{base}:{attr}"

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        """The modules, and the namespaces that have no file of their own."""
        parts = [module.split(".") for module in self.trees]
        return frozenset(".".join(each[:length]) for each in parts for length in range(1, len(each) + 1))

    def line(self, cls: str) -> tuple[str, ...]:
        """A class and those above it, ours and foreign, nearest first."""
        if cls not in self._lines:
            self._lines[cls] = (cls,)  # a class that is its own base ends here
            known = self.classes.get(cls)
            above = (self.meaning(known.module, _plain(base)) for base in known.node.bases) if known else ()
            whole = [cls, *(each for base in above if base for each in self.line(base))]
            self._lines[cls] = tuple(dict.fromkeys(whole))
        return self._lines[cls]

    def field_of(self, cls: str, name: str) -> tuple[str, ast.expr] | None:
        """The annotation of a field, inherited ones too, and the module in which it stands."""
        for each in self.line(cls):
            known = self.classes.get(each)
            annotation = known.fields.get(name) if known else None
            if known is not None and annotation is not None:
                return known.module, annotation
        return None

    def method_of(self, cls: str, name: str) -> Function | None:
        """A method by its name, inherited ones too."""
        held = (self.classes[each].methods.get(name) for each in self.line(cls) if each in self.classes)
        return next((each for each in held if each is not None), None)

    def only_method(self, name: str) -> Function | None:
        """The method of this name where one class has it, or one that stands above all others that do.

        A name of one word is too common to tell anything.
        """
        return self._alone.get(name) if "_" in name.strip("_") else None

    @cached_property
    def _alone(self) -> dict[str, Function | None]:
        """Methods by their names; None where classes that have nothing to do with each other have one."""
        having: dict[str, list[str]] = {}
        for cls, known in self.classes.items():
            for name in known.methods:
                having.setdefault(name, []).append(cls)
        found: dict[str, Function | None] = {}
        for name, classes in having.items():
            top = next((cls for cls in classes if all(cls in self.line(each) for each in classes)), None)
            found[name] = self.classes[top].methods[name] if top else None
        return found

    def has(self, cls: str, name: str) -> bool:
        return cls in self.having(name)

    def having(self, name: str) -> frozenset[str]:
        """The classes with a member of this name."""
        return self._members.get(name, frozenset())

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for cls in self.classes:
            for each in self.line(cls):
                known = self.classes.get(each)
                for name in (*known.fields, *known.methods) if known else ():
                    found.setdefault(name, set()).add(cls)
        return {name: frozenset(classes) for name, classes in found.items()}


def _plain(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base
