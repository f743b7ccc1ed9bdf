"""What a module binds on one of several ways that it may take is not taken for sure."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.verdict import Verdict

from tests.flow.one_surface import GATE, verdict_of

CHECK = """def check(name, asker):
{indent}    if sealed(name, asker):
{indent}        raise PermissionError(name)
"""
IDLE = "def check(name, asker):\n    pass\n\n\n"
LOOK = """

def look(name, asker):
    check(name, asker)
    return secret(name)
"""
INNER = CHECK.format(indent="    ")
WAYS = {
    "a package that may be missing": f"{IDLE}try:\n    import absent\n\n    {INNER}except ImportError:\n    pass\n",
    "a name that may be missing": f"{IDLE}try:\n    from absent import x\n\n    {INNER}except ImportError:\n    pass\n",
    "a statement that may fail": f"{IDLE}try:\n    int('x')\n\n    {INNER}except ValueError:\n    pass\n",
    "a condition": f"import os\n\n\n{IDLE}if os.environ.get('STRICT'):\n    {INNER}",
    "the other way of one": f"import os\n\n\n{IDLE}if os.environ.get('LOOSE'):\n    pass\nelse:\n    {INNER}",
    "a loop": f"import os\n\n\n{IDLE}for each in os.environ:\n    {INNER}",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_guard_that_may_not_be_there(way: str, tmp_path: Path) -> None:
    assert verdict_of(tmp_path, GATE + WAYS[way] + LOOK) is Verdict.REFUTED


@pytest.mark.parametrize("way", WAYS)
def test_the_same_where_it_is_there_before(way: str, tmp_path: Path) -> None:
    agent = WAYS[way].replace(IDLE, CHECK.format(indent="") + "\n\n")
    assert verdict_of(tmp_path, GATE + agent + LOOK) is Verdict.PROVED


@pytest.mark.parametrize(("before", "verdict"), [("loose", Verdict.REFUTED), ("strict", Verdict.PROVED)])
def test_a_constant_that_one_way_sets(before: str, verdict: Verdict, tmp_path: Path) -> None:
    agent = f"""
MODE = "{before}"
try:
    import absent
    MODE = "strict"
except ImportError:
    pass


def look(name, asker):
    if MODE == "strict" and sealed(name, asker):
        return None
    return secret(name)
"""
    assert verdict_of(tmp_path, GATE + agent) is verdict
