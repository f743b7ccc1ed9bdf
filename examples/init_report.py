"""Run `invariants init` on pinned public code bases and on this repository, and write `docs/init-report.md`.

    python examples/init_report.py --sources DIR [--download] [--limit 150] [NAME ...]

Each code base is read without its registry; what comes out is set against the registry that was written for it by hand
(`examples/registries/*`, and `entrypoints/registry.yaml` for this repository). DIR keeps the wheels and what is unpacked
from them; nothing is installed or imported. With NAMEs the page goes to the standard output.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from field.corpus import MissingSource, lay_out
from field.page import table
from field.proposed import Found, Given, proposed
from field.truth import read_cases

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
PAGE = TOP / "docs" / "init-report.md"
OWN = "this repository"
INTRODUCTION = """\
# What `invariants init` finds again

`init` reads a code base that has no registry and proposes one. Here it is run on code bases for which a registry was
written by hand, without that registry; the table says how much of it comes out again. Each is tried three times: told
nothing, told which function is the seal, and told the capabilities. `python examples/init_report.py --sources DIR
--download` makes this page.

*Sure* rows are written into the registry as they are. The others are written as comments, each with its evidence, for
people to judge; *found* counts both. *More* are sure rows that the registry written by hand does not have: real doors
that nobody put into it, or mistakes. The *place* of the seal is the one among the candidates that are
named; - means that it is not among the five that are. *Roles* are verdict, subject and principal of the seal, where it
was found. *s* are seconds of the processor for reading and ranking; the *prover* is asked about the likeliest surfaces
after that, for at most six seconds on the clock, in a process of its own.

The registries by hand name one seal each, and real code decides in more than one place: a candidate before it may be a
seal as well. `langchain` has no gate that lists and dispatch share, and the filter that its registry names is not one.
The weights of the evidence were set with these code bases in view, so the figures say how well the mechanism fits them,
and little of how well it fits others.
"""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    given: Given
    found: Found


def main() -> int:
    """Exit status: 0 if every answer was given, otherwise 1; 2 where a source is missing."""
    options = _parser().parse_args()
    rows = []
    try:
        for name, registry in _registries(options):
            for given in Given:
                print(f"{name}, given {given} ...", end=" ", file=sys.stderr, flush=True)
                rows.append(Row(name, given, proposed(registry, given, options.limit)))
                print(rows[-1].found.trouble or f"{rows[-1].found.seconds:.1f} s", file=sys.stderr)
    except MissingSource as error:
        print(error, file=sys.stderr)
        return 2
    text = page(rows)
    if options.names:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
        print(f"written: {PAGE}", file=sys.stderr)
    return int(any(row.found.trouble for row in rows))


def _registries(options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Every code base with the place of its hand-written registry."""
    sources = options.sources.resolve()
    for case in read_cases(HERE / "registries", tuple(options.names)):
        yield case.name, lay_out(list(case.packages), case.registry, sources, case.name, download=options.download)
    if not options.names or OWN in options.names:
        yield OWN, _own(sources / "own")


def _own(root: Path) -> Path:
    """A copy of this repository's agent; the registry is read for its answers only."""
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("entrypoints", "skills"):
        shutil.copytree(TOP / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return root / "entrypoints" / "registry.yaml"


def page(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row.name for row in rows))
    missed = [_missed(name, [row for row in rows if row.name == name]) for name in names]
    parts = [INTRODUCTION, *(_section(given, rows) for given in Given), *filter(None, missed)]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _section(given: Given, rows: list[Row]) -> str:
    head = ("code base", "seal", "roles", "capabilities found", "of them sure", "more", "surfaces found",
            "of them sure", "more", "to judge", "s", "prover", "MB")  # fmt: skip
    chosen = [row for row in rows if row.given == given]
    body = [(row.name, *_cells(row.found, given)) for row in chosen]
    return f"## Given {given}\n\n" + table([head, *body]) + "\n" + _sum([row.found for row in chosen]) + "\n"


def _cells(found: Found, given: Given) -> Iterator[str]:
    if found.trouble:
        yield f"no answer: {found.trouble}"
        yield from ["-"] * 11
        return
    yield "given" if given == Given.SEAL else f"place {found.rank}" if found.rank else "-"
    yield f"{found.roles} of 3"
    yield f"{found.capabilities} of {found.capabilities_by_hand}"
    yield str(found.capabilities_sure)
    yield str(found.capabilities_more)
    yield f"{found.surfaces} of {found.surfaces_by_hand}"
    yield str(found.surfaces_sure)
    yield str(found.surfaces_more)
    yield str(found.to_judge)
    yield f"{found.seconds:.1f}"
    yield f"{found.prover:.1f}"
    yield f"{found.megabytes:.0f}"


def _sum(found: list[Found]) -> str:
    answered = [one for one in found if not one.trouble]
    places = [sum(0 < one.rank <= most for one in answered) for most in (1, 3, 5)]
    capabilities = sum(one.capabilities for one in answered), sum(one.capabilities_by_hand for one in answered)
    surfaces = sum(one.surfaces for one in answered), sum(one.surfaces_by_hand for one in answered)
    return (
        f"In sum: of {len(found)} seals {places[0]} come first, {places[1]} among the first three, {places[2]} among the first "
        f"five; {capabilities[0]} of {capabilities[1]} capabilities, "
        f"{surfaces[0]} of {surfaces[1]} surfaces."
    )


def _missed(name: str, rows: list[Row]) -> str:
    """The surfaces that stay unfound whatever is given."""
    answered = [set(row.found.missed) for row in rows if not row.found.trouble]
    missed = sorted(set.intersection(*answered)) if answered else []
    return (
        f"## {name}: surfaces that are never proposed\n\n" + "".join(f"- `{ref}`\n" for ref in missed) if missed else ""
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run `invariants init` on pinned public code bases.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="code bases (default: all, and this repository)")
    parser.add_argument("--sources", type=Path, required=True, help="the folder for wheels and unpacked sources")
    parser.add_argument("--download", action="store_true", help="fetch missing wheels from the package index")
    parser.add_argument("--limit", type=int, default=150, help="seconds of the processor for one run (default: 150)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
