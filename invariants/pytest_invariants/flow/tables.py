"""Models of what shows dictionaries without holding anything itself: proxies, and chains."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_invariants.flow import containers
from pytest_invariants.flow.machine import Arguments, Results
from pytest_invariants.flow.models import BUILTINS, Model
from pytest_invariants.flow.scope import Scope
from pytest_invariants.flow.state import State
from pytest_invariants.flow.values import Dict

if TYPE_CHECKING:
    from pytest_invariants.flow.analysis import Analysis


def _shown(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """A view of a whole dictionary shows whatever is in it: it is as good as the dictionary itself."""
    first = arguments.positional[0] if arguments.positional else None
    return [(first, state)] if isinstance(first, Dict) else BUILTINS["builtins.dict"](m, arguments, state, scope, node)


def _chained(m: Analysis, arguments: Arguments, state: State, scope: Scope, node: ast.AST) -> Results:
    """The first dictionary that has the key gives it, whatever they hold by then."""
    parts = [part for part in arguments.positional if isinstance(part, Dict)]
    if len(parts) < max(2, len(arguments.positional)) or arguments.more is not None:
        last_first = replace(arguments, positional=arguments.positional[::-1])
        return _shown(m, last_first, state, scope, node)
    return [(containers.chained(m, parts, state), state)]


TABLES: dict[str, Model] = {"types.MappingProxyType": _shown, "collections.ChainMap": _chained}
