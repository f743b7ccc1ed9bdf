"""Which lines of a drawn program have been run. A truth that rests on lines that nobody ran is none."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any


def path_of(module: str) -> str:
    """The file name under which a drawn module is compiled."""
    return f"{module.replace('.', '/')}.py"


class Lines:
    """Watches the lines of the given modules, pairs of a name and a text, while `trace` is the trace function."""

    def __init__(self, modules: Iterable[tuple[str, str]]) -> None:
        self.modules = {path_of(name): text for name, text in modules}
        self.seen: set[tuple[str, int]] = set()

    def trace(self, frame: types.FrameType, event: str, _arg: object) -> Callable[..., Any] | None:
        path = frame.f_code.co_filename
        if path not in self.modules:
            return None
        if event == "line":
            self.seen.add((path, frame.f_lineno))
        return self.trace

    def unseen(self) -> tuple[str, ...]:
        there = {(path, line) for path, text in self.modules.items() for line in lines_of(compile(text, path, "exec"))}
        return tuple(f"{path}:{line}" for path, line in sorted(there - self.seen))


def lines_of(code: types.CodeType) -> set[int]:
    found = {line for _, _, line in code.co_lines() if line}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= lines_of(constant)
    return found
