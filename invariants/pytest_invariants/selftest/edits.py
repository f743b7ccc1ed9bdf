"""Declared mutants: small edits of the source, each with the invariant that is meant to notice it.

`invariants selftest --mutants FILE` reads them from YAML. Nothing is changed but copies::

    mutants:
      index-kept:
        what: The list of skills is made once and kept.
        invariant: seal-decides
        surface: index
        file: entrypoints/index.py
        old: |
          def render_index(turn):
        new: |
          @cache
          def render_index(turn):

`also` holds further edits. `surface` may be left out; then every surface is asked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.registry.kinds import Choice, Text
from pytest_invariants.registry.model import Registry
from pytest_invariants.registry.nodes import compose
from pytest_invariants.registry.problems import Problem, RegistryError, quoted
from pytest_invariants.registry.records import Field, Record, Row
from pytest_invariants.registry.shapes import ListOf, MapOf
from pytest_invariants.registry.spot import FAILED, Spot
from pytest_invariants.registry.words import name, sentence
from pytest_invariants.verdict import Place


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` stands exactly once in `path`, and is replaced by `new`."""

    path: str
    old: str
    new: str
    at: Place

    def applied(self, text: str) -> str:
        return text.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Declared:
    """One mutant. `what` says in words what was done, `surface` is empty where all of them are asked."""

    id: str
    what: str
    invariant: str
    surface: str
    edits: tuple[Edit, ...]
    at: Place

    def put(self, root: Path) -> None:
        """Spoil a copy of the repository.

        :raises ValueError: where a text does not stand there once, for the code has changed since the mutant was read.
        """
        for edit in self.edits:
            file = root / edit.path
            text = file.read_text(encoding="utf-8")
            if text.count(edit.old) != 1:
                raise ValueError(f"the text at {edit.at} stands {text.count(edit.old)} times in {edit.path}")
            file.write_text(edit.applied(text), encoding="utf-8")


def _code(example: str) -> Text[str]:
    return Text("some lines of a file", r"[\s\S]+", str, example)


WHAT = Field("what", sentence("The list is kept."), "What was done, in one line of words.", required=True)
INVARIANT = Field(
    "invariant",
    Choice({invariant.id: invariant.id for invariant in CATALOGUE}),
    "The invariant that is meant to notice it.",
    required=True,
)
SURFACE = Field("surface", name("index"), "The surface at which it is to be noticed.")
FILE = Field("file", sentence("agent/doors.py"), "The file, from the repository's root.", required=True)
OLD = Field("old", _code('"if sealed:"'), "Text that stands exactly once in the file.", required=True)
NEW = Field("new", Text("text", r"[\s\S]*", str, '"if False:"'), "What takes its place.", required=True)
ALSO = Field("also", ListOf(Record((FILE, OLD, NEW), lambda row: _edit(row)), unique=False), "Further edits.")
MUTANTS = Field(
    "mutants",
    MapOf(
        name("index-kept"),
        Record((WHAT, INVARIANT, SURFACE, FILE, OLD, NEW, ALSO), lambda row: _declared(row)),
        least=1,
    ),
    "The mutants, each under an id of your choice.",
    required=True,
)
EMPTY = "the file holds no mutant", "write at least one under `mutants`"
FORMAT: Record[Row] = Record((MUTANTS,), build=lambda row: row, sample="mutants: {}")


def read_mutants(path: Path, registry: Registry) -> tuple[Declared, ...]:
    """The mutants of a file, in its order.

    :raises RegistryError: with every mistake at once: of the form, and texts that do not stand once where they should.
    """
    shown = path.as_posix()
    problems: list[Problem] = []
    row = FORMAT.read(compose(_text(path), shown, EMPTY), Spot(shown, registry.root, problems))
    if row is FAILED or problems:
        raise RegistryError(problems)
    found = tuple(row[MUTANTS].values())
    mistakes = [mistake for mutant in found for mistake in _mistakes(mutant, registry)]
    if mistakes:
        raise RegistryError(mistakes)
    return found


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise RegistryError(
            [Problem(str(path), 0, 0, f"the mutants cannot be read ({reason})", "check the path")]
        ) from error
    return text


def _edit(row: Row) -> Edit:
    return Edit(row[FILE], row[OLD], row[NEW], row.at)


def _declared(row: Row) -> Declared:
    edits = (_edit(row), *row.get(ALSO, ()))
    return Declared(row.name, " ".join(row[WHAT].split()), row[INVARIANT], row.get(SURFACE, ""), edits, row.at)


def _mistakes(mutant: Declared, registry: Registry) -> Iterator[Problem]:
    def problem(at: Place, message: str, remedy: str) -> Problem:
        return Problem(at.path, at.line, 1, f"`{mutant.id}`: {message}", remedy)

    if mutant.surface and mutant.surface not in {surface.id for surface in registry.surfaces}:
        yield problem(mutant.at, f"the registry has no surface {quoted(mutant.surface)}", "correct `surface`")
    texts: dict[str, str] = {}
    for edit in mutant.edits:
        try:
            text = texts.get(edit.path) or _inside(registry.root, edit.path).read_text(encoding="utf-8")
        except (OSError, ValueError):
            said = f"there is no readable file {quoted(edit.path)} in the repository"
            yield problem(edit.at, said, "correct `file`: its path from the repository's root")
            continue
        times = text.count(edit.old)
        if times != 1:
            said = f"its text stands {times} times in {quoted(edit.path)}"
            yield problem(
                edit.at, said, "bring the mutant up to date with the code" if not times else "take more of it"
            )
        elif edit.old == edit.new:
            yield problem(edit.at, "it changes nothing", "let `new` differ from `old`")
        texts[edit.path] = edit.applied(text)
    yield from (problem(mutant.at, said, "correct `new`") for said in _broken(texts))


def _inside(root: Path, path: str) -> Path:
    """A file of the repository: an edit of any other one would not be made in the copy alone.

    :raises ValueError: where the path is absolute or leads out of the repository, through a link or without.
    """
    if Path(path).is_absolute() or not (root / path).resolve().is_relative_to(root.resolve()):
        raise ValueError(path)
    return root / path


def _broken(texts: dict[str, str]) -> Iterator[str]:
    """Python files that the edits leave unreadable: such a mutant would be killed for nothing."""
    for path, text in texts.items():
        if path.endswith(".py"):
            try:
                ast.parse(text)
            except SyntaxError as error:
                where = f", in line {error.lineno}" if error.lineno else ""
                yield f"{quoted(path)} is no Python any more{where} ({error.msg})"
            except (ValueError, RecursionError, MemoryError) as error:
                yield f"{quoted(path)} is no Python any more ({str(error) or 'nested too deeply'})"
