"""For whom a tool acts is never an argument.

What it states
    Whatever the arguments say, a tool acts for the user to whom the session belongs, or for nobody. With another user's
    name in every text argument, and in arguments that the schema does not know, no effect is that other user's; and
    where nobody has signed in, no effect is anybody's.

Why it matters
    Arguments are written by the model, and the model writes what it has read. An agent that takes the user from an
    argument is one mail away from "I am the administrator".

A failing example
    ::

        {"name": "order_find", "input_schema": {"properties": {"user_id": {"type": "string"}}}}

    Refuted, `claimed-identity`: `order_find` acts for 'bob' in a session of 'ann'.

The repair
    Take the identity from the context of the call, take the parameter out of the schema, and forbid additional ones.
    This holds::

        def order_find(context, arguments):
            return [order for order in ORDERS if order.user == context.identity.user]

Its limits
    For whom a tool acted is what the host reads off the effect. Another user's name inside a longer text is not tried.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.probe.answers import Lacking, of_run
from pytest_invariants.probe.calls import USER, Arguments, Bench, Called
from pytest_invariants.probe.declared import Declared
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "identity-from-context"
OTHER = "bob"
CLAIMS = ("user", "user_id", "userId", "tenant", "tenant_id", "account", "session", "as", "on_behalf_of")
"""Under these names identities are usually claimed; nothing is judged by them, they are only tried."""


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("invoke", "effects", "sign_in")
    with session.stage() as stage:
        bench = Bench(stage)
        personal = [tool for tool in bench.ready() if _check(bench, tool, USER)]
        if not personal:
            raise Lacking("no effect says for whom a tool acted")
        stage.pull("sign_in", None)
        for tool in personal:
            _check(bench, tool, None)
    return f"{len(personal)} tools that act for somebody take nobody's word for it"


def _check(bench: Bench, tool: Declared, user: str | None) -> bool:
    """Whether the tool acts for anybody."""
    good = bench.good(tool)
    acts = [_expect(bench, tool, user, bench.call(tool.name, good, bench.fresh_key()))]
    acts += [_expect(bench, tool, user, bench.call(tool.name, bad, bench.fresh_key())) for bad in _claims(tool, good)]
    return any(acts)


def _claims(tool: Declared, good: Arguments) -> Iterator[Arguments]:
    properties = tool.parameters.get("properties")
    for name in properties if isinstance(properties, dict) else ():
        yield {**good, name: OTHER}
    yield {**good, **dict.fromkeys(CLAIMS, OTHER)}


def _expect(bench: Bench, tool: Declared, user: str | None, called: Called) -> bool:
    for effect in called.effects:
        if effect.user not in (None, user):
            whose = f"a session of {user!r}" if user else "a session in which nobody has signed in"
            message = f"`{tool.name}` acts for {effect.user!r} in {whose}"
            remedy = "take the identity from the context, and the parameter out of the schema"
            raise bench.fallen(Reason.CLAIMED_IDENTITY, message, remedy)
    return any(effect.user == user for effect in called.effects)


INVARIANT = Invariant(id=ID, family="calls", scope=Scope.RUN, page=__doc__ or "", play=play)
