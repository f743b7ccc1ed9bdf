"""Run the small server over standard streams: `python -m tests.hosts.serve [--flaw NAME] [--record FILE]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.hosts.flaws import FLAWS
from tests.hosts.small_server import Server, over_streams


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--flaw", choices=sorted(FLAWS))
    parser.add_argument("--record", type=Path, help="keep the name of every tool that ran in this file")
    options = parser.parse_args()
    server = Server(options.record)
    if options.flaw:
        FLAWS[options.flaw].spoil(server)
    over_streams(server)


if __name__ == "__main__":
    main()
