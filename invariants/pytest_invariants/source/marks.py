"""Lines of a file in which a function may bind names of a module that its text does not tell: see `flow.opening`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left

MARKS = re.compile(r"\bexec\(|\bglobals\(\)|setattr(__)?\(|\bvars\(|\.__dict__|\bsys\.modules\[|\breload\(")
WORDS = ("exec(", "globals()", "setattr", "vars(", ".__dict__", "sys.modules[", "reload(")
"""A text without any of these has none of the marks, which is found out faster."""
STARTS = re.compile(r"\n[ \t]++(?:global\s|(?!self\.|cls\.)\w++(?:\.\w++)++[ \t]*+=(?!=))")
"""What such lines start with, from the end of the line before."""


def marked(text: str) -> list[int]:
    """The numbers of the lines that have one of the marks, in their order."""
    text = "\n" + text
    ends = [match.end() for match in STARTS.finditer(text)]
    if any(word in text for word in WORDS):
        ends = sorted([*ends, *(match.end() for match in MARKS.finditer(text))])
    found, number, place = [], 0, 0
    for end in ends:
        number += text.count("\n", place, end)
        place = end
        found.append(number)
    return found


def holds(node: ast.stmt | ast.ExceptHandler | ast.match_case, lines: list[int]) -> bool:
    """Whether one of these lines lies in a statement; of a case that is not known."""
    if isinstance(node, ast.match_case):
        return True
    place = bisect_left(lines, node.lineno)
    return place < len(lines) and lines[place] <= (node.end_lineno or node.lineno)
