"""`invariants hook`: judge what is staged, and let it pass or say why not."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_invariants.cli import UsageError
from pytest_invariants.hook import ledger
from pytest_invariants.hook.beside import Beside
from pytest_invariants.hook.cache import Cache
from pytest_invariants.hook.compare import Change, Kind, compare
from pytest_invariants.hook.git import LINK, Git, Tree
from pytest_invariants.hook.grounds import Files, grounds_of
from pytest_invariants.hook.layouts import Found, Layouts, as_bytes, from_bytes, layout_of, listing_of
from pytest_invariants.hook.proposal import propose
from pytest_invariants.hook.quick import UNTOUCHED
from pytest_invariants.hook.sides import Trees, sides
from pytest_invariants.hook.snapshot import REGISTRY, Snapshot, laid_out, registries, snapshot
from pytest_invariants.hook.standing import Standing
from pytest_invariants.hook.wording import Registered, describe, summary

if TYPE_CHECKING:
    from pytest_invariants.hook.judge import Judged

HOLDS, FALLS, MISUSED, NOTHING_EXAMINED = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user asked for. `registry` is a path from the current folder; None means every one that is staged."""

    registry: Path | None = None
    fix: bool = False
    ledger: bool = False


def run(choice: Choice, environment: Mapping[str, str] = os.environ) -> int:
    """Judge every registry and return the exit status: the gravest of them.

    :raises UsageError: where there is no registry, or git cannot answer.
    """
    git = Git(Path.cwd())
    trees = sides(git, environment)
    cache = Cache(git.top, environment, trees.after)
    paths = _chosen(git, trees, choice)
    statuses = [Hook(git, trees, cache, choice, path).answer() for path in paths]
    return next(status for status in (MISUSED, FALLS, NOTHING_EXAMINED, HOLDS) if status in statuses)


def _chosen(git: Git, trees: Trees, choice: Choice) -> list[str]:
    if choice.registry is not None:
        file = choice.registry.resolve()
        file = file / REGISTRY if file.is_dir() else file
        if not file.is_relative_to(git.top.resolve()):
            raise UsageError(f"{choice.registry}: lies outside the repository {git.top}")
        return [file.relative_to(git.top.resolve()).as_posix()]
    found = sorted({*registries(trees.before), *registries(trees.after)})
    if not found:
        raise UsageError(f"no {REGISTRY} is staged; write one with `invariants init`, and stage it")
    return found


class Hook:
    """The judgement of one registry."""

    def __init__(self, git: Git, trees: Trees, cache: Cache, choice: Choice, registry: str) -> None:
        self.git, self.trees, self.cache, self.choice, self.registry = git, trees, cache, choice, registry
        self.before = snapshot(git, trees.before, registry)
        self.after = snapshot(git, trees.after, registry)
        self.layouts = Layouts(git, cache, registry)
        self._beside: Beside | None = None

    def answer(self) -> int:
        """Print what is said, keep it for the next time that the same is asked, and return the exit status."""
        said = io.StringIO()
        try:
            with redirect_stdout(said):
                status = self.run()
        finally:
            print(said.getvalue(), end="")
        if self.choice == Choice() and self.before is not None and status in (HOLDS, FALLS):
            self.layouts.keep_answer(self.trees.before, self.trees.after, status, said.getvalue())
        return status

    def run(self) -> int:
        if self.after is None:
            remedy = "stage it" if (self.git.top / self.registry).exists() else "bring it back"
            print(f"{self.registry}: the registry is not staged, so nothing can be judged; {remedy}")
            return MISUSED
        if self.trees.after[self.registry].mode == LINK:
            print(
                f"{self.registry}: the registry is a link, which git holds without what it leads to; stage the file itself"
            )
            return MISUSED
        if self._untouched(self.after) and not self.choice.ledger:
            return self._nothing_to_judge()
        if self._bears_on_nothing(self.after):
            return self._nothing_to_judge()
        self._beside = self._start_before()
        try:
            return self._touched(self.after)
        finally:
            if self._beside is not None:
                self._beside.stop()

    def _touched(self, after: Snapshot) -> int:
        standing = self.standing(after, self.trees.after)
        if standing.problems:
            print("\n".join(map(str, standing.problems)))
            return MISUSED
        if self._untouched(after) and not self.choice.ledger:  # it is known now which files count
            return self._nothing_to_judge()
        return self._judge(after, standing)

    def _nothing_to_judge(self) -> int:
        print(f"{self.registry}: {UNTOUCHED}")
        return HOLDS

    def _untouched(self, after: Snapshot) -> bool:
        if self.before is None or self._ledger_is_changed():
            return False
        if self.before.is_like(after):
            return True
        keys = self.layouts.key(self.trees.before), self.layouts.key(self.trees.after)
        return keys[0] is not None and keys[0] == keys[1]

    def _ledger_is_changed(self) -> bool:
        side = ledger.path_beside(self.registry)
        return self.trees.before.get(side) != self.trees.after.get(side)

    def _bears_on_nothing(self, after: Snapshot) -> bool:
        """Whether a change that was not judged before can be told to leave all verdicts as they are; if so, that is kept."""
        if self.before is None or self._ledger_is_changed() or self.choice.fix or self.choice.ledger:
            return False
        if self._known(after, self.trees.after) is not None:
            return False
        from pytest_invariants.hook.scout import scout

        layout = scout(self.git, self.trees, self.before, after)
        if layout is None:
            return False
        self.layouts.learn(self.trees.before, layout)
        self.layouts.learn(self.trees.after, layout)
        return True

    def standing(self, shot: Snapshot, tree: Tree) -> Standing:
        """How a snapshot of a tree stands: as it was found before, or by the prover."""
        return self._known(shot, tree) or self._keep(shot, tree, self._find(shot, tree))

    def _known(self, shot: Snapshot, tree: Tree) -> Standing | None:
        return self.cache.get(self.layouts.key(tree) or shot.key) or self.layouts.carry(shot, tree)

    def _find(self, shot: Snapshot, tree: Tree) -> Found:
        judged = self._examine(shot, tree)
        layout = layout_of(shot, judged.program)
        if layout is None or judged.program is None:
            return judged.standing, layout, None
        files = Files.of(shot, layout, listing_of(tree))
        return judged.standing, layout, grounds_of(files, judged.program, judged.names)

    def _keep(self, shot: Snapshot, tree: Tree, found: Found) -> Standing:
        self.layouts.keep(shot, tree, found)
        return found[0]

    def _start_before(self) -> Beside | None:
        """Begin to judge the last commit, where that will be needed."""
        shot, tree = self.before, self.trees.before
        if shot is None or self.after is None or self.choice.ledger or self._known(shot, tree) is not None:
            return None
        if self._known(self.after, self.trees.after) is not None:
            return None
        return Beside(lambda: as_bytes(self._find(shot, tree)))

    def _before(self, shot: Snapshot) -> Standing:
        tree = self.trees.before
        known = self.layouts.carry(shot, tree)  # by what is staged, which is known by now
        if known is not None:
            return known
        said = self._beside.result() if self._beside is not None else None
        return self._keep(shot, tree, from_bytes(said)) if said is not None else self.standing(shot, tree)

    def _examine(self, shot: Snapshot, tree: Tree) -> Judged:
        from pytest_invariants.hook.judge import examine_folder

        staged = tree is self.trees.staged
        return laid_out(self.git, shot, lambda root: examine_folder(root / shot.registry, root), staged=staged)

    def _judge(self, shot: Snapshot, standing: Standing) -> int:
        if self.choice.ledger:
            return self._write_ledger(standing)
        changes = self._changes(shot, standing)
        loose = [change.door for change in changes if change.door and change.kind is not Kind.RENAMED]
        rows = propose(loose, standing.by_id)
        about = Registered(self.registry, shot.root, self._text(self.registry), standing, rows)
        print(describe(changes, about) + summary(changes, about), end="")
        failing = any(change.fails for change in changes)
        if self.choice.fix:
            from pytest_invariants.hook.fix import fix

            failing |= fix(self.git, shot, about, changes)
        failing |= self._ledger_is_old(standing)
        if failing:
            return FALLS
        return HOLDS if standing.doors else self._nothing()

    def _nothing(self) -> int:
        print(f"{self.registry}: no door was found: nothing that it calls a capability gets out anywhere")
        return NOTHING_EXAMINED

    def _changes(self, shot: Snapshot, after: Standing) -> tuple[Change, ...]:
        accepted = ledger.accepted(self._text(ledger.path_beside(self.registry)))
        if self.before is None:
            alone = compare(Standing(), after, {}, accepted)
            return alone if self.trees.before else tuple(one for one in alone if one.kind is not Kind.ADDED)
        from pytest_invariants.hook.renames import Side, renames

        before = self._before(self.before)
        renamed = renames(self.git, Side(self.before.files, before), Side(shot.files, after))
        return compare(before, after, renamed, accepted)

    def _text(self, path: str) -> str:
        """A staged file; empty where there is none."""
        blob = self.trees.after.get(path)
        return self.git.contents([blob.id])[blob.id].decode(errors="replace") if blob else ""

    def _write_ledger(self, standing: Standing) -> int:
        from pytest_invariants.report import output

        path = ledger.path_beside(self.registry)
        output.write(self.git.top / path, ledger.text(standing))
        print(f"{path}: written; read what changed, and stage it")
        return HOLDS

    def _ledger_is_old(self, standing: Standing) -> bool:
        path = ledger.path_beside(self.registry)
        if path not in self.trees.after:
            return False
        kept, now = self._text(path), ledger.text(standing)
        if kept == now:
            return False
        print(f"{path}: the ledger says otherwise; `invariants hook --ledger` writes it anew, for review:")
        print(*difference(kept, now), sep="\n")
        return True


def difference(old: str, new: str) -> list[str]:
    """The changed lines of a ledger, each after its surface."""
    import difflib

    rows = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    return [f"    {row}" for row in list(rows)[2:] if not row.startswith("@@")]
