"""Lines of a file in which a function may bind names of a module that its text does not tell: see `flow.opening`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left

MARKS = re.compile(
    r"\bexec\(|\bglobals\(\)|setattr(__)?\(|\bvars\(|\.__dict__|\bsys\.modules\[|\breload\(|^[ \t]+global\s"
    r"|^[ \t]+(?!self\.|cls\.)\w+(?:\.\w+)+[ \t]*=(?!=)",
    re.MULTILINE,
)
"""What stands in such lines."""


def marked(text: str) -> list[int]:
    """The numbers of the lines that have one of the marks, in their order."""
    found, number, place = [], 1, 0
    for match in MARKS.finditer(text):
        number += text.count("\n", place, match.end())
        place = match.end()
        found.append(number)
    return found


def holds(node: ast.stmt | ast.ExceptHandler | ast.match_case, lines: list[int]) -> bool:
    """Whether one of these lines lies in a statement; of a case that is not known."""
    if isinstance(node, ast.match_case):
        return True
    place = bisect_left(lines, node.lineno)
    return place < len(lines) and lines[place] <= (node.end_lineno or node.lineno)
