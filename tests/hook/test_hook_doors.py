"""What the hook says of a staged change to the doors: each kind of harm, and its harmless twin."""

from __future__ import annotations

import pytest

from tests.hook.scratch import FILES, PREVIEW_ROW, REGISTRY, ROW, SEALED, UNSEALED, Scratch

DOORS = FILES["agent/doors.py"]


def test_a_new_door_without_the_seal_fails_with_the_function_the_way_and_the_row(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": "from agent.store import STORE\n" + DOORS + UNSEALED})
    run = repository.hook()
    assert run.returncode == 1
    assert "agent/doors.py:10: new door: agent.doors:preview lets a capability out" in run.stdout
    assert "    agent/doors.py:11  `agent.store:Skill.body` gets out\n" in run.stdout
    assert "agent.seal:sealed was not asked about: ask there, and then add to `surfaces` of" in run.stdout
    assert f"\n    {PREVIEW_ROW}" in run.stdout


def test_with_the_seal_it_still_needs_its_row(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    run = repository.hook()
    assert run.returncode == 1
    assert "It asks agent.seal:sealed." in run.stdout
    assert f"\n    {PREVIEW_ROW}" in run.stdout


def test_with_the_seal_and_the_row_it_passes(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    repository.add(REGISTRY, PREVIEW_ROW)
    run = repository.hook()
    assert (run.returncode, run.stderr) == (0, "")
    assert "the surface preview is new, and proved to level 5" in run.stdout


def test_the_row_alone_does_not_let_an_unsealed_door_pass(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": "from agent.store import STORE\n" + DOORS + UNSEALED})
    repository.add(REGISTRY, PREVIEW_ROW)
    run = repository.hook()
    assert run.returncode == 1
    assert "unguarded: preview is refuted" in run.stdout
    assert "remedy: " in run.stdout


def test_a_seal_call_removed_three_calls_away_fails(repository: Scratch) -> None:
    repository.replace("agent/checks.py", "if sealed(skill.categories, turn.category):", "if skill.name is None:")
    run = repository.hook()
    assert run.returncode == 1
    assert "unguarded: activate was proved to level 5 and is refuted at level 0 (never-reaches-seal)" in run.stdout
    assert "agent/doors.py:6  `agent.store:Skill.body` gets out" in run.stdout


def test_a_helper_that_is_written_anew_and_still_asks_passes(repository: Scratch) -> None:
    old = "    if sealed(skill.categories, turn.category):\n        raise Refused(skill.name)\n"
    new = "    if not sealed(skill.categories, turn.category):\n        return\n    raise Refused(skill.name)\n"
    repository.replace("agent/checks.py", old, new)
    run = repository.hook()
    assert run.returncode == 0, run.stdout


def test_a_deleted_helper_that_asked_fails(repository: Scratch) -> None:
    repository.stage({"agent/checks.py": "class Refused(Exception):\n    pass\n"})
    repository.replace("agent/gate.py", "import Refused, require_open", "import Refused")
    repository.replace("agent/gate.py", "    require_open(turn, skill)\n", "")
    assert "unguarded: activate" in repository.hook().stdout


@pytest.mark.parametrize(
    ("files", "new"),
    [
        ({"agent/doors.py": DOORS.replace("def activate", "def open_skill")}, "agent.doors:open_skill"),
        ({"agent/doors.py": None, "agent/entry.py": DOORS}, "agent.entry:activate"),
        (
            {"agent/doors.py": None, "agent/entry.py": DOORS.replace("def activate", "async def open_skill")},
            "agent.entry:open_skill",
        ),
    ],
    ids=["another name", "another module", "both, and asynchronous"],
)
def test_a_renamed_surface_is_recognised_and_its_row_asked_for(
    repository: Scratch, files: dict[str, str | None], new: str
) -> None:
    repository.stage(files)
    run = repository.hook()
    assert run.returncode == 1
    assert f"renamed: the function of the surface activate was agent.doors:activate and is {new} now" in run.stdout
    assert f'in entrypoints/registry.yaml:14 write `function: "{new}"`' in run.stdout
    assert "1 to mend" in run.stdout


def test_a_renamed_surface_with_its_row_passes_and_is_called_renamed(repository: Scratch) -> None:
    repository.replace("agent/doors.py", "def activate", "def open_skill")
    repository.replace(REGISTRY, "agent.doors:activate", "agent.doors:open_skill")
    run = repository.hook()
    assert run.returncode == 0, run.stdout
    assert "note: activate was agent.doors:activate and is agent.doors:open_skill now" in run.stdout


def test_another_door_in_place_of_a_removed_one_is_not_called_renamed(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": "from agent.store import STORE\n\n\ndef dump():\n    return STORE.all()\n"})
    run = repository.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:dump lets a capability out" in run.stdout
    assert "removed: the surface activate names agent.doors:activate" in run.stdout
    assert "renamed" not in run.stdout
    assert 'dump: {function: "agent.doors:dump", manner: browse}' in run.stdout


def test_a_removed_door_fails_while_its_row_stands(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    repository.add(REGISTRY, PREVIEW_ROW)
    repository.commit()
    repository.replace("agent/doors.py", SEALED, "\n")
    run = repository.hook()
    assert run.returncode == 1
    assert "take the row out of entrypoints/registry.yaml:15" in run.stdout
    repository.replace(REGISTRY, PREVIEW_ROW, "")
    run = repository.hook()
    assert run.returncode == 0
    assert "note: the surface preview (agent.doors:preview) is gone" in run.stdout


def test_taking_out_the_row_does_not_close_the_door(repository: Scratch) -> None:
    repository.add("agent/doors.py", SEALED)
    repository.add(REGISTRY, PREVIEW_ROW)
    repository.commit()
    repository.replace(REGISTRY, PREVIEW_ROW, "")
    assert "new door: agent.doors:preview" in repository.hook().stdout


def test_an_unrelated_change_passes_without_a_proof(repository: Scratch) -> None:
    repository.stage({"README.md": "An agent, and more.\n", "tools/build.py": "print(1)\n"})
    run = repository.hook()
    assert run.returncode == 0
    assert run.stdout == "entrypoints/registry.yaml: no staged change touches what it judges\n"


def test_an_exemption_that_is_not_needed_any_more_fails(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": "from agent.store import STORE\n" + DOORS + UNSEALED})
    exempt = 'exempt:\n  - {function: "agent.doors:preview", reason: "operators only"}\n'
    repository.add(REGISTRY, exempt)
    assert repository.hook().returncode == 0
    repository.commit()
    repository.stage({"agent/doors.py": DOORS})
    run = repository.hook()
    assert run.returncode == 1
    assert "stale exemption: the exemption of agent.doors:preview is not needed any more" in run.stdout


def test_a_file_that_does_not_parse_fails(repository: Scratch) -> None:
    repository.stage({"agent/more.py": "def broken(:\n"})
    run = repository.hook()
    assert run.returncode == 1
    assert "agent/more.py:1: unreadable" in run.stdout


def test_what_was_wrong_before_is_said_and_does_not_stop_other_changes(repository: Scratch) -> None:
    repository.stage({"agent/doors.py": "from agent.store import STORE\n" + DOORS + UNSEALED})
    repository.commit()
    repository.add("agent/doors.py", "\n\nVERSION = 1\n")
    run = repository.hook()
    assert run.returncode == 0
    assert "note: agent.doors:preview is covered by nothing, and was not before this change" in run.stdout
    repository.add("agent/doors.py", UNSEALED.replace("preview", "peek"))
    run = repository.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:peek" in run.stdout


def test_where_nothing_is_staged_all_of_it_is_judged(repository: Scratch) -> None:
    run = repository.hook()
    assert (run.returncode, run.stdout) == (0, "entrypoints/registry.yaml: 1 of 1 surfaces proved, nothing to mend\n")
    repository.stage({"agent/doors.py": "from agent.store import STORE\n" + DOORS + UNSEALED})
    repository.commit()
    run = repository.hook()
    assert run.returncode == 1
    assert "new door: agent.doors:preview" in run.stdout


def test_a_registry_that_finds_no_door_is_no_pass(repository: Scratch) -> None:
    repository.replace(REGISTRY, 'of: "agent.store:Skill.body"', 'of: "agent.store:Skill.name"')
    repository.replace("agent/doors.py", ".body", ".categories")
    run = repository.hook()
    assert run.returncode == 1
    assert "(no-grant)" in run.stdout


def test_mistakes_in_the_registry_are_all_told_with_paths_of_the_repository(repository: Scratch) -> None:
    repository.replace(REGISTRY, "verdict: sealed", "verdict: closed")
    repository.replace(REGISTRY, "code: [agent]", "code: [agnet]")
    run = repository.hook()
    assert run.returncode == 2
    assert (
        "entrypoints/registry.yaml:3:8: `code[0]`: there is no folder or package `agnet` in what is staged"
        in run.stdout
    )
    assert "entrypoints/registry.yaml:6:" in run.stdout


def test_a_repository_without_a_registry_is_told_how_to_get_one(repository: Scratch) -> None:
    repository.stage({REGISTRY: None})
    run = repository.hook()
    assert run.returncode == 2
    assert "the registry is not staged" in run.stdout
    repository.commit()
    run = repository.hook()
    assert run.returncode == 2
    assert "invariants init" in run.stderr


def test_every_registry_of_a_repository_is_judged(repository: Scratch) -> None:
    other = Scratch(repository.top, repository.top / "services" / "other")
    other.stage({**FILES, "agent/doors.py": "from agent.store import STORE\n" + DOORS + UNSEALED})
    run = repository.hook()
    assert run.returncode == 1
    assert "services/other/agent/doors.py:10: new door: agent.doors:preview" in run.stdout
    assert "entrypoints/registry.yaml: no staged change touches what it judges" in run.stdout
    assert "new door" not in repository.hook("--registry", REGISTRY).stdout


def test_the_row_is_shown_in_the_style_of_the_registry(repository: Scratch) -> None:
    block = "  activate:\n      function: 'agent.doors:activate'\n      manner: named\n"
    repository.replace(REGISTRY, ROW, block)
    repository.commit()
    repository.add("agent/doors.py", SEALED)
    expected = "      preview:\n          function: 'agent.doors:preview'\n          manner: named\n"
    assert expected in repository.hook().stdout
