"""Several hosts that watch the same tools at once."""

from __future__ import annotations

from pytest_invariants import Facts
from pytest_invariants.hosts.watching import Watch

from tests.hosts.langchain_agents import SealedHost, refund


def test_the_last_that_leaves_puts_the_function_back() -> None:
    back: list[str] = []
    watch: Watch[str] = Watch(lambda: back.append("back"))
    first: list[str] = []
    second: list[str] = []
    leave_first, leave_second = watch.join(first.append), watch.join(second.append)
    watch.tell("one")
    leave_first()
    watch.tell("two")
    assert (first, second, back) == (["one"], ["one", "two"], [])
    leave_second()
    assert back == ["back"]


def test_two_hosts_see_the_same_tool_whichever_closes_first() -> None:
    own = refund.func
    one, other = SealedHost(), SealedHost()
    for host in (one, other):
        host.open(Facts(category="staff"))
    assert one.surface_call("refund").ran
    one.close()
    assert other.surface_call("refund").ran
    assert refund.func is not own
    other.close()
    assert refund.func is own
