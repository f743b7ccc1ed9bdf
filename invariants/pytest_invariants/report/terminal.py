"""What a terminal can show: colour where it is wanted, columns that line up, paragraphs that fit the width."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

RED, GREEN, YELLOW, BOLD, DIM = "31", "32", "33", "1", "2"


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of text and the colour that it has where colour is wanted."""

    text: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts colour on text, or leaves it alone."""

    on: bool = False

    def __call__(self, text: str, colour: str) -> str:
        return f"\033[{colour}m{text}\033[0m" if self.on and colour and text else text


PLAIN = Paint()
WIDE = 120
"""Columns where nobody says how many there are: what logs and pages show without a break."""


def wants_colour(stream: TextIO | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Colour only on a terminal that is not dumb, and never against NO_COLOR (https://no-color.org)."""
    return is_terminal(stream, environment) and not environment.get("NO_COLOR")


def is_terminal(stream: TextIO | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the stream is a terminal that can be steered."""
    return stream is not None and stream.isatty() and environment.get("TERM") != "dumb"


def width_of(stream: TextIO | None) -> int:
    """The columns to fill: those of the terminal, and 120 where the text goes to a file or a pipe."""
    on_terminal = stream is not None and stream.isatty()
    return max(60, shutil.get_terminal_size((100, 24)).columns) if on_terminal else WIDE


def columns(rows: Sequence[Sequence[Cell]], paint: Paint) -> list[str]:
    """The rows with every column as wide as its widest cell, two blanks apart."""
    widths = [max(len(cell.text) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(paint(c.text.ljust(w), c.colour) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def blocks(widths: Sequence[int], room: int) -> list[range]:
    """Which columns stand side by side so that no block is wider than `room`; each block has at least one."""
    found, start, used = [], 0, 0
    for index, width in enumerate(widths):
        if index > start and used + width + 2 > room:
            found.append(range(start, index))
            start, used = index, 0
        used += width + 2
    return [*found, range(start, len(widths))] if widths else []


def printable(text: str) -> str:
    """Text without what could steer a terminal or turn its direction: such characters are shown by their code."""
    return "".join(char if char.isprintable() else " " if char.isspace() else ascii(char)[1:-1] for char in text)


def paragraph(text: str, indent: str, width: int, *, first: str | None = None) -> list[str]:
    """Text that is wrapped to the width; its own line breaks stay, and words longer than a line are never broken."""
    lines: list[str] = []
    for line in text.splitlines():
        begin = indent if lines or first is None else first
        lines += textwrap.wrap(
            printable(line),
            max(width, len(indent) + 40),
            initial_indent=begin,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines
