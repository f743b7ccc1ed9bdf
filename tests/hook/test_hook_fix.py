"""`--fix` writes what is true into the registry, and nothing else; the ledger is for reviewers."""

from __future__ import annotations

import pytest

from tests.hook.scratch import FILES, PREVIEW_ROW, REGISTRY, ROW, SEALED, UNSEALED, Scratch

DOORS = FILES["agent/doors.py"]
STORE = "from agent.store import STORE\n"


def registry(repository: Scratch) -> str:
    return (repository.top / REGISTRY).read_text(encoding="utf-8")


def test_the_row_of_a_door_that_asks_is_written_and_the_next_commit_passes(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    run = repository.hook("--fix")
    assert run.returncode == 1
    assert "entrypoints/registry.yaml: changed; read it, and stage it" in run.stdout
    assert registry(repository) == FILES[REGISTRY] + PREVIEW_ROW
    repository.git("add", REGISTRY)
    assert repository.hook("--fix").returncode == 0


def test_a_door_that_does_not_ask_gets_no_row_and_no_exemption(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": STORE + DOORS + UNSEALED})
    assert repository.hook("--fix").returncode == 1
    assert registry(repository) == FILES[REGISTRY]


def test_of_two_doors_only_the_one_that_asks_is_written(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": STORE + DOORS + UNSEALED.replace("preview", "peek") + SEALED})
    assert repository.hook("--fix").returncode == 1
    assert registry(repository) == FILES[REGISTRY] + PREVIEW_ROW


def test_comments_order_and_style_of_the_file_stay(repository: Scratch) -> None:
    own = FILES[REGISTRY].replace(ROW, "  # first\n  activate: {manner: named, function: agent.doors:activate} # why\n")
    repository.stage({REGISTRY: own + "policies: {refusal: truthful}  # ours\n"})
    repository.commit()
    repository.add("agent/doors.py", SEALED)
    repository.hook("--fix")
    row = "  preview: {function: agent.doors:preview, manner: named}\n"
    assert registry(repository) == own + row + "policies: {refusal: truthful}  # ours\n"


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_the_new_name_of_a_renamed_door_is_written_into_its_row(repository: Scratch, quote: str) -> None:
    row = f"  activate: {{manner: named, function: {quote}agent.doors:activate{quote}}}  # why\n"
    repository.replace(REGISTRY, ROW, row)
    repository.commit()
    repository.replace("agent/doors.py", "def activate", "def open_skill")
    assert repository.hook("--fix").returncode == 1
    assert registry(repository) == FILES[REGISTRY].replace(ROW, row.replace("doors:activate", "doors:open_skill"))
    repository.git("add", REGISTRY)
    assert repository.hook().returncode == 0


def test_a_renamed_door_that_stopped_asking_keeps_its_old_row(repository: Scratch) -> None:
    repository.replace("agent/doors.py", "def activate", "def open_skill")
    repository.replace("agent/gate.py", "    require_open(turn, skill)\n", "")
    run = repository.hook("--fix")
    assert run.returncode == 1
    assert "not written, since it would not be proved" in run.stdout
    assert registry(repository) == FILES[REGISTRY]


def test_a_row_that_stands_unstaged_in_the_work_tree_is_not_written_twice(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    repository.write({REGISTRY: FILES[REGISTRY] + PREVIEW_ROW})
    run = repository.hook("--fix")
    assert run.returncode == 1
    assert "is there already" in run.stdout
    assert registry(repository) == FILES[REGISTRY] + PREVIEW_ROW


def test_two_new_doors_of_one_name_get_ids_of_their_own(repository: Scratch) -> None:
    repository.stage(
        {"agent/one.py": DOORS.replace("activate", "show"), "agent/two.py": DOORS.replace("activate", "show")}
    )
    repository.hook("--fix")
    assert registry(repository) == FILES[REGISTRY] + (
        '  one_show: {function: "agent.one:show", manner: named}\n'
        '  two_show: {function: "agent.two:show", manner: named}\n'
    )


# -- the ledger

LEDGER = "entrypoints/ledger.txt"


def ledger(repository: Scratch) -> str:
    return (repository.top / LEDGER).read_text(encoding="utf-8")


def with_ledger(repository: Scratch) -> Scratch:
    assert repository.hook("--ledger").returncode == 0
    repository.git("add", LEDGER)
    repository.commit()
    return repository


def test_the_ledger_has_names_and_conditions_and_no_line_numbers(repository: Scratch) -> None:
    with_ledger(repository)
    assert ledger(repository).partition("\n\n")[2] == (
        "activate: agent.doors:activate, named\n"
        "  proved to level 5\n"
        "  by agent/checks.py: require_open: if sealed(skill.categories, turn.category)\n"
    )


def test_lines_that_move_do_not_change_the_ledger(repository: Scratch) -> None:
    with_ledger(repository)
    repository.stage({"agent/checks.py": "# a comment\n\n" + FILES["agent/checks.py"]})
    assert repository.hook().returncode == 0


def test_a_changed_condition_asks_for_a_new_ledger_and_shows_the_difference(repository: Scratch) -> None:
    with_ledger(repository)
    repository.replace(
        "agent/checks.py",
        "if sealed(skill.categories, turn.category):",
        "if turn.category == 'x' or sealed(skill.categories, turn.category):",
    )
    run = repository.hook()
    assert run.returncode == 1
    assert "    -  by agent/checks.py: require_open: if sealed(skill.categories, turn.category)\n" in run.stdout
    assert "    +  by agent/checks.py: require_open: if turn.category == 'x' or sealed(" in run.stdout
    repository.hook("--ledger")
    repository.git("add", LEDGER)
    assert repository.hook().returncode == 0


UNDECIDED = "\n\ndef forward(turn, name, plugin):\n    plugin.check(turn, name)\n    return STORE.get(name).body\n"


def test_undecided_fails_until_the_ledger_says_so_and_refuted_fails_all_the_same(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": STORE + DOORS + UNDECIDED})
    repository.add(REGISTRY, '  forward: {function: "agent.doors:forward", manner: named}\n')
    run = repository.hook()
    assert run.returncode == 1
    assert "undecided: forward is undecided" in run.stdout
    with_ledger(repository)
    repository.git("reset", "--quiet", "--soft", "HEAD~1")
    run = repository.hook()
    assert run.returncode == 0, run.stdout
    assert "as the ledger says" in run.stdout
    repository.replace("agent/doors.py", "    plugin.check(turn, name)\n", "")
    repository.hook("--ledger")
    repository.git("add", LEDGER)
    run = repository.hook()
    assert run.returncode == 1
    assert "unguarded: forward is refuted" in run.stdout
