"""`python -m tests.fuzz --programs 20000 --seed 1`: the prover against random programs, shares and shrunk examples."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz import generate, judge
from tests.fuzz.judge import Judged, Outcome
from tests.fuzz.shrink import shrink
from tests.fuzz.tree import Program


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="how many to draw")
    parser.add_argument("--seed", type=int, default=1, help="the first one's seed; the others follow")
    parser.add_argument("--show", type=int, default=3, help="how many of each wrong outcome to shrink and print")
    parser.add_argument("--outcome", action="append", choices=list(Outcome), help="which outcomes to print")
    parser.add_argument("--output", type=Path, help="write the shrunk programs into this folder instead")
    options = parser.parse_args(arguments)
    wanted = options.outcome or [Outcome.MISSED, Outcome.CRASHED, Outcome.FALSE_ALARM]
    started, shown = time.perf_counter(), Counter[str]()
    counts, truths = Counter[str](), Counter[str]()
    for seed in range(options.seed, options.seed + options.programs):
        program = generate.draw(seed)
        judged = judge.judge(program)
        counts[judged.outcome] += 1
        truths[judged.observed.truth] += 1
        if judged.outcome in wanted and shown[judged.outcome] < options.show:
            shown[judged.outcome] += 1
            report(seed, minimal(program, judged), options.output)
    print_shares(counts, truths, options.programs)
    print(f"{time.perf_counter() - started:.1f} s")
    judge.close()
    return 1 if counts[Outcome.MISSED] or counts[Outcome.CRASHED] else 0


def minimal(program: Program, judged: Judged) -> Program:
    """The program shrunk with its outcome kept, and with the reason that the prover gave."""

    def same(candidate: Program) -> bool:
        other = judge.judge(candidate)
        return other.outcome is judged.outcome and other.kind == judged.kind

    return shrink(program, same)


def report(seed: int, program: Program, folder: Path | None) -> None:
    judged = judge.judge(program)
    text = (
        f"# {judged.outcome}: seed {seed}, seal {program.kind}\n\n"
        f"- the program: {judged.observed.truth} {judged.observed.example}\n- the prover: {judged.said}\n\n"
        + "\n".join(f"```python path={path}\n{text}```\n" for path, text in generate.paths(program).items())
    )
    if folder is None:
        print(text, flush=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{judged.outcome.replace(' ', '-')}-{seed}.md").write_text(text, encoding="utf-8")


def print_shares(counts: Counter[str], truths: Counter[str], total: int) -> None:
    print("programs: " + ", ".join(f"{name} {count} ({count / total:.1%})" for name, count in truths.most_common()))
    print("prover:   " + ", ".join(f"{name} {count} ({count / total:.1%})" for name, count in counts.most_common()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
