"""What the operators on the answer make of the code, for seals of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.selftest.code import Code
from pytest_invariants.selftest.model import Mutant
from pytest_invariants.selftest.mutants import mutant
from pytest_invariants.selftest.operators import BY_ID
from pytest_invariants.selftest.questions import askings
from pytest_invariants.verdict import Place

from tests.selftest.agents import HEAD, write
from tests.selftest.spoiling import diff, spoil, why

IF = """\
def door(turn, name):
    skill = STORE.get(name)
    if sealed(skill.categories, turn.category):  # asked
        raise PermissionError(name)
    return skill.body
"""
LIST = """\
def door(turn):
    return [skill.body for skill in STORE.all() if not sealed(skill.categories, turn.category)]  # asked
"""
STATEMENT = """\
def door(turn, name):
    skill = STORE.get(name)
    sealed(skill.categories, turn.category)  # asked
    return skill.body
"""
IS = """\
from agent.seal import Verdict


def door(turn, name):
    skill = STORE.get(name)
    if sealed(skill.categories, turn.category) is not Verdict.OPEN:  # asked
        return None
    return skill.body
"""
ATTRIBUTE = """\
def door(turn, name):
    skill = STORE.get(name)
    return skill.body if sealed(skill.categories, turn.category).ok else None  # asked
"""
FILTER = """\
def door(turn):
    return [skill.body for skill in sealed(STORE.all(), turn.category)]  # asked
"""
WITH = """\
def door(turn, name):
    skill = STORE.get(name)
    with sealed(skill.categories, turn.category):  # asked
        return skill.body
"""
KEPT = """\
def door(turn, name):
    skill = STORE.get(name)
    answer = sealed(skill.categories, turn.category)  # asked
    return None if answer else skill.body
"""
ASYNC = """\
async def door(turn, name):
    skill = STORE.get(name)
    if await sealed(skill.categories, turn.category):  # asked
        return None
    return skill.body
"""
ASYNC_SEAL = "async def sealed(categories, category):\n    return category not in categories\n"
CALL = "sealed(skill.categories, turn.category)"


# -- drop-guard


def test_a_refusing_branch_is_taken_out(tmp_path: Path) -> None:
    assert diff(tmp_path, "drop-guard", IF) == [f"-if {CALL}:", "-raise PermissionError(name)"]


def test_a_granting_branch_loses_its_condition(tmp_path: Path) -> None:
    doors = f"""\
def door(turn, name):
    skill = STORE.get(name)
    if not {CALL}:  # asked
        return skill.body
    else:
        raise PermissionError(name)
"""
    gone = [f"-if not {CALL}:", "-return skill.body", "-else:", "-raise PermissionError(name)"]
    assert diff(tmp_path, "drop-guard", doors) == [*gone, "+return skill.body"]


def test_a_filter_loses_its_condition_and_keeps_the_others(tmp_path: Path) -> None:
    doors = LIST.replace("if not", "if skill.name if not")
    assert diff(tmp_path, "drop-guard", doors) == [
        f"-return [skill.body for skill in STORE.all() if skill.name if not {CALL}]",
        "+return [skill.body for skill in STORE.all() if skill.name]",
    ]


def test_a_part_of_a_condition_becomes_the_answer_that_allows(tmp_path: Path) -> None:
    doors = IF.replace("if sealed", "if skill.name == name or sealed")
    assert diff(tmp_path, "drop-guard", doors)[1] == "+if skill.name == name or False:"


def test_a_condition_that_the_answer_decides_goes_as_a_whole(tmp_path: Path) -> None:
    doors = IF.replace("if sealed", "if skill is not None and sealed")
    assert diff(tmp_path, "drop-guard", doors)[0] == f"-if skill is not None and {CALL}:"


def test_the_only_statement_of_a_block_leaves_a_pass(tmp_path: Path) -> None:
    doors = "def door(turn, skill):\n    sealed(skill.categories, turn.category)  # asked\n"
    assert diff(tmp_path, "drop-guard", doors, "raises") == [f"-{CALL}", "+pass"]


@pytest.mark.parametrize(
    ("verdict", "doors", "gone", "put"),
    [
        ("allowed", KEPT, f"-answer = {CALL}", "+answer = True"),
        ("sealed", KEPT, f"-answer = {CALL}", "+answer = False"),
        ("raises", KEPT, f"-answer = {CALL}", "+answer = None"),
        (
            "{attribute: ok}",
            ATTRIBUTE,
            f"-return skill.body if {CALL}.ok else None",
            "+return skill.body if True else None",
        ),
        ("{attribute: ok}", KEPT, f"-answer = {CALL}", "+answer = types.SimpleNamespace(ok=True)"),
        ("enters", WITH, f"-with {CALL}:", "+with contextlib.nullcontext():"),
        (
            "filters",
            FILTER,
            "-return [skill.body for skill in sealed(STORE.all(), turn.category)]",
            "+return [skill.body for skill in STORE.all()]",
        ),
    ],
)
def test_elsewhere_the_answer_becomes_the_one_that_allows(
    tmp_path: Path, verdict: str, doors: str, gone: str, put: str
) -> None:
    changed = diff(tmp_path, "drop-guard", doors, verdict)
    assert [line for line in changed if "import" not in line] == [gone, put]


def test_the_one_value_that_allows_is_imported_under_a_free_name(tmp_path: Path) -> None:
    doors = KEPT.replace("def door", "_allowed = 1\n\n\ndef door")
    changed = diff(tmp_path, "drop-guard", doors, '{is: "agent.seal:Verdict.OPEN"}')
    assert changed == [
        "+from agent.seal import Verdict as _allowed_2",
        f"-answer = {CALL}",
        "+answer = _allowed_2.OPEN",
    ]


def test_a_comparison_with_the_one_value_counts_as_the_answer(tmp_path: Path) -> None:
    changed = diff(tmp_path, "drop-guard", IS, '{is: "agent.seal:Verdict.OPEN"}')
    assert changed == [f"-if {CALL} is not Verdict.OPEN:", "-return None"]


@pytest.mark.parametrize(
    ("verdict", "test", "refuses"),
    [
        ("sealed", "{} is not None", True),
        ("sealed", "{} is None", False),
        ("sealed", "{} == True", True),
        ("allowed", "{} is True", False),
        ("allowed", "False is {}", True),
        ("sealed", "why := {}", True),
        ("sealed", "(why := {}) is not None", True),
        ('{is: "agent.seal:Verdict.OPEN"}', "Verdict.OPEN != {}", True),
    ],
)
def test_a_comparison_says_which_way_the_branch_goes(tmp_path: Path, verdict: str, test: str, refuses: bool) -> None:
    doors = IF.replace(CALL, test.format(CALL))
    left = [] if refuses else ["+raise PermissionError(name)"]
    assert [line for line in diff(tmp_path, "drop-guard", doors, verdict) if line.startswith("+")] == left
    asserted = diff(tmp_path, "assert-guard", doors, verdict)
    assert [line.startswith("+assert not") for line in asserted if "assert" in line] == [refuses]


WHY = "def sealed(categories, category):\n    if category in categories:\n        return None\n    return 'closed'\n"


def test_a_seal_that_allows_with_none_is_taken_at_its_word(tmp_path: Path) -> None:
    assert diff(tmp_path, "drop-guard", KEPT, seal=WHY)[-1] == "+answer = None"
    assert diff(tmp_path, "drop-guard", KEPT, seal=WHY.replace("None", "False"))[-1] == "+answer = False"


def test_the_whole_comparison_is_dropped_or_inverted(tmp_path: Path) -> None:
    doors = KEPT.replace(f"answer = {CALL}", f"answer = {CALL} is not None")
    assert diff(tmp_path, "drop-guard", doors)[-1] == "+answer = False"
    assert diff(tmp_path, "invert", doors)[-1] == f"+answer = not {CALL} is not None"
    doors = KEPT.replace(f"answer = {CALL}", f"answer = (why := {CALL}) is not None")
    assert diff(tmp_path, "drop-guard", doors)[-1] == "+answer = False"


def test_a_comparison_with_something_else_decides_nothing(tmp_path: Path) -> None:
    doors = IF.replace(CALL, f"{CALL} != turn.answer")
    assert diff(tmp_path, "drop-guard", doors)[-1] == "+if False != turn.answer:"


def test_an_await_goes_with_the_question(tmp_path: Path) -> None:
    assert diff(tmp_path, "drop-guard", ASYNC, seal=ASYNC_SEAL)[0] == f"-if await {CALL}:"


def test_a_coroutine_that_is_awaited_elsewhere_is_left_alone(tmp_path: Path) -> None:
    doors = f"async def door(turn, skill):\n    answer = {CALL}  # asked\n    return answer\n"
    assert why(tmp_path, "drop-guard", doors, seal=ASYNC_SEAL) == "the call is awaited in another place"


# -- invert


@pytest.mark.parametrize(
    ("verdict", "doors", "put"),
    [
        ("sealed", IF, f"+if not {CALL}:"),
        ("allowed", IF, f"+if not {CALL}:"),
        ("sealed", LIST, f"+return [skill.body for skill in STORE.all() if not not {CALL}]"),
        ('{is: "agent.seal:Verdict.OPEN"}', IS, f"+if not {CALL} is not Verdict.OPEN:"),
        ("{attribute: ok}", ATTRIBUTE, f"+return skill.body if not {CALL}.ok else None"),
        (
            "filters",
            FILTER,
            "+return [skill.body for skill in "
            "[_one for _one in STORE.all() if _one not in sealed(STORE.all(), turn.category)]]",
        ),
    ],
)
def test_the_answer_is_taken_the_wrong_way_round(tmp_path: Path, verdict: str, doors: str, put: str) -> None:
    assert diff(tmp_path, "invert", doors, verdict)[-1] == put


def test_a_refusal_that_is_raised_is_inverted_by_catching_it(tmp_path: Path) -> None:
    assert diff(tmp_path, "invert", STATEMENT, "raises") == [
        f"-{CALL}",
        "+try:",
        f"+{CALL}",
        "+except Exception:",
        "+pass",
        "+else:",
        "+raise PermissionError('sealed')",
    ]


def test_an_answer_that_is_tested_elsewhere_is_not_inverted_by_guesswork(tmp_path: Path) -> None:
    assert why(tmp_path, "invert", KEPT, "{attribute: ok}") == "the answer is tested in another place"
    assert why(tmp_path, "invert", WITH, "enters") == "a context that is not entered has no opposite"
    assert why(tmp_path, "invert", KEPT, "raises") == "the question is part of another statement"


# -- drop-await


def test_the_coroutine_is_no_longer_awaited(tmp_path: Path) -> None:
    assert diff(tmp_path, "drop-await", ASYNC, seal=ASYNC_SEAL) == [f"-if await {CALL}:", f"+if {CALL}:"]
    assert why(tmp_path, "drop-await", IF) == "the seal is not awaited"


# -- assert-guard


def test_a_refusing_branch_becomes_an_assert(tmp_path: Path) -> None:
    assert diff(tmp_path, "assert-guard", IF)[-1] == f"+assert not {CALL}"
    doors = IF.replace("if sealed", "if skill is None or sealed")
    assert diff(tmp_path, "assert-guard", doors)[-1] == f"+assert not (skill is None or {CALL})"


def test_a_granting_branch_is_kept_behind_an_assert(tmp_path: Path) -> None:
    doors = IF.replace("if sealed", "if not sealed").replace("raise PermissionError(name)", "return skill.body")
    assert diff(tmp_path, "assert-guard", doors)[-2:] == [f"+assert not {CALL}", "+return skill.body"]


def test_only_an_if_that_the_answer_decides_becomes_an_assert(tmp_path: Path) -> None:
    assert why(tmp_path, "assert-guard", LIST) == "the question is no `if` statement's"
    doors = IF.replace("turn.category):", "turn.category) == turn.mood:")
    assert why(tmp_path, "assert-guard", doors) == "the `if` is decided by more than the answer"
    inside = IF.replace("raise PermissionError(name)", "return sealed(skill.categories, turn.category)  # asked")
    assert "if turn:" in inside.replace("if sealed(skill.categories, turn.category):  # asked", "if turn:")
    inside = inside.replace("if sealed(skill.categories, turn.category):  # asked", "if turn:")
    assert why(tmp_path, "assert-guard", inside) == "the question is no `if` statement's"


# -- swallow-refusal


def test_a_raised_refusal_is_caught_and_forgotten(tmp_path: Path) -> None:
    caught = ["+try:", f"+if {CALL}:", "+raise PermissionError(name)", "+except Exception:", "+pass"]
    assert diff(tmp_path, "swallow-refusal", IF)[2:] == caught
    assert diff(tmp_path, "swallow-refusal", STATEMENT, "raises")[1:] == [
        "+try:",
        f"+{CALL}",
        "+except Exception:",
        "+pass",
    ]


def test_a_refusal_that_is_returned_cannot_be_swallowed(tmp_path: Path) -> None:
    reason = "nothing is raised where the seal refuses"
    assert why(tmp_path, "swallow-refusal", LIST) == reason
    assert why(tmp_path, "swallow-refusal", IF.replace("raise PermissionError(name)", "return None")) == reason
    raising = IF.replace("if sealed", "if not sealed")
    assert why(tmp_path, "swallow-refusal", raising) == reason


# -- the file


def test_only_the_statement_of_the_question_is_written_anew(tmp_path: Path) -> None:
    doors = f"# before, as it was\n\n\n{IF}\n\nX = 'after'   # as it was\n"
    made = spoil(tmp_path, "drop-guard", doors)
    assert isinstance(made, Mutant)
    [(path, content)] = made.files
    assert path == "agent/doors.py"
    assert content.startswith((tmp_path / path).read_bytes().split(b"def door")[0])
    assert content.endswith(b"\n\n\nX = 'after'   # as it was\n")
    assert (tmp_path / path).read_text(encoding="utf-8").endswith(doors)


def test_the_words_of_a_file_survive_in_its_own_encoding(tmp_path: Path) -> None:
    doors = IF.replace("PermissionError(name)", "PermissionError('thé ☕')") + "\n\nTEA = 'thé ☕\\u2028'\n"
    made = spoil(tmp_path, "invert", doors)
    assert isinstance(made, Mutant)
    assert made.files[0][1].decode("utf-8").count("thé ☕") == 2


def test_a_file_in_another_encoding_stays_in_it(tmp_path: Path) -> None:
    registry = write(tmp_path, "", {"door": "named"})
    path = tmp_path / "agent" / "doors.py"
    path.write_bytes(f"# coding: latin-1\n{HEAD}{IF}\nTEA = 'thé'\n".encode("latin-1"))
    line = path.read_bytes().split(b"# asked")[0].count(b"\n") + 1
    code = Code(registry)
    [asking] = askings(code, {(Place("agent/doors.py", line),): ("door",)})
    made = mutant(code, asking, BY_ID["invert"])
    assert isinstance(made, Mutant)
    assert made.files[0][1].decode("latin-1").endswith("TEA = 'thé'\n")


def test_questions_that_stand_in_for_each_other_are_spoiled_together(tmp_path: Path) -> None:
    doors = IF + IF.replace("def door", "\n\ndef helper")
    assert diff(tmp_path, "drop-guard", doors) == [f"-if {CALL}:", "-raise PermissionError(name)"] * 2


def test_two_questions_on_one_line_are_spoiled_together(tmp_path: Path) -> None:
    doors = IF.replace(f"if {CALL}", f"if {CALL} or sealed(skill.name, turn.category)")
    assert diff(tmp_path, "constant-principal", doors)[1] == (
        "+if sealed(skill.categories, 'somebody') or sealed(skill.name, 'somebody'):"
    )


def test_a_line_without_a_call_of_the_seal_is_left_alone(tmp_path: Path) -> None:
    doors = "def door(turn, skills):\n    return list(filter(sealed, skills))  # asked\n"
    assert why(tmp_path, "drop-guard", doors) == "no call of the seal by its name stands on that line"


@pytest.mark.parametrize(
    "other",
    ["import_ as", "check = sealed", "check = partial(sealed, category=turn.category)", "check = agent.seal.sealed"],
)
def test_the_seal_is_found_under_its_other_names(tmp_path: Path, other: str) -> None:
    made = "from agent.seal import sealed as check" if other == "import_ as" else other
    doors = IF.replace("    if sealed(skill.categories, turn.category)", f"    {made}\n    if check(skill.categories)")
    assert diff(tmp_path, "drop-guard", doors) == ["-if check(skill.categories):", "-raise PermissionError(name)"]
    assert diff(tmp_path, "constant-subject", doors)[1] == "+if check(()):"
    assert why(tmp_path, "constant-principal", doors) == "which argument names the principal cannot be told"


def test_arguments_that_are_bound_already_are_not_counted_again(tmp_path: Path) -> None:
    bound = "    check = partial(sealed, skill.categories)\n    if check(turn.category)"
    doors = IF.replace("    if sealed(skill.categories, turn.category)", bound)
    assert diff(tmp_path, "constant-principal", doors)[1] == "+if check('somebody'):"
    assert why(tmp_path, "constant-subject", doors) == "which argument names the subject cannot be told"


def test_statements_that_share_a_line_are_left_alone(tmp_path: Path) -> None:
    doors = "X = 1; Y = sealed((), 'hr')  # asked\n\n\ndef door():\n    return None\n"
    assert why(tmp_path, "drop-guard", doors) == "the statement shares its line with another one"
