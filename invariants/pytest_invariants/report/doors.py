"""Every door that was found and what covers it, for `invariants doors`."""

from __future__ import annotations
