"""The user's `build`: called with what it takes, and looked at before anything else relies on it."""

from __future__ import annotations

import inspect
from typing import Any

from pytest_invariants.probe.host import Host, HostError


def begin(host: Host, *arguments: object) -> Any:
    """What `build` returns for these arguments; perhaps something to await.

    :raises HostError: where it does not take them.
    """
    build = host.build  # type: ignore[attr-defined]
    try:
        inspect.signature(build).bind(*arguments)
    except TypeError as error:
        said = f"`{type(host).__name__}.build` cannot be called with what it is given ({error})"
        raise HostError(f"{said}; write `def build({', '.join(_parameters(host))})`") from error
    return build(*arguments)


def require(host: Host, made: object, kinds: type | tuple[type, ...], what: str) -> None:
    """:raises HostError: where `build` returned anything else than one of these."""
    if inspect.iscoroutine(made):
        made.close()
    if not isinstance(made, kinds):
        said = "nothing" if made is None else f"{made!r:.60}"
        raise HostError(f"`{type(host).__name__}.build` returned {said}; return {what}")


def _parameters(host: Host) -> list[str]:
    """The parameters that the class declares in which `build` is left open."""
    for kind in type(host).__mro__:
        declared = vars(kind).get("build")
        if callable(declared) and getattr(declared, "__isabstractmethod__", False):
            return list(inspect.signature(declared).parameters)
    raise LookupError(f"{type(host).__name__} declares no `build`")
