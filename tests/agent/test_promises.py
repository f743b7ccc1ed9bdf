"""`docs/agent.md` names for each rule of the agent a test, and the test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "agent.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!rule|policy|-)(.+?) \| `(test_\w+\.py)::(test_\w+)` \|$", PAGE, re.M)


def test_every_row_of_a_rule_names_its_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "`test_" in line]
    assert len(ROWS) == len(rows) > 50


@pytest.mark.parametrize(("rule", "file", "name"), ROWS, ids=[name for _, _, name in ROWS])
def test_the_test_is_there(rule: str, file: str, name: str) -> None:
    tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, rule
