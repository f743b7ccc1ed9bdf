"""Run the prover on pinned public code bases, and write `docs/field-report.md`.

    python examples/field_report.py --sources DIR [--download] [NAME ...]

DIR keeps the wheels and what is unpacked from them; nothing is installed or imported. With `--download` wheels that are
missing are fetched from the package index. NAMEs restrict the run to some code bases, and the page then goes to the
standard output.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from field.corpus import MissingSource, lay_out
from field.measure import Measured, measure
from field.page import Result, page
from field.truth import Case, Score, read_cases

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "field-report.md"


def main() -> int:
    """Exit status: 0 if every answer was given and none is wrongly proved, otherwise 1; 2 where a source is missing."""
    options = _parser().parse_args()
    results = []
    for case in read_cases(HERE / "registries", tuple(options.names)):
        print(f"{case.name} ...", end=" ", file=sys.stderr, flush=True)
        try:
            measured = _measure(case, options)
        except MissingSource as error:
            print(error, file=sys.stderr)
            return 2
        print(measured.trouble or f"{measured.seconds:.1f} s", file=sys.stderr)
        results.append(Result(case, measured))
    _show(page(results), everything=not options.names)
    bad = {Score.WRONGLY_PROVED, Score.FAILED}
    return int(not results or any(score in bad for result in results for *_, score in result.scored))


def _measure(case: Case, options: argparse.Namespace) -> Measured:
    registry = lay_out(
        list(case.packages), case.registry, options.sources.resolve(), case.name, download=options.download
    )
    return measure(registry, options.limit)


def _show(text: str, *, everything: bool) -> None:
    if everything:
        PAGE.write_text(text, encoding="utf-8")
        print(f"written: {PAGE}", file=sys.stderr)
    else:
        print(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run the prover on pinned public code bases.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="code bases (default: all of examples/registries)")
    parser.add_argument("--sources", type=Path, required=True, help="the folder for wheels and unpacked sources")
    parser.add_argument("--download", action="store_true", help="fetch missing wheels from the package index")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one code base (default: 600)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
