"""Every door that was found and what covers it, for `invariants doors`."""

from __future__ import annotations

import json

from pytest_invariants.flow.doors import Door, Doors
from pytest_invariants.registry.model import Registry
from pytest_invariants.report.json import Json, step
from pytest_invariants.report.terminal import Paint

def as_json(d): return '{}'
def as_text(d, r, p, w): return 'x\n'
