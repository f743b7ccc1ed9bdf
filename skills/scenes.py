"""Which groups a session's scene makes active. What is not active is no candidate until it has been loaded."""

from __future__ import annotations

SCENES: dict[str, tuple[str, ...]] = {
    "order_service": ("user", "order"),
    "sales_assist": ("user", "crm"),
}
OTHERWISE = ("user",)


def active_groups(scene: str | None) -> tuple[str, ...]:
    """The skills whose tools are offered from the start; an unknown scene is treated like none."""
    return SCENES.get(scene, OTHERWISE) if scene is not None else OTHERWISE
