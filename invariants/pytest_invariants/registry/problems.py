"""What is wrong with a registry: one problem a mistake, all of them in one error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake. `line` and `column` count from 1; both are 0 where the problem is the file as a whole."""

    path: str
    line: int
    column: int
    message: str
    remedy: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def __str__(self) -> str:
        return f"{self.place}: {self.message}; {self.remedy}"


class RegistryError(Exception):
    """The registry cannot be used. `problems` holds every mistake, in the order of the file, each once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def quoted(text: str, limit: int = 60) -> str:
    """`text` for a message: on one line, printable and not longer than `limit` characters."""
    shown = text if len(text) <= limit else text[: limit - 3] + "..."
    return "`" + "".join(char if char.isprintable() else ascii(char)[1:-1] for char in shown) + "`"


def listed(words: Iterable[str]) -> str:
    """The words that may stand at a place, for a message."""
    return ", ".join(f"`{word}`" for word in words)
