"""The proposing child: `invariants init` on one code base, set against the registry that was written for it by hand.

A process of its own, for the same reasons as the measuring child.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_invariants.registry.model import Registry
    from pytest_invariants.scaffold.proposal import Proposal


class Given(StrEnum):
    """What `init` was told beside the code."""

    NOTHING = "nothing"
    SEAL = "the seal"
    CAPABILITIES = "the capabilities"


@dataclass(slots=True)
class Found:
    """How much of a registry was proposed; `sure` rows are written as they are, the others as comments to judge."""

    trouble: str = ""
    seal: str = ""
    rank: int = 0
    """The place of the hand-written seal among the candidates; 0 where it is none."""
    roles: int = 0
    """Of verdict, subject and principal, how many are as they are by hand."""
    capabilities: int = 0
    capabilities_sure: int = 0
    capabilities_by_hand: int = 0
    capabilities_more: int = 0
    surfaces: int = 0
    surfaces_sure: int = 0
    surfaces_by_hand: int = 0
    surfaces_more: int = 0
    missed: list[str] = field(default_factory=list)
    to_judge: int = 0
    """Rows that are written as comments."""
    seconds: float = 0.0
    prover: float = 0.0
    """Of the processor, for what the prover answered within its budget."""
    megabytes: float = 0.0


def proposed(registry: Path, given: Given, limit: int) -> Found:
    """Run the child for at most `limit` seconds of the processor."""
    command = [sys.executable, "-m", "field.proposed", str(registry), given.name, str(limit)]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        status = subprocess.call(command, cwd=Path(__file__).resolve().parent.parent, stdout=out, stderr=said)
        out.seek(0)
        said.seek(0)
        if status == -signal.SIGXCPU:
            return Found(trouble=f"not done within {limit} s of the processor")
        if status:
            return Found(trouble=" ".join(said.read().strip().splitlines()[-1:]) or f"status {status}")
        return Found(**json.loads(out.read()))


def examine(path: Path, given: Given) -> Found:
    """Propose in this process; the registry is read for its answers and for what `given` says, and for nothing else."""
    from pytest_invariants.registry.reader import read
    from pytest_invariants.scaffold.proposal import Wish, propose

    hand = read(path)
    start = time.process_time()
    seal = str(hand.seal.function) if given is Given.SEAL else None
    capabilities = tuple(f"{one.of}={one.grant}" for one in hand.capabilities if one.of)
    wish = Wish(hand.code, seal, capabilities if given is Given.CAPABILITIES else ())
    found = compare(hand, propose(hand.root, wish, hand.code))
    used, prover = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    found.seconds = time.process_time() - start
    found.prover = prover.ru_utime + prover.ru_stime
    found.megabytes = max(used.ru_maxrss, prover.ru_maxrss) / 1024
    return found


def compare(hand: Registry, proposal: Proposal) -> Found:
    """What of the hand-written rows was proposed, and how much beyond them."""
    draft, surfaces = proposal.draft, {one.row.function: one.sure for one in proposal.found.surfaces}
    by_hand = {str(one.function) for one in hand.surfaces}
    wanted = {str(one.of or one.decorated) for one in hand.capabilities}
    sources = {one.ref: one.sure for one in draft.capabilities} if draft else {}
    sealed = draft is not None and draft.seal == str(hand.seal.function)
    ranked = [draft.seal if draft else "", *(line.split(" ")[0] for line in proposal.others)]
    same = (
        draft.verdict == hand.seal.kind.value,
        draft.subject == hand.seal.subject,
        set(draft.principal) == set(hand.seal.principal),
    ) if draft and sealed else ()  # fmt: skip
    return Found(
        seal=draft.seal if draft else "",
        rank=ranked.index(str(hand.seal.function)) + 1 if str(hand.seal.function) in ranked else 0,
        roles=sum(same),
        capabilities=sum(ref in sources for ref in wanted),
        capabilities_sure=sum(sources.get(ref, False) for ref in wanted),
        capabilities_by_hand=len(wanted),
        capabilities_more=sum(sure for ref, sure in sources.items() if ref not in wanted),
        surfaces=sum(ref in surfaces for ref in by_hand),
        surfaces_sure=sum(surfaces.get(ref, False) for ref in by_hand),
        surfaces_by_hand=len(by_hand),
        surfaces_more=sum(sure for ref, sure in surfaces.items() if ref not in by_hand),
        missed=sorted(by_hand - set(surfaces)),
        to_judge=sum(not sure for sure in (*surfaces.values(), *sources.values())),
    )


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]), resource.RLIM_INFINITY))
    print(json.dumps(asdict(examine(Path(sys.argv[1]), Given[sys.argv[2]]))))
