"""What the repository's own skills are."""

from __future__ import annotations

from skills.loader import SkillLoader
from skills.model import Availability
from tests.agent.world import SEALED_SKILLS, SHOP, SHOP_SKILLS, WAREHOUSE

SKILLS = {skill.name: skill for skill in SkillLoader().all()}


def test_five_skills_unlock_six_of_the_fourteen_tools_of_the_shop() -> None:
    assert {name: SKILLS[name].tool_ids for name in SHOP_SKILLS} == {
        "after_sale_apply": ("apply_after_sale",),
        "fault_diagnosis": (),
        "iot_bundle": (),
        "order_change": ("cancel_order", "change_address"),
        "order_checkout": ("update_cart_item", "create_order", "pay_order"),
    }
    assert len(SHOP) == 14


def test_the_sealed_skills_have_different_categories() -> None:
    assert {name: skill.categories for name, skill in SKILLS.items() if skill.categories} == {
        "clinic": ("health",),
        "ledger": ("finance",),
        "payroll": ("finance", "hr"),
        "warehouse": ("logistics",),
    }
    assert set(SEALED_SKILLS) == {name for name, skill in SKILLS.items() if skill.categories}


def test_the_warehouse_claims_a_namespace_of_48_tools_and_has_none_of_its_own() -> None:
    assert SKILLS["warehouse"].mcp == ("warehouse",)
    assert SKILLS["warehouse"].tools == ()
    assert len(WAREHOUSE) == 48


def test_two_skills_are_resident_and_say_why() -> None:
    resident = {name: s.availability_reason for name, s in SKILLS.items() if s.availability is Availability.RESIDENT}
    assert set(resident) == {"clock", "notes"}
    assert all(resident.values())
