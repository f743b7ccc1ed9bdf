"""Small registries for tests that need no file."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import ModuleType

from pytest_invariants.registry.model import (
    Capability,
    Grant,
    Manner,
    Reference,
    Registry,
    Residency,
    Seal,
    Surface,
    VerdictKind,
)
from pytest_invariants.verdict import Place

AT = Place("entrypoints/registry.yaml", 3)
NUMBERS = count(1)


def seal(
    function: str,
    kind: VerdictKind = VerdictKind.SEALED,
    subject: tuple[str, ...] = ("categories",),
    principal: tuple[str, ...] = ("thread_category",),
    **more: object,
) -> Seal:
    return Seal(
        function=Reference.parse(function),
        kind=kind,
        subject=subject,
        principal=dict.fromkeys(principal),
        state=(),
        at=AT,
        **more,  # type: ignore[arg-type]
    )


def registry(
    root: Path,
    row: Seal,
    surfaces: Mapping[str, Manner],
    host: str | None = None,
    *,
    hidden: tuple[str, ...] = (),
    residency: Residency | None = None,
    policies: Mapping[str, str] | None = None,
    snapshots: Mapping[str, Reference] | None = None,
) -> Registry:
    return Registry(
        path=root / "entrypoints" / "registry.yaml",
        root=root,
        code=("entrypoints",),
        seal=row,
        capabilities=(Capability(Reference("small", "body"), None, Grant.VALUE, AT),),
        surfaces=tuple(
            Surface(name, Reference("small", name), manner, AT, hidden_but_callable=name in hidden)
            for name, manner in surfaces.items()
        ),
        host=None if host is None else Reference.parse(host),
        residency=residency,
        policies=policies or {},
        snapshots=snapshots or {},
    )


@contextmanager
def module(source: str, name: str | None = None) -> Iterator[ModuleType]:
    """A module made of source code, importable while the block lasts."""
    made = ModuleType(name or f"sample_{next(NUMBERS)}")
    sys.modules[made.__name__] = made
    try:
        exec(compile(textwrap.dedent(source), f"{made.__name__}.py", "exec", dont_inherit=True), made.__dict__)
        yield made
    finally:
        del sys.modules[made.__name__]
