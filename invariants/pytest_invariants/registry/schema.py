"""The JSON schema of the registry, generated from its grammar, so that editors complete and check while one types.

`python -m pytest_invariants.registry.schema` writes the file that ships with the package.
"""

from __future__ import annotations

import json
from pathlib import Path

from pytest_invariants.registry.grammar import REGISTRY
from pytest_invariants.registry.kinds import Schema

FILE = Path(__file__).with_name("registry.schema.json")


def generate() -> Schema:
    """The schema, in the draft that most editors know.

    It states the form of everything. What it cannot state is left to the reader: that the folders of `code` are there,
    that a single residency path has a table to be compared with, that a day is one of the calendar, and what is no
    matter of data, as a key that stands twice.
    """
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Registry of the surfaces of an agent",
        "description": "entrypoints/registry.yaml: the seal, what it guards, and the doors that must ask it.",
        **REGISTRY.schema(),
    }


def as_text() -> str:
    return json.dumps(generate(), indent=2, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(as_text(), encoding="utf-8")
