"""Weak references: what they refer to is the object itself, or it is gone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.scope import Scope
from pytest_invariants.flow.domain.state import State
from pytest_invariants.flow.domain.values import NONE, Foreign, Partial
from pytest_invariants.flow.library.models import Model
from pytest_invariants.flow.machine.machine import Arguments, Results

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis

REFERRED = Foreign(path="flow.referred")


def _reference(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(Partial(function=REFERRED, args=arguments.positional[:1]), state)]


def _referred(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [*((value, state.fork()) for value in arguments.positional[:1]), (NONE, state)]


def _proxy(m: Analysis, arguments: Arguments, state: State, _scope: Scope, _node: ast.AST) -> Results:
    return [(value, state) for value in arguments.positional[:1]]


WEAK: dict[str, Model] = {
    "weakref.ref": _reference,
    "weakref.ReferenceType": _reference,
    "weakref.WeakMethod": _reference,
    "weakref.proxy": _proxy,
    "flow.referred": _referred,
}
