"""`invariants hook --skills`: judge the SKILL.md files that a change touches."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from pytest_invariants.cli import UsageError
from pytest_invariants.hook.doors import FALLS, HOLDS, NOTHING_EXAMINED
from pytest_invariants.hook.git import LINK, Git
from pytest_invariants.hook.sides import Trees, sides
from pytest_invariants.source.skill_files import Flaw, Style, check_file
from pytest_invariants.source.skill_names import check_tree, is_manual


def run(files: Sequence[str], style: Style, environment: Mapping[str, str]) -> int:
    """Judge what is staged of `files`, or of every skill that the change touches; return the exit status.

    :raises UsageError: where a file is not staged, or git cannot answer.
    """
    git = Git(Path.cwd())
    trees = sides(git, environment)
    chosen = _named(git, trees, files) if files else _touched(trees)
    together = [flaw for flaw in check_tree(trees.after, _targets(git, trees)) if flaw.path in chosen]
    flaws = sorted({*together, *_each(git, trees, chosen, style)})
    for flaw in flaws:
        print(flaw)
    manuals = sum(map(is_manual, chosen))
    wrong = sum(not flaw.note for flaw in flaws)
    print(f"{manuals} skill {'file' if manuals == 1 else 'files'}, {wrong or 'nothing'} to mend")
    if wrong:
        return FALLS
    return NOTHING_EXAMINED if files and not manuals else HOLDS


def _named(git: Git, trees: Trees, files: Sequence[str]) -> set[str]:
    top = git.top.resolve()
    paths = {file: (Path.cwd().resolve() / file) for file in files}
    inside = {file: path.relative_to(top).as_posix() for file, path in paths.items() if path.is_relative_to(top)}
    strangers = [file for file in files if inside.get(file) not in trees.after]
    if strangers:
        raise UsageError(f"{', '.join(strangers)}: not staged; `git add` what is to be judged")
    return set(inside.values())


def _touched(trees: Trees) -> set[str]:
    """The manuals that are new or changed, and the links that are."""
    changed = {path for path, blob in trees.after.items() if trees.before.get(path) != blob}
    return {path for path in changed if is_manual(path) or trees.after[path].mode == LINK}


def _targets(git: Git, trees: Trees) -> dict[str, str]:
    links = {path: blob.id for path, blob in trees.after.items() if blob.mode == LINK}
    contents = git.contents(links.values())
    return {path: os.fsdecode(contents[id]) for path, id in links.items()}


def _each(git: Git, trees: Trees, chosen: Collection[str], style: Style) -> list[Flaw]:
    blobs = {path: trees.after[path] for path in sorted(chosen) if is_manual(path)}
    contents = git.contents(blob.id for blob in blobs.values() if blob.mode != LINK)
    return [
        flaw
        for path, blob in blobs.items()
        if blob.mode != LINK
        for flaw in check_file(contents[blob.id], path, PurePosixPath(path).parent.name, style)
    ]
