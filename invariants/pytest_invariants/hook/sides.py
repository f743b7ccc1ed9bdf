"""The two sides of a change: what is staged and the last commit, or one commit and another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_invariants.hook.git import Git, Tree


@dataclass(frozen=True, slots=True)
class Trees:
    """The two sides of a change. Where nothing was changed, `before` is empty: then all of it is judged."""

    before: Tree
    after: Tree
    staged: Tree | None = None
    """`after`, where that is what is staged."""


def sides(git: Git, environment: Mapping[str, str]) -> Trees:
    """What is staged against the last commit, or one commit against another where the runner of the hook says so."""
    start, end = environment.get("PRE_COMMIT_FROM_REF"), environment.get("PRE_COMMIT_TO_REF")
    if start and end:
        to = git.commit(end)
        return Trees(git.tree(git.merge_base(git.commit(start), to)), git.tree(to))
    before, after = git.tree(git.head()), git.staged()
    return Trees({} if before == after else before, after, after)
