"""What a file's text says of classes that are registered as kinds of another one (`Base.register(Own)`), by whatever name."""

from __future__ import annotations

import re

REGISTERS = re.compile(r"\b(\w+)\s*\.\s*register\b")
OTHERWISE = re.compile(r"\b(\w+)\s+as\s+(\w+)")


def registers(text: str) -> frozenset[object]:
    """Where two versions of a file have the same of it, a search for who registers with a class finds the same in both.

    That goes by the text, comments and all: by names that have something registered, by other names for them, and by
    whether the file mentions the class.
    """
    if "register" not in text:
        return frozenset()
    heads = REGISTERS.findall(text)
    return frozenset(
        [*heads, *OTHERWISE.findall(text), *(("word", word) for word in re.findall(r"\w+", text) if heads)]
    )
