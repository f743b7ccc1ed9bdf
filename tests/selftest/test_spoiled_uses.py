"""What the operators on arguments, on kept answers and on the order of things make of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.selftest.agents import SEALS
from tests.selftest.spoiling import diff, why

CALL = "sealed(skill.categories, turn.category)"
NAMED = f"""\
def door(turn, name, other):
    skill = STORE.get(name)
    second = STORE.get(other)
    if {CALL}:  # asked
        raise PermissionError(name)
    return skill.run()
"""
LIST = f"""\
def door(turn):
    return [skill.body for skill in STORE.all() if not {CALL}]  # asked
"""
LOOP = f"""\
def door(turn):
    found = []
    for skill in STORE.all():
        if {CALL}:  # asked
            continue
        found.append(skill.body)
    return found
"""
ORDER = f"""\
def door(turn, names):
    found = []
    for name in names:
        skill = STORE.get(name)
        if {CALL}:  # asked
            return None
        found.append(skill.body)
    return found
"""
STATEMENT = f"""\
def door(turn, name):
    skill = STORE.get(name)
    {CALL}  # asked
    return skill.body
"""
FILTER = """\
def door(turn):
    return [skill.body for skill in sealed(STORE.all(), turn.category)]  # asked
"""


# -- swap-subject


def test_another_thing_that_was_looked_up_alike_is_asked_about(tmp_path: Path) -> None:
    put = "+if sealed(second.categories, turn.category):"
    assert diff(tmp_path, "swap-subject", NAMED) == [f"-if {CALL}:", put]


def test_another_parameter_of_the_same_type_is_asked_about(tmp_path: Path) -> None:
    doors = (
        f"def door(turn, skill: Skill, host: Skill):\n    if {CALL}:  # asked\n        return\n    return skill.body\n"
    )
    put = "+if sealed(host.categories, turn.category):"
    assert diff(tmp_path, "swap-subject", doors)[1] == put


def test_what_is_found_later_or_is_of_another_kind_is_no_other_subject(tmp_path: Path) -> None:
    reason = "nothing else of its kind is in sight"
    late = NAMED.replace("    second = STORE.get(other)\n", "").replace(
        "    return", "    third = STORE.get(other)\n    return"
    )
    for doors in (LIST, late, NAMED.replace("STORE.get(other)", "STORE.all()")):
        assert why(tmp_path, "swap-subject", doors) == reason


# -- constants


def test_the_subject_and_the_principal_become_constants(tmp_path: Path) -> None:
    assert diff(tmp_path, "constant-subject", NAMED)[1] == "+if sealed((), turn.category):"
    assert diff(tmp_path, "constant-principal", NAMED)[1] == "+if sealed(skill.categories, 'somebody'):"


@pytest.mark.parametrize(
    "arguments", ["category=turn.category, categories=skill.categories", "skill.categories, category=turn.category"]
)
def test_arguments_are_found_by_name(tmp_path: Path, arguments: str) -> None:
    doors = NAMED.replace("skill.categories, turn.category", arguments)
    put = arguments.replace("turn.category", "'somebody'")
    assert diff(tmp_path, "constant-principal", doors)[1] == f"+if sealed({put}):"


def test_an_argument_that_cannot_be_told_is_left_alone(tmp_path: Path) -> None:
    doors = NAMED.replace("skill.categories, turn.category", "*facts")
    assert why(tmp_path, "constant-subject", doors) == "which argument names the subject cannot be told"
    assert why(tmp_path, "constant-principal", doors) == "which argument names the principal cannot be told"


# -- ask-once


def test_in_a_listing_the_first_element_is_asked_about(tmp_path: Path) -> None:
    first = "next(iter(STORE.all())).categories"
    put = f"+return [skill.body for skill in STORE.all() if not sealed({first}, turn.category)]"
    assert diff(tmp_path, "ask-once", LIST)[1] == put


def test_in_a_loop_the_look_up_of_the_first_name_is_asked_about(tmp_path: Path) -> None:
    assert diff(tmp_path, "ask-once", ORDER)[1] == "+if sealed(STORE.get(next(iter(names))).categories, turn.category):"


def test_a_pair_is_taken_apart(tmp_path: Path) -> None:
    doors = LIST.replace("for skill in STORE.all()", "for _, (skill, _) in enumerate(turn.pairs)")
    assert (
        "sealed(next(iter(enumerate(turn.pairs)))[1][0].categories, turn.category)"
        in diff(tmp_path, "ask-once", doors)[1]
    )


def test_two_loops_are_both_left_at_their_first_element(tmp_path: Path) -> None:
    doors = LIST.replace("for skill in STORE.all()", "for store in turn.stores for skill in store.all()")
    assert (
        "sealed(next(iter(next(iter(turn.stores)).all())).categories, turn.category)"
        in diff(tmp_path, "ask-once", doors)[1]
    )


def test_a_loop_over_something_else_is_no_loop(tmp_path: Path) -> None:
    reason = "the question is in no loop over what it is about"
    around = NAMED.replace("    if", "    for _ in range(2):\n      if").replace("        raise", "          raise")
    for doors in (NAMED, around):
        assert why(tmp_path, "ask-once", doors) == reason


# -- cache-verdict


def test_the_first_answer_is_kept_by_the_subject_alone(tmp_path: Path) -> None:
    key = "str(skill.categories)"
    kept = f"_ANSWERS[{key}] if {key} in _ANSWERS else _ANSWERS.setdefault({key}, {CALL})"
    assert diff(tmp_path, "cache-verdict", NAMED) == ["+_ANSWERS = {}", f"-if {CALL}:", f"+if {kept}:"]


def test_who_has_passed_a_seal_that_raises_is_not_asked_again(tmp_path: Path) -> None:
    assert diff(tmp_path, "cache-verdict", STATEMENT, "raises") == [
        "+_ANSWERS = set()",
        f"-{CALL}",
        "+if str(skill.categories) not in _ANSWERS:",
        f"+{CALL}",
        "+_ANSWERS.add(str(skill.categories))",
    ]


# -- look-alike


def test_the_rule_is_copied_without_its_documentation_and_with_what_it_uses(tmp_path: Path) -> None:
    seal = (
        "from collections.abc import Sequence\n\nOPEN = ()\n\n\n"
        'def sealed(categories: Sequence[str], category: str) -> bool:\n    """The rule."""\n'
        "    return categories != OPEN and category not in categories\n"
    )
    assert diff(tmp_path, "look-alike", NAMED, seal=seal) == [
        "+from agent.seal import OPEN",
        "+def _sealed_here(categories, category):",
        "+return categories != OPEN and category not in categories",
        f"-if {CALL}:",
        "+if _sealed_here(skill.categories, turn.category):",
    ]


def test_only_a_plain_function_is_copied(tmp_path: Path) -> None:
    reason = "the seal is no plain function that could be copied"
    with_ = NAMED.replace(f"if {CALL}", f"with {CALL}")
    assert why(tmp_path, "look-alike", with_, "enters") == reason


# -- append-after


@pytest.mark.parametrize(
    ("listing", "put"),
    [
        (
            "[skill for skill in STORE.all() if {c}]",
            "[*[skill for skill in STORE.all() if {c}], *[skill for skill in STORE.all()]]",
        ),
        (
            "{skill for skill in STORE.all() if {c}}",
            "{*{skill for skill in STORE.all() if {c}}, *{skill for skill in STORE.all()}}",
        ),
        (
            "tuple(skill for skill in STORE.all() if {c})",
            "tuple([*(skill for skill in STORE.all() if {c}), *(skill for skill in STORE.all())])",
        ),
        (
            "{skill.name: skill for skill in STORE.all() if {c}}",
            "{**{skill.name: skill for skill in STORE.all() if {c}}, **{skill.name: skill for skill in STORE.all()}}",
        ),
    ],
)
def test_everything_is_added_to_what_was_filtered(tmp_path: Path, listing: str, put: str) -> None:
    doors = f"def door(turn):\n    return {listing}  # asked\n".replace("{c}", f"not {CALL}")
    assert diff(tmp_path, "append-after", doors)[1] == f"+return {put}".replace("{c}", f"not {CALL}")


def test_everything_is_added_to_what_the_seal_has_filtered(tmp_path: Path) -> None:
    put = "[*sealed(STORE.all(), turn.category), *STORE.all()]"
    assert diff(tmp_path, "append-after", FILTER, "filters")[1] == f"+return [skill.body for skill in {put}]"


def test_a_loop_that_leaves_out_is_run_again_without(tmp_path: Path) -> None:
    assert diff(tmp_path, "append-after", LOOP) == ["+for skill in STORE.all():", "+found.append(skill.body)"]


def test_a_question_that_filters_nothing_has_nothing_to_append(tmp_path: Path) -> None:
    for doors in (NAMED, ORDER, LOOP.replace("if sealed", "if not sealed")):
        assert why(tmp_path, "append-after", doors) == "the question filters no list"


# -- grant-first


def test_the_question_comes_when_all_is_done(tmp_path: Path) -> None:
    assert diff(tmp_path, "grant-first", NAMED) == [
        "+_done = skill.run()",
        "-return skill.run()",
        "+return _done",
    ]
    doors = NAMED.replace("return skill.run()", "skill.run()")
    assert diff(tmp_path, "grant-first", doors) == ["+skill.run()", "-skill.run()"]


def test_a_value_that_leaves_at_the_end_has_nothing_behind_it(tmp_path: Path) -> None:
    reason = "nothing is exercised behind the question in the same block"
    assert why(tmp_path, "grant-first", NAMED.replace(".run()", ".body")) == reason
    assert why(tmp_path, "grant-first", LIST) == "the question is no statement that could be moved"


# -- every operator


@pytest.mark.parametrize("verdict", SEALS)
def test_a_seal_of_every_kind_is_spoiled_in_several_ways(tmp_path: Path, verdict: str) -> None:
    doors = {"filters": FILTER, "enters": STATEMENT.replace(CALL, f"with {CALL}: pass")}.get(verdict, STATEMENT)
    for operator in (
        "drop-guard",
        "constant-principal",
        "append-after" if verdict == "filters" else "constant-subject",
    ):
        assert diff(tmp_path, operator, doors, verdict)


def test_a_filter_of_nothing_is_no_opened_door(tmp_path: Path) -> None:
    assert why(tmp_path, "constant-subject", FILTER, "filters") == "a filter of nothing lets nothing out"
