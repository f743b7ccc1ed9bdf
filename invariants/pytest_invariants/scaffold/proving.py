"""What the prover says of the likeliest surfaces: in a process of its own, which ends with its budget.

The draft goes in as JSON, an answer a line comes out, so that what was answered in time is kept. The prover reads source
and runs none of it, here as anywhere.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pytest_invariants.registry.model import (
    Capability,
    Grant,
    Manner,
    Reference,
    Registry,
    Seal,
    Surface,
    VerdictKind,
)
from pytest_invariants.scaffold.draft import Draft
from pytest_invariants.scaffold.surfaces import Answer
from pytest_invariants.verdict import Place

BUDGET = 6.0
"""Seconds on the clock; what is not answered by then is left to `invariants check`."""
COMMAND = (sys.executable, "-P", "-m", "pytest_invariants.scaffold.proving")
"""`-P`: nothing of the folder in which the user stands is imported."""
_NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Answers:
    """The prover's answer by function, and what stood in its way."""

    verdicts: dict[str, Answer]
    problems: tuple[str, ...] = ()
    late: bool = False


def answers(root: Path, draft: Draft, functions: Iterable[str], budget: float | None = None) -> Answers:
    """Ask about these functions in turn."""
    request = json.dumps({"root": str(root), "draft": _as_data(draft), "functions": list(functions)})
    try:
        done = subprocess.run(
            COMMAND, input=request, capture_output=True, text=True, timeout=budget or BUDGET, check=False
        )
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""
        return Answers(*_read(said.decode() if isinstance(said, bytes) else said), late=True)
    verdicts, problems = _read(done.stdout)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        problems = (*problems, f"the prover failed ({last}), so what it did not answer is not judged")
    return Answers(verdicts, problems)


def _read(text: str) -> tuple[dict[str, Answer], tuple[str, ...]]:
    """The whole lines; the last may have been cut off."""
    rows = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
    verdicts = {
        row["function"]: Answer(row["verdict"], row["level"], row["reason"]) for row in rows if "function" in row
    }
    return verdicts, tuple(row["problem"] for row in rows if "problem" in row)


def _as_data(draft: Draft) -> dict[str, object]:
    return {
        "code": draft.code, "seal": draft.seal, "verdict": draft.verdict, "subject": draft.subject,
        "principal": draft.principal, "state": draft.state,
        "capabilities": [(one.ref, one.grant, one.decorated) for one in draft.capabilities if one.sure],
    }  # fmt: skip


def registry_of(root: Path, draft: Draft, functions: Iterable[str]) -> Registry:
    """The draft as the prover wants it, with every function that is tried as a surface."""
    return Registry(
        path=root / "entrypoints" / "registry.yaml",
        root=root,
        code=draft.code,
        seal=Seal(
            function=Reference.parse(draft.seal),
            kind=VerdictKind(draft.verdict),
            subject=draft.subject,
            principal={name: Reference.parse(ref) if ref else None for name, ref in draft.principal.items()},
            state=tuple(map(Reference.parse, draft.state)),
            at=_NOWHERE,
        ),
        capabilities=tuple(_capability(one.ref, one.grant, one.decorated) for one in draft.capabilities if one.sure),
        surfaces=tuple(Surface(ref, Reference.parse(ref), Manner.BOTH, _NOWHERE) for ref in functions),
    )


def _capability(ref: str, grant: str, decorated: bool) -> Capability:
    reference = Reference.parse(ref)
    return Capability(None if decorated else reference, reference if decorated else None, Grant(grant), _NOWHERE)


def main() -> int:
    """Answer the request on the standard input."""
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.scaffold.draft import Source

    request = json.load(sys.stdin)
    data = request["draft"]
    sources = tuple(Source(ref, grant, "", decorated=decorated) for ref, grant, decorated in data["capabilities"])
    draft = Draft(
        tuple(data["code"]), data["seal"], data["verdict"], tuple(data["subject"]), data["principal"],
        tuple(data["state"]), sources,
    )  # fmt: skip
    prover = Prover(registry_of(Path(request["root"]), draft, request["functions"]))
    for problem in prover.problems:
        print(json.dumps({"problem": f"{problem.message}; {problem.remedy}"}), flush=True)
    for surface in prover.registry.surfaces if not prover.problems else ():
        finding = prover.consulted(surface)
        row = {"function": surface.id, "verdict": finding.verdict.value, "level": finding.level}
        row |= {"reason": finding.reason}
        print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
