"""The invariants of what was stored, of spellings and of children, on this repository's agent and on spoiled ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Finding, Reason, Verdict

from entrypoints import activate, approval, bridge, history, rescan
from entrypoints.activate import Loaded
from entrypoints.messages import Message, Role, ToolCall
from entrypoints.refusal import Refused
from entrypoints.step import Step
from entrypoints.turn import Turn
from skills.category_seal import skill_sealed_for
from skills.groups import SkillIndex
from skills.model import Schema, Skill
from tests.agent import host

ROOT = Path(__file__).resolve().parents[2]
INVARIANTS = {invariant.id: invariant for invariant in CATALOGUE}
Spoil = Callable[[pytest.MonkeyPatch], None]


def found(invariant: str, surface: str | None) -> Finding:
    session = ProbeSession(read(ROOT / "entrypoints" / "registry.yaml"))
    play = INVARIANTS[invariant].play
    assert play is not None
    return play(session, next((row for row in session.registry.surfaces if row.id == surface), None))


def trusts_the_record(patch: pytest.MonkeyPatch) -> None:
    """What was called once stays callable."""

    def schemas(turn: Turn, names: Iterable[str]) -> tuple[Schema, ...]:
        groups = turn.skills.groups
        known = {schema.name: schema for group in groups for schema in group.schemas(turn.thread.writing)}
        return tuple(known[name] for name in names if name in known)

    patch.setattr(rescan, "open_schemas", schemas)


def trusts_the_approval(patch: pytest.MonkeyPatch) -> None:
    """A person said yes, so nobody is asked."""

    def carried_out(step: Step, call: ToolCall) -> Message:
        group = step.turn.skills.group_of(call.name)
        assert group is not None
        result = group.invoke(call.name, replace(step.turn.context, key=call.id), call.arguments)
        return Message(Role.TOOL, result.to_json(), tool=call.name, ran=True)

    patch.setattr(approval, "dispatch", carried_out)


def trusts_the_edit(patch: pytest.MonkeyPatch) -> None:
    """A call that was changed is carried out as it is; one that was not is carried out as ever."""
    amend, honest = history.History.amend, approval.dispatch
    changed: set[str] = set()

    def noted(self: history.History, thread: object, call: ToolCall) -> None:
        changed.add(call.id)
        amend(self, thread, call)  # type: ignore[arg-type]

    def carried_out(step: Step, call: ToolCall) -> Message:
        group = step.turn.skills.group_of(call.name)
        if call.id not in changed or group is None:
            return honest(step, call)
        group.invoke(call.name, replace(step.turn.context, key=call.id), call.arguments)
        return Message(Role.TOOL, "done", tool=call.name, ran=True)

    patch.setattr(history.History, "amend", noted)
    patch.setattr(approval, "dispatch", carried_out)


def folds_names(patch: pytest.MonkeyPatch) -> None:
    """Honest: a name is folded, and the seal is asked about the skill that was found."""
    patch.setattr(SkillIndex, "find", lambda self, name: self.skills.get(name.strip().casefold()))


def folds_names_and_asks_by_the_plain_one(patch: pytest.MonkeyPatch) -> None:
    """A skill that has no facts under its spelling is unrestricted."""
    folds_names(patch)

    def opened(turn: Turn, name: str) -> Loaded:
        facts: Skill | None = turn.skills.skills.get(name)
        skill = turn.skills.find(name)
        if skill is None or skill_sealed_for(facts.categories if facts else (), turn.category):
            raise Refused(name)
        return Loaded(skill.name, skill.body, skill.schemas(turn.thread.writing))

    patch.setattr(activate, "_opened", opened)


def children_of_another_category(patch: pytest.MonkeyPatch) -> None:
    honest = bridge.child_facts
    patch.setattr(host, "child_facts", lambda *given: replace(honest(*given), category="hr"))


def children_with_the_parents_grants(patch: pytest.MonkeyPatch) -> None:
    """A child lists what was open when it was spawned."""
    listed: dict[str, tuple[Schema, ...]] = {}
    honest = host.bridge_tools
    patch.setattr(host, "bridge_tools", lambda turn: listed.setdefault("first", honest(turn)))


@pytest.mark.parametrize(
    ("invariant", "surface", "spoil"),
    [("aliases-sealed", "activate", folds_names), ("aliases-sealed", "manual", folds_names)],
)
def test_an_honest_twin_holds(
    invariant: str, surface: str | None, spoil: Spoil, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch)
    finding = found(invariant, surface)
    assert finding.verdict is Verdict.HELD, finding
    assert "are accepted (in another case" in finding.message


@pytest.mark.parametrize(
    ("invariant", "surface"),
    [
        ("aliases-sealed", None),
        ("resume-reseals", "rescan"),
        ("history-forged", "rescan"),
        ("approval-reseals", None),
        ("child-bounded", None),
    ],
)
def test_the_agent_holds(invariant: str, surface: str | None) -> None:
    finding = found(invariant, surface)
    assert finding.verdict is Verdict.HELD, finding


@pytest.mark.parametrize(
    ("invariant", "surface", "spoil", "reason"),
    [
        ("aliases-sealed", "activate", folds_names_and_asks_by_the_plain_one, Reason.WRONG_SUBJECT),
        ("resume-reseals", "rescan", trusts_the_record, Reason.STALE_VERDICT),
        ("history-forged", "rescan", trusts_the_record, Reason.LEAKED),
        ("approval-reseals", None, trusts_the_approval, Reason.STALE_VERDICT),
        ("approval-reseals", None, trusts_the_edit, Reason.LEAKED),
        ("child-bounded", None, children_of_another_category, Reason.LEAKED),
        ("child-bounded", None, children_with_the_parents_grants, Reason.LEAKED),
        ("surfaces-agree", None, trusts_the_record, Reason.DISAGREES),
        ("surfaces-agree", None, trusts_the_edit, Reason.LEAKED),
    ],
)
def test_a_spoiled_agent_falls(
    invariant: str, surface: str | None, spoil: Spoil, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch)
    finding = found(invariant, surface)
    assert (finding.verdict, finding.reason) == (Verdict.REFUTED, reason), finding
