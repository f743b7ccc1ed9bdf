"""What a registry that is right says, line by line."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import yaml
from pytest_invariants.registry.model import (
    Cache,
    Capability,
    Exemption,
    Grant,
    Manner,
    Reference,
    Relation,
    Residency,
    Seal,
    Surface,
    VerdictKind,
)
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Place

from tests.registry.samples import FULL, SMALL, read_text, repository

SPECS = Path(__file__).resolve().parent.parent / "specs"
COMMON = re.search(r"```yaml path=entrypoints/registry.yaml\n(.*?)```", (SPECS / "FORMAT.md").read_text("utf-8"), re.S)
CHANGES = [
    pytest.param(block, id=f"{path.stem}-{number}")
    for path in sorted(SPECS.glob("*.md"))
    for number, block in enumerate(re.findall(r"```yaml registry\n(.*?)```", path.read_text("utf-8"), re.S), 1)
]


def at(line: int) -> Place:
    return Place("entrypoints/registry.yaml", line)


def ref(text: str) -> Reference:
    return Reference.parse(text)


def test_the_smallest_registry_leaves_everything_else_empty(tmp_path: Path) -> None:
    registry = read_text(tmp_path, SMALL)
    assert registry.path == tmp_path / "entrypoints" / "registry.yaml"
    assert registry.root == tmp_path
    assert registry.code == ("agent",)
    assert registry.seal == Seal(ref("agent.seal:sealed"), VerdictKind.SEALED, ("categories",), {}, (), at(3))
    assert registry.capabilities == (Capability(ref("agent.store:Skill.body"), None, Grant.VALUE, at(5)),)
    assert registry.surfaces == (Surface("activate", ref("agent.doors:activate"), Manner.NAMED, at(7)),)
    assert (registry.relations, registry.exempt, registry.caches, registry.open_classes) == ((), (), (), ())
    assert (registry.host, registry.residency) == (None, None)
    assert (registry.snapshots, registry.policies) == ({}, {})


def test_the_seal_of_the_full_registry(tmp_path: Path) -> None:
    assert read_text(tmp_path, FULL).seal == Seal(
        function=ref("agent.seal:judge"),
        kind=VerdictKind.IS,
        subject=("categories",),
        principal={"thread_category": ref("agent.turn:Turn.category"), "tenant": None},
        state=(ref("agent.store:Skill.categories"),),
        at=at(4),
        allowed_value=ref("agent.seal:Verdict.OPEN"),
        aliases=(ref("agent.seal:logged"),),
    )


def test_capabilities_and_surfaces_know_their_lines_in_every_style(tmp_path: Path) -> None:
    registry = read_text(tmp_path, FULL)
    assert registry.capabilities == (
        Capability(ref("agent.store:Skill.body"), None, Grant.VALUE, at(12)),
        Capability(None, ref("langchain_core.tools:tool"), Grant.CALL, at(13)),
        Capability(ref("subprocess:run"), None, Grant.CALL, at(15)),
    )
    assert registry.surfaces == (
        Surface("index", ref("agent.doors:index"), Manner.BROWSE, at(17)),
        Surface("activate", ref("agent.doors:Doors.activate"), Manner.NAMED, at(18), hidden_but_callable=True),
        Surface("mcp.call", ref("agent.server:build.<locals>.call"), Manner.BOTH, at(22)),
        Surface("on", ref("agent.doors:<lambda>"), Manner.BROWSE, at(25)),
    )


def test_the_rest_of_the_full_registry(tmp_path: Path) -> None:
    registry = read_text(tmp_path, FULL)
    assert registry.code == ("agent", "my.package", "tools/", "single")
    assert registry.relations == (Relation(ref("agent.store:Store.get"), "name", at(27)),)
    assert registry.exempt == (
        Exemption(ref("agent.admin:dump"), "operator's console", date(2027, 6, 30), at(29)),
        Exemption(ref("agent.admin:count"), "counts, and shows nothing", None, at(30)),
    )
    assert registry.caches == (Cache(ref("agent.doors:seen"), ("subject", "principal"), at(34)),)
    assert registry.host == ref("tests.agent.host:ReferenceHost")
    paths = {"loader": ref("agent.loading:with_loader"), "loaderless": ref("agent.loading:without_loader")}
    assert registry.residency == Residency(ref("agent.residency:ALWAYS"), paths, at(36))
    assert registry.snapshots == {"table": ref("agent.table:render")}
    assert registry.policies == {
        "refusal": "truthful",
        "loaded": "grows",
        "compaction": "keeps",
        "child": "ceiling",
        "table": "per-step",
    }
    assert registry.open_classes == (ref("agent.ports:SkillSource"),)
    assert registry.skills == ("skills", "my/package")


@pytest.mark.parametrize(
    ("written", "kind", "value", "attribute"),
    [
        ("sealed", VerdictKind.SEALED, None, None),
        ("allowed", VerdictKind.ALLOWED, None, None),
        ('"raises"', VerdictKind.RAISES, None, None),
        ("filters", VerdictKind.FILTERS, None, None),
        ("enters", VerdictKind.ENTERS, None, None),
        ('{is: "agent.seal:Verdict.OPEN"}', VerdictKind.IS, ref("agent.seal:Verdict.OPEN"), None),
        ("{attribute: ok}", VerdictKind.ATTRIBUTE, None, "ok"),
    ],
)
def test_every_kind_of_verdict(
    tmp_path: Path, written: str, kind: VerdictKind, value: Reference | None, attribute: str | None
) -> None:
    seal = read_text(tmp_path, SMALL.replace("verdict: sealed", f"verdict: {written}")).seal
    assert (seal.kind, seal.allowed_value, seal.attribute) == (kind, value, attribute)


@pytest.mark.parametrize(
    ("written", "principal"),
    [
        ("[]", {}),
        ("[a, b]", {"a": None, "b": None}),
        ('{a: "m:T.f"}', {"a": ref("m:T.f")}),
        ('{a: "m:T.f", b: ~}', {"a": ref("m:T.f"), "b": None}),
    ],
)
def test_every_form_of_principal(tmp_path: Path, written: str, principal: dict[str, Reference | None]) -> None:
    text = SMALL.replace("subject: [categories]", f"subject: [categories], principal: {written}")
    assert read_text(tmp_path, text).seal.principal == principal


def test_what_a_merge_adds_yields_to_what_stands_there(tmp_path: Path) -> None:
    text = SMALL + (
        "  first: &one {function: 'm:one', manner: browse}\n"
        "  second: &two {function: 'm:two', manner: both, hidden_but_callable: true}\n"
        "  both: {<<: [*one, *two]}\n"
        "  own: {manner: named, <<: *two}\n"
    )
    both, own = read_text(tmp_path, text).surfaces[-2:]
    assert both == Surface("both", ref("m:one"), Manner.BROWSE, at(10), hidden_but_callable=True)
    assert own == Surface("own", ref("m:two"), Manner.NAMED, at(11), hidden_but_callable=True)


@pytest.mark.parametrize("day", ["2027-06-30", "'2027-06-30'", "!!str 2027-06-30"])
def test_a_day_may_stand_in_quotes(tmp_path: Path, day: str) -> None:
    registry = read_text(tmp_path, SMALL + f"exempt: [{{function: 'm:f', reason: why, expires: {day}}}]\n")
    assert registry.exempt[0].expires == date(2027, 6, 30)


def test_a_mark_at_the_beginning_and_line_ends_of_windows_change_nothing(tmp_path: Path) -> None:
    plain = read_text(tmp_path, FULL)
    assert read_text(tmp_path, b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode()) == plain


def test_a_thousand_surfaces(tmp_path: Path) -> None:
    rows = (f"  s{n}: {{function: 'agent.doors:f{n}', manner: named}}\n" for n in range(1000))
    surfaces = read_text(tmp_path, SMALL + "".join(rows)).surfaces
    assert len(surfaces) == 1001
    assert surfaces[-1] == Surface("s999", ref("agent.doors:f999"), Manner.NAMED, at(1007))


@pytest.mark.parametrize("block", CHANGES)
def test_every_registry_of_the_specifications_reads(tmp_path: Path, block: str) -> None:
    assert COMMON is not None
    written = {**yaml.safe_load(COMMON[1]), **yaml.safe_load(block)}
    registry = read_text(tmp_path, yaml.safe_dump(written, sort_keys=False))
    assert [surface.id for surface in registry.surfaces] == [str(id) for id in written["surfaces"]]
    assert len(registry.exempt) == len(written.get("exempt", []))


def test_the_root_may_be_given(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    path = repository(inner)
    path.write_text(SMALL.replace("[agent]", "[inner/agent]"), encoding="utf-8")
    registry = read(path, root=tmp_path)
    assert registry.root == tmp_path
    assert registry.seal.at == Place("inner/entrypoints/registry.yaml", 3)


def test_reading_imports_nothing_heavy() -> None:
    heavy = {"pytest", "hypothesis", "jsonschema", "syrupy", "importlib.metadata", "asyncio", "json"}
    code = (
        "import sys; before = {*sys.modules}; import pytest_invariants.registry.reader; print(*{*sys.modules} - before)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "yaml" in loaded
    assert not loaded & heavy
