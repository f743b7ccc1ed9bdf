"""Time `invariants check --static` against its floor and its peers, as ratios within one run.

    python -m benchmarks.peers --work DIR [--download] [--install] [--runs 3] [c20k c100k c1m]

DIR keeps the wheels, the corpora and a virtual environment with the peers (`--install` makes it). Every round runs each
tool once, cold; a ratio is that of one round, and the median over the rounds is printed. Memory is that of the largest
single process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpora import CORPORA, Corpus, forget_caches
from benchmarks.tools import Run, competitors, run

PEERS = ("semgrep", "pyrefly")


def compare(corpus: Corpus, root: Path, work: Path, rounds: int) -> str:
    """A Markdown table: seconds, the ratio to parsing alone, and memory."""
    files, lines = corpus.count(root)
    competing = competitors(root, work / "venv" / "bin")
    runs: dict[str, list[Run]] = {tool.name: [] for tool in competing}
    for _ in range(rounds):
        for tool in competing:
            forget_caches(root)
            runs[tool.name].append(run(tool, files))
            print(f"{corpus.name}: {tool.name}: {runs[tool.name][-1].seconds:.1f} s", file=sys.stderr)
    text = f"## {corpus.name}: {files:,} files, {lines:,} lines; {rounds} rounds\n\n"
    text += "| tool | s | times parsing | MB |\n| --- | --- | --- | --- |\n"
    return text + "".join(_row(name, runs[name], runs[competing[0].name]) for name in runs)


def _row(name: str, runs: Sequence[Run], floor: Sequence[Run]) -> str:
    ratio = statistics.median(one.seconds / base.seconds for one, base in zip(runs, floor, strict=True))
    seconds = statistics.median(one.seconds for one in runs)
    return f"| {name} | {seconds:.1f} | {ratio:.2f} | {max(one.megabytes for one in runs):.0f} |\n"


def install_peers(work: Path) -> None:
    """A virtual environment with the peers, so that none of them touches the project's own."""
    folder = work / "venv"
    if not (folder / "bin" / "python").exists():
        venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *PEERS], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the prover against its floor and its peers.")
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help="c20k, c100k, c1m (default: all)")
    parser.add_argument("--work", type=Path, required=True, help="the folder for wheels, corpora and peers")
    parser.add_argument("--download", action="store_true", help="fetch missing wheels from the package index")
    parser.add_argument("--install", action="store_true", help="install semgrep and pyrefly into a scratch environment")
    parser.add_argument("--runs", type=int, default=3, help="rounds (default: 3)")
    options = parser.parse_args()
    work = options.work.resolve()
    if options.install:
        install_peers(work)
    for name in options.corpora or CORPORA:
        corpus = CORPORA[name]
        print(compare(corpus, corpus.lay_out(work, download=options.download), work, options.runs))


if __name__ == "__main__":
    main()
