"""What every test may use. The harness needs nothing from here to judge this repository's own agent.

The plugin is installed with the package and collects `entrypoints/registry.yaml` beside `tests`, as it does for
everybody; `pytest --no-invariants` leaves it out.
"""

from __future__ import annotations

pytest_plugins = ("pytester",)
