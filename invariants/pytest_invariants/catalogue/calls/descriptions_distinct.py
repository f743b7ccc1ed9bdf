"""No two tools are described in the same words, and none is not described at all.

What it states
    Of the tools that stand in one table, every one has a description, and no two descriptions share more than half of
    their words. Words that stand in every fourth description ("read-only", "not for"), and in four at least, do not
    count.

Why it matters
    A description is the interface by which a model chooses. Of two that read alike it takes the one that comes first,
    and no test of either tool shows it.

A failing example
    ::

        Tool("order_find", "Finds an order of the customer by its number.")
        Tool("order_get", "Gets an order of the customer by its number.")

    Refuted, `alike`: `order_find` and `order_get` share 7 of 9 words.

The repair
    Say what the tool does, whether it reads or writes, and what it is not for; name the neighbour. Or make one tool of
    the two. This holds::

        Tool("order_find", "Finds an order of the customer by its number. Read-only. Not for what is in it.")
        Tool("order_items", "Lists the articles of one purchase with their prices. Read-only. Not for its state.")

Its limits
    Words are compared, not meanings: two tools that do the same under other words pass. In scripts without blanks the
    pairs of neighbouring characters are taken for words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import PROMPTS, TOOLS, kind_of
from pytest_invariants.hosts.mcp.seen import Seen
from pytest_invariants.probe.answers import Fallen, Lacking, of_run
from pytest_invariants.probe.declared import declarations
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.verdict import Reason

ID = "descriptions-distinct"
TOO_ALIKE = 0.5
"""The share of common words among all words of two descriptions, from which on they are taken for one another."""
COMMON = 4
"""A word that stands in so many descriptions, and in every fourth of the table, does not tell tools apart."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

Words = frozenset[str]


@of_run(ID)
def play(session: ProbeSession) -> str:
    session.need("table")
    seen: set[str] = set()
    for facts in session.facts:
        with session.stage(facts) as stage:
            tools = declarations(stage.agent.call("table"))
        _compare({name: tool.description for name, tool in tools.items()}, f"with {facts}")
        seen |= tools.keys()
    if len(seen) < 2:
        raise Lacking("there are not two tools in any table")
    return f"the descriptions of {len(seen)} tools can be told apart"


def serve(seen: Seen, method: str) -> str:
    """The same of a server's list: a thing without a description has a blank one."""
    kind = kind_of(method)
    texts = ((item[kind.id], item.get("description")) for item in seen.listing(kind).items)
    described = {name: text if isinstance(text, str) else "" for name, text in texts}
    _compare(described, f"in the answer to `{method}`")
    return f"{len(described)} descriptions can be told apart"


def _compare(descriptions: Mapping[str, str], where: str) -> None:
    blank = [name for name, text in descriptions.items() if not text.strip()]
    if blank:
        message = f"`{blank[0]}` has no description, {where}"
        remedy = "say what it does, whether it writes, and what it is not for"
        raise Fallen(Reason.ALIKE, message, remedy, (f"{blank[0]}: {descriptions[blank[0]]!r}",))
    for (one, left), (other, right) in combinations(telling(descriptions).items(), 2):
        if overlap(left, right) > TOO_ALIKE:
            shared = f"share {len(left & right)} of {len(left | right)} words" if left or right else "have no words"
            message = f"the descriptions of `{one}` and `{other}` {shared}, {where}"
            script = tuple(f"{name}: {descriptions[name]}" for name in (one, other))
            raise Fallen(Reason.ALIKE, message, "say of each what it alone does, or make one tool of them", script)


def telling(descriptions: Mapping[str, str]) -> dict[str, Words]:
    """The words of each description, without those that stand in many of them."""
    words = {name: _words(text) for name, text in descriptions.items()}
    counted = Counter(word for each in words.values() for word in each)
    common = {word for word, times in counted.items() if times >= max(COMMON, len(words) / COMMON)}
    return {name: each - common for name, each in words.items()}


def overlap(left: Words, right: Words) -> float:
    return len(left & right) / len(left | right) if left | right else 1.0


def _words(text: str) -> Words:
    found: set[str] = set()
    for word in re.findall(r"[^\W_]+", text.casefold()):
        pairs = {word[at : at + 2] for at in range(len(word) - 1)} if UNSPACED.search(word) else set()
        found |= pairs or {word}
    return frozenset(found)


INVARIANT = Invariant(
    id=ID,
    family="calls",
    scope=Scope.RUN,
    page=__doc__ or "",
    play=play,
    serve=Serve((TOOLS.lists, PROMPTS.lists), serve),
)
