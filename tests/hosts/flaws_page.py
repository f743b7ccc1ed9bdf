"""`python -m tests.hosts.flaws_page` writes `docs/server-flaws.md`: what servers get wrong, and what sees it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_invariants.catalogue import CATALOGUE

from tests.hosts.flaws import FLAWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "server-flaws.md"


def render() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- Written by `python -m tests.hosts.flaws_page`. -->"
    yield "# Flaws of a server"
    yield ""
    yield "A small server of this repository (`tests/hosts/small_server.py`) holds in everything that"
    yield "`invariants check --mcp` asks. Each flaw is put into it alone; the suite (`tests/hosts/test_mcp_flaws.py`) starts"
    yield "the server with it, and demands that the invariant that is meant for it falls, at this method and for this reason."
    yield ""
    yield f"{len(FLAWS)} flaws, {len({flaw.invariant for flaw in FLAWS.values()})} invariants."
    yield ""
    yield "| invariant | flaw | method | reason |"
    yield "|---|---|---|---|"
    order = [one.id for one in CATALOGUE]
    for name, flaw in sorted(FLAWS.items(), key=lambda item: (order.index(item[1].invariant), item[0])):
        words = name.replace("_", " ")
        yield f"| [`{flaw.invariant}`](invariants/{flaw.invariant}.md) | {words} | `{flaw.method}` | {flaw.reason} |"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
    sys.exit(0)
