"""Run the literate specifications through the prover and compare what it says with what they expect.

`python -m tests.flow.specs [FILTER ...]` prints a line for each mismatch; a filter is a part of a case's id, and
`--timing` adds the slowest cases.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_invariants.verdict import Finding, Verdict

SPECS = Path(__file__).resolve().parent.parent / "specs"
REGISTRY = "entrypoints/registry.yaml"
RULES = ("seal-consulted", "door-registered", "seal-sole")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One way in which the prover's answer differs from a case's label."""

    case: str
    text: str
    proved_wrongly: bool = False

    def __str__(self) -> str:
        return f"{'PROVED WRONGLY  ' if self.proved_wrongly else ''}{self.case}: {self.text}"


def load_oracle() -> ModuleType:
    """The oracle is a script and no module of a package: it is loaded from its path."""
    if "spec_oracle" in sys.modules:
        return sys.modules["spec_oracle"]
    spec = importlib.util.spec_from_file_location("spec_oracle", SPECS / "oracle.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["spec_oracle"] = module
    spec.loader.exec_module(module)
    return module


def all_cases() -> list[Any]:
    oracle = load_oracle()
    base = oracle.common_agent()
    files = [path for path in sorted(SPECS.glob("*.md")) if path.name != "FORMAT.md"]
    return [case for path in files for case in oracle.read(path, base)]


def write(case: Any, folder: Path) -> None:
    for name, body in case.files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(body, encoding="utf-8")
    (folder / "agent" / "__init__.py").touch()


def check(case: Any, folder: Path) -> list[Mismatch]:
    """Write the case into `folder`, prove it and compare. A prover that raises is a mismatch of its own."""
    from pytest_invariants.flow.prover import Prover
    from pytest_invariants.registry.reader import read

    write(case, folder)
    try:
        registry = read(folder / REGISTRY, folder)
        prover = Prover(registry)
        return list(compare(case, registry, prover))
    except Exception as error:  # whatever it is, it is the answer that this case got
        last = traceback.extract_tb(error.__traceback__)[-1]
        return [Mismatch(case.id, f"crashed: {error!r} at {Path(last.filename).name}:{last.lineno}")]


def compare(case: Any, registry: Any, prover: Any) -> Iterator[Mismatch]:
    surfaces = {surface.id: surface for surface in registry.surfaces}
    for key, row in case.expect.items():
        surface = None if key == "*" else surfaces[key]
        for rule in RULES:
            if rule in row:
                finding = ask(prover, rule, surface)
                yield from differences(case.id, key, rule, row, finding)
                if rule == "door-registered" and surface is None:
                    yield from inventory(case.id, row, prover.doors)


def ask(prover: Any, rule: str, surface: Any) -> Finding:
    if rule == "seal-consulted":
        return prover.consulted(surface)
    return prover.registered(surface) if rule == "door-registered" else prover.sole()


def differences(case: str, key: str, rule: str, row: dict[str, Any], finding: Finding) -> Iterator[Mismatch]:
    """How one finding differs from one row: by verdict, by reason, or by the line it points at."""
    wanted, got = as_list(row[rule]), finding.verdict.value
    reasons = as_list(row.get("reason", []))
    said = f"{key} {rule}"
    detail = f"{finding.reason or '-'} at {finding.at or '-'}: {finding.message}"
    if got not in wanted:
        wrongly = finding.verdict is Verdict.PROVED
        yield Mismatch(case, f"{said}: {got} ({detail}), expected {'/'.join(wanted)} {reasons or ''}", wrongly)
    elif finding.verdict is not Verdict.PROVED:
        if reasons and (finding.reason is None or finding.reason.value not in reasons):
            yield Mismatch(case, f"{said}: reason {detail}, expected one of {reasons}")
        if "line" in row and str(finding.at) != row["line"]:
            yield Mismatch(case, f"{said}: points at {finding.at}, expected {row['line']} ({finding.reason})")


def inventory(case: str, row: dict[str, Any], doors: Any) -> Iterator[Mismatch]:
    """The doors found and not found. A row that gives a reason and no names leaves the names open."""
    for kind, reason in (("unregistered", "unregistered-door"), ("stale", "stale-exemption")):
        got, wanted = set(getattr(doors, kind)), set(row.get(kind, []))
        if got != wanted and (kind in row or reason not in as_list(row.get("reason", []))):
            yield Mismatch(case, f"* {kind} {sorted(got)}, expected {sorted(wanted)}")


def as_list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def main(arguments: list[str]) -> int:
    filters = [argument for argument in arguments if not argument.startswith("--")]
    cases = [case for case in all_cases() if not filters or any(part in case.id for part in filters)]
    right, took = 0, []
    for case in cases:
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as scratch:
            mismatches = check(case, Path(scratch))
        took.append((time.perf_counter() - started, case.id))
        right += not mismatches
        for mismatch in mismatches:
            print(mismatch, flush=True)
    if "--timing" in arguments:
        for seconds, name in sorted(took, reverse=True)[:10]:
            print(f"{seconds * 1000:8.1f} ms  {name}")
    print(f"{right} of {len(cases)} cases right, {sum(seconds for seconds, _ in took):.1f} s")
    return 0 if right == len(cases) and cases else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
