"""`python -m tests.inputs --inputs 1000 --seed 1`: no random YAML, Markdown or registry makes a traceback."""

from __future__ import annotations

import argparse
import sys
import time

from tests.inputs.judge import run
from tests.inputs.texts import KINDS


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.inputs", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1000, help="how many of each kind to draw")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first one")
    parser.add_argument("--kind", action="append", default=[], choices=list(KINDS), help="only this kind (repeatable)")
    options = parser.parse_args(arguments)
    for kind in options.kind or KINDS:
        started = time.perf_counter()
        outcomes = run(kind, options.inputs, options.seed)
        shares = ", ".join(f"{count} {name}" for name, count in outcomes.most_common())
        print(f"{kind}: {sum(outcomes.values())} read: {shares} ({time.perf_counter() - started:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
