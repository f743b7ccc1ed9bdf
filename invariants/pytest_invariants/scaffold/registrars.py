"""What a code base hands to its framework: tools, handlers, and functions that decide for a tool."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_invariants.scaffold.idioms import FRAMEWORKS, Framework
from pytest_invariants.scaffold.survey import Function, Survey
from pytest_invariants.verdict import Place

TOOL, GATE = "tool", "gate"


@dataclass(frozen=True, order=True)
class Handed:
    """A function that was handed over. `role` is the manner of a handler, or `tool`, or `gate`."""

    ref: str
    role: str
    framework: str
    at: Place
    how: str
    decorator: str | None = None
    """The registrar of a decorated tool, where it is a function: a capability can be named by it."""


_WRAPPED = ("func", "coroutine", "function", "fn", "on_invoke_tool")
"""Arguments that take the function of a tool."""


def handed(survey: Survey) -> list[Handed]:
    """Everything that is handed over, each function once a role."""
    found: dict[tuple[str, str], Handed] = {}
    for one in sorted(_all(survey)):
        found.setdefault((one.ref, one.role), one)
    return sorted(found.values())


def remarks(survey: Survey) -> list[str]:
    """What is to be known of the frameworks that the code imports."""
    used = [framework for framework in FRAMEWORKS if _imports(survey, framework)]
    return [f"{framework.name}: {framework.remark}" for framework in used if framework.remark]


def _imports(survey: Survey, framework: Framework) -> bool:
    every = {name for names in survey.imported.values() for name in names}
    return any(_belongs(survey, name, framework) for name in every)


def _belongs(survey: Survey, name: str, framework: Framework) -> bool:
    """Whether a name is the framework's, and not that of a package of the code which is called like it."""
    module = name.partition(":")[0]
    return module.partition(".")[0] not in survey.tops and any(
        module == package or module.startswith(f"{package}.") for package in framework.packages
    )


def _all(survey: Survey) -> Iterator[Handed]:
    for framework in FRAMEWORKS:
        if _imports(survey, framework):
            objects = {module: _objects(survey, framework, module) for module in survey.trees}
            reader = _Reader(survey, framework, objects)
            for function in survey.functions.values():
                yield from reader.decorated(function)
                yield from _overriding(survey, framework, function)
            for module, calls in survey.calls.items():
                for call in calls:
                    yield from reader.called(module, call)


def _objects(survey: Survey, framework: Framework, module: str) -> frozenset[str]:
    """The names, and attributes of this name, that are bound to registering objects anywhere in a module."""
    found: set[str] = set()
    for node in survey.assigned[module]:
        if not isinstance(node.value, ast.Call):
            continue
        if _makes(survey, framework, module, node.value.func):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name for each in targets if (name := _name(each)) is not None}
    return frozenset(found)


def _name(node: ast.expr) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def _last(name: str) -> str:
    return name.rpartition(":")[2]


def _makes(survey: Survey, framework: Framework, module: str, maker: ast.expr) -> bool:
    plain = maker.value if isinstance(maker, ast.Subscript) else maker
    name = survey.meaning(module, plain)
    return name is not None and _belongs(survey, name, framework) and _last(name) in framework.objects


def _overriding(survey: Survey, framework: Framework, function: Function) -> Iterator[Handed]:
    role = (framework.overrides or {}).get(function.name)
    if role is None or function.owner is None:
        return
    bases = [base for base in survey.line(function.owner)[1:] if _belongs(survey, base, framework)]
    if any(_last(base) in framework.bases for base in bases):
        yield Handed(function.ref, role, framework.name, function.place, f"overrides that of `{bases[0]}`")


@dataclass(frozen=True)
class _Reader:
    """Reads decorators and calls for one framework; `objects` are its registering objects, by module."""

    survey: Survey
    framework: Framework
    objects: Mapping[str, frozenset[str]]

    def decorated(self, function: Function) -> Iterator[Handed]:
        framework = self.framework
        for decorator in function.node.decorator_list:
            plain = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = self.survey.meaning(function.module, plain)
            how = f"under `@{ast.unparse(plain)}`"
            if name is not None and _belongs(self.survey, name, framework) and _last(name) in framework.tools:
                yield Handed(function.ref, TOOL, framework.name, function.place, how, name)
            elif role := self._registered(function.module, plain):
                yield Handed(function.ref, role, framework.name, function.place, how)

    def called(self, module: str, call: ast.Call) -> Iterator[Handed]:
        survey, framework = self.survey, self.framework
        name = survey.meaning(module, call.func)
        ours = name is not None and _belongs(survey, name, framework)
        short = _last(name) if name else ""
        if ours and (short in framework.makers or short in framework.objects):
            yield from _in_arguments(survey, framework, module, call, framework.tool_arguments, TOOL)
            yield from self._handlers(module, call)
        if ours and short in framework.wrappers and call.args:
            yield from _functions(survey, framework, module, call.args[0], TOOL, f"in `{short}`")
        if ours and short in framework.wrappers:
            yield from _in_arguments(survey, framework, module, call, _WRAPPED, TOOL)
        if ours:
            yield from _in_arguments(survey, framework, module, call, framework.gates, GATE)
        if call.args and (role := self._registered(module, call.func)):
            yield from _functions(survey, framework, module, call.args[0], role, f"to `{_name(call.func)}`")

    def _handlers(self, module: str, call: ast.Call) -> Iterator[Handed]:
        """Functions that are given to a maker as `on_list_tools` and the like."""
        for keyword in call.keywords:
            argument = keyword.arg or ""
            role = (self.framework.methods or {}).get(argument.removeprefix("on_"))
            if role is not None and argument.startswith("on_"):
                yield from _functions(self.survey, self.framework, module, keyword.value, role, f"as `{argument}`")

    def _registered(self, module: str, method: ast.expr) -> str | None:
        """The role that a method of a registering object gives to a function."""
        if not isinstance(method, ast.Attribute):
            return None
        role = (self.framework.methods or {}).get(method.attr)
        return role if role is not None and self._is_object(module, method.value) else None

    def _is_object(self, module: str, expression: ast.expr) -> bool:
        """Whether it is a registering object of this module, or one that is imported from another."""
        if _name(expression) in self.objects[module]:
            return True
        origin, _, symbol = (self.survey.meaning(module, expression) or "").partition(":")
        return origin != module and "." not in symbol and symbol in self.objects.get(origin, ())


def _in_arguments(
    survey: Survey, framework: Framework, module: str, call: ast.Call, names: tuple[str, ...], role: str
) -> Iterator[Handed]:
    for keyword in call.keywords:
        if keyword.arg in names:
            yield from _functions(survey, framework, module, keyword.value, role, f"as `{keyword.arg}`")


def _functions(
    survey: Survey, framework: Framework, module: str, value: ast.expr, role: str, how: str
) -> Iterator[Handed]:
    """The functions of the code in an argument: one, or a list of them."""
    for each in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
        name = survey.meaning(module, each)
        if name is None and isinstance(each, ast.Name):
            name = _nested(survey, module, each.id)
        if name in survey.functions:
            at = Place(survey.paths[module], each.lineno)
            yield Handed(str(name), role, framework.name, at, f"handed over {how}")


def _nested(survey: Survey, module: str, name: str) -> str | None:
    """A function that stands inside another of the module, where there is one of that name."""
    found = [ref for ref in survey.functions if ref.startswith(f"{module}:") and ref.endswith(f".<locals>.{name}")]
    return found[0] if len(found) == 1 else None
