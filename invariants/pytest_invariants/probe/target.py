"""Finding the function to swap behind the registry's name: through decorators, caches, methods, partials, objects."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import FunctionType, MethodType, ModuleType
from typing import Any

from pytest_invariants.probe.trampoline import is_trampoline
from pytest_invariants.registry.model import Reference

Importer = Callable[[str], ModuleType]


class SwapError(Exception):
    """The seal cannot be swapped. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """The Python function whose code is swapped.

    `instance` is set where the seal is one callable object, or a method of one: other instances keep their own code.
    `forget` empties the caches that lie above the function. `awaited` says that callers await the answer.
    """

    name: str
    function: FunctionType
    signature: inspect.Signature
    instance: object | None
    forget: tuple[Callable[[], object], ...]
    awaited: bool
    plain: tuple[str, ...] = ()
    """The parameters, where each may be given by its position and none takes what is left."""


def resolve(reference: Reference, importer: Importer = import_module) -> object:
    """The object that `module:qualname` names.

    Raises SwapError with the part of the name that is not there.
    """
    try:
        found: object = importer(reference.module)
    except (Exception, SystemExit) as error:
        raise SwapError(f"`{reference.module}` cannot be imported: {describe(error)}; repair the module") from error
    for part in filter(None, reference.qualname.split(".")):
        if part == "<locals>":
            raise SwapError(f"`{reference}` is local to a function; name a function that can be imported")
        found = _member(found, part, reference)
    return found


def _member(holder: object, name: str, reference: Reference) -> object:
    try:
        return getattr(holder, name)
    except AttributeError as error:
        where = f"class `{holder.__name__}`" if isinstance(holder, type) else f"`{reference.module}`"
        raise SwapError(f"`{reference}` is not there: {where} has no `{name}`; correct the registry") from error


def find_target(reference: Reference, names: tuple[str, ...], importer: Importer = import_module) -> Target:
    """The function behind a reference; `names` are the parameters that it has to have.

    Raises SwapError for what has no Python code of its own or is swapped, and for parameters that cannot be told.
    """
    found = resolve(reference, importer)
    layers = list(_layers(found))
    function = _function_of(layers)
    if function is None:
        raise SwapError(_refusal(reference, found))
    if _function_of(_layers(resolve(reference, importer))) is not function:
        said = f"`{reference}` is made anew whenever it is looked up (a partialmethod, a descriptor), so no swap reaches it"
        raise SwapError(f"{said}; name the function from which it is made")
    if is_trampoline(function.__code__):
        raise SwapError(f"`{reference}` is swapped already; end one probe before the next begins")
    signature = inspect.signature(function)
    missing = [name for name in names if name not in signature.parameters]
    if missing:
        raise SwapError(_unnamed(reference, function, signature, missing))
    return Target(
        name=str(reference),
        function=function,
        signature=signature,
        instance=_instance(found),
        forget=tuple(layer.cache_clear for layer in layers if hasattr(layer, "cache_clear")),
        awaited=inspect.iscoroutinefunction(inspect.unwrap(function)),
        plain=_plain(signature),
    )


def _plain(signature: inspect.Signature) -> tuple[str, ...]:
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    by_position = kinds <= {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    return tuple(signature.parameters) if by_position else ()


def _function_of(layers: Iterable[Any]) -> FunctionType | None:
    return next((layer for layer in layers if isinstance(layer, FunctionType)), None)


def _layers(found: object) -> Iterator[Any]:
    """The object and what lies under it, outermost first."""
    seen: set[int] = set()
    layer: Any = found
    while layer is not None and id(layer) not in seen:
        seen.add(id(layer))
        yield layer
        layer = _under(layer)


def _under(layer: Any) -> Any:
    if isinstance(layer, functools.partial):
        return layer.func
    if isinstance(layer, MethodType):
        return layer.__func__
    wrapped = getattr(layer, "__wrapped__", None)
    if wrapped is not None or isinstance(layer, type | FunctionType):
        return wrapped
    return inspect.getattr_static(type(layer), "__call__", None)


def _instance(found: object) -> object | None:
    """The one object that the seal belongs to; a class that owns a class method does not count."""
    if isinstance(found, MethodType):
        return None if isinstance(found.__self__, type) else found.__self__
    plain = isinstance(found, FunctionType | functools.partial) or hasattr(found, "__wrapped__")
    return None if plain else found


def _refusal(reference: Reference, found: object) -> str:
    if isinstance(found, type):
        return f"`{reference}` is a class, whose code cannot be swapped; let a function build it and name the function"
    if callable(found):
        kind = type(found).__name__
        return f"`{reference}` ({kind}) has no Python code to swap; wrap it in a `def` and name that in the registry"
    return f"`{reference}` is no function but {type(found).__name__}; name the function that decides"


def _unnamed(reference: Reference, function: FunctionType, signature: inspect.Signature, missing: list[str]) -> str:
    if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()):
        return (
            f"the parameters of `{reference}` cannot be told: it is `{function.__qualname__}{signature}`; "
            "put functools.wraps on the decorator's inner function"
        )
    return f"`{reference}` has no parameter {', '.join(f'`{name}`' for name in missing)}; correct the seal's row"


def describe(error: BaseException) -> str:
    """An exception on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
