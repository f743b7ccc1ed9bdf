"""The examples of the pages on hosts, as a user copies them."""

from __future__ import annotations

import re
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "docs" / "hosts"
FENCE = re.compile(r"^```(\w+) example\n(.*?)^```$", re.S | re.M)


def example(page: str, language: str = "python") -> str:
    """The one block of `docs/hosts/<page>.md` in this language that is marked as the example.

    :raises ValueError: where there is none, or more than one.
    """
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    (found,) = [match[2] for match in FENCE.finditer(text) if match[1] == language]
    return found
