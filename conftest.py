"""Runs the harness on this repository's own agent, and gives the plugin's tests a pytest to run."""

from __future__ import annotations

pytest_plugins = ("pytester",)
