"""Random texts of the three kinds that the command reads: YAML, manuals in Markdown, and registries."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.inputs.repository import MANUAL, MUTANTS, REGISTRY

WORDS = (
    "version 1 code agent seal function agent.seal:sealed verdict sealed subject name capabilities of grant value "
    "surfaces manner named mutants what invariant file old new host description tool-ids categories resident "
    "2027-06-30 << ~ true yes 0x1 1e999 .nan é 名 \u202e &a *a !!str !!python/name:os.system !x | > ? - --- ... %YAML "
    "%TAG # , @ ` % * . .. / ../.. a:b :x a:<locals>.b"
)
MARKS = [
    *(": ", ":", "{", "}", "[", "]", "'", '"', "- ", "\n", "\n  ", "\n    ", "\r\n", "\r", "\t", " ", "\\"),
    *("\0", "\ufeff", "\u2028", "\x85", "\x1b[31m", '"\\0"', '"\\ud800"', '"\\x1b"', '"a\\nb"', "\U0001f512"),
]
TOKENS = st.sampled_from([*(f"{word} " for word in WORDS.split()), *MARKS])
DEEP = [shape * 2_000 for shape in ("[", "{a: ", "- ", "? ", "'", "&a [*a, ")]
REFERENCES = st.sampled_from(
    [
        *("agent.door:door", "agent.door:listing", "agent.seal:sealed", "agent.store:Store.read", "agent.store:Store"),
        *("agent.host:AgentHost", "agent.host:AgentHost.door", "agent.store:TABLE", "agent.store:tables"),
        *("agent.no:no", "agent.door:gone", "builtins:open", "agent.seal:sealed.<locals>.inner", "agent.store:Store.x"),
    ]
)
PLAIN = "name who sealed allowed raises filters browse both value call keeps resets agent ."
CHOICES = st.sampled_from(PLAIN.split())
JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(),
    st.dates(),
    st.binary(max_size=3),
    st.sampled_from(
        [*WORDS.split(), "", " ", "a" * 5_000, "\0", "a\nb", "\x1b[2J", "agent.door:door", "agent.host:AgentHost"]
    ),
    st.text(max_size=8),
    REFERENCES,
    CHOICES,
    CHOICES,
    st.just([]),
    st.just({}),
    st.just([[[]]]),
    st.just({None: None}),
)
SPOILS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), TOKENS), max_size=4)


def encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def spoiled(text: str, spoils: list[tuple[float, int, str]]) -> bytes:
    """A text of which a few letters give way to others."""
    for share, length, token in spoils:
        at = int(share * len(text))
        text = text[:at] + token + text[at + length :]
    return encoded(text)


SAMPLES = {
    "yaml": st.sampled_from([REGISTRY, MUTANTS]),
    "markdown": st.just(MANUAL),
}


def texts(kind: str) -> st.SearchStrategy[bytes]:
    """Bytes of one kind: any, of the tokens that matter, nested without end, or nearly right."""
    tokens = st.lists(TOKENS, max_size=40).map("".join)
    fenced = tokens.map(lambda text: f"---\n{text}\n---\nA manual.\n") if kind == "markdown" else tokens
    return st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(encoded),
        tokens.map(encoded),
        fenced.map(encoded),
        st.sampled_from(DEEP).map(encoded),
        st.builds(spoiled, SAMPLES[kind], SPOILS),
        st.builds(spoiled, SAMPLES[kind], SPOILS),
    )


def places(data: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything inside a document."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [found for key, value in inner for found in ((*way, key), *places(value, (*way, key)))]


def change(data: Any, draw: st.DrawFn) -> None:
    """Replace, remove, repeat, rename or exchange one thing somewhere."""
    ways = places(data)
    if not ways:
        return
    way = draw(st.sampled_from(ways))
    holder = data
    for key in way[:-1]:
        holder = holder[key]
    match draw(st.sampled_from(["replace", "remove", "add", "exchange"])):
        case "replace":
            holder[way[-1]] = deepcopy(draw(JUNK))
        case "remove":
            del holder[way[-1]]
        case "add" if isinstance(holder, list):
            holder.append(deepcopy(draw(st.one_of(st.just(holder[way[-1]]), JUNK))))
        case "add":
            holder[draw(st.one_of(st.sampled_from(WORDS.split()), st.text(max_size=4)))] = deepcopy(draw(JUNK))
        case _:
            other: Any = data
            for key in draw(st.sampled_from(ways)):
                other = other[key]
            holder[way[-1]] = deepcopy(other)


def rename(data: Any, draw: st.DrawFn) -> None:
    """Let a reference name something else, as its author might have."""
    ways = [way for way in places(data) if not isinstance(way[-1], int) or way[0] not in ("code", "skills")]
    holder = data
    way = draw(st.sampled_from(ways))
    for key in way[:-1]:
        holder = holder[key]
    if isinstance(holder[way[-1]], str) and ":" in holder[way[-1]]:
        holder[way[-1]] = draw(REFERENCES)


@st.composite
def registries(draw: st.DrawFn) -> bytes:
    """The registry of the small agent, with a few changes of its values: mostly YAML, and sometimes right."""
    data = yaml.safe_load(REGISTRY)
    for _ in range(draw(st.integers(0, 3))):
        rename(data, draw)
    for _ in range(draw(st.sampled_from([0, 0, 1, 3]))):
        change(data, draw)
    flow = draw(st.sampled_from([None, True, False]))
    return encoded(yaml.safe_dump(data, allow_unicode=draw(st.booleans()), default_flow_style=flow, sort_keys=False))


KINDS: dict[str, st.SearchStrategy[bytes]] = {
    "yaml": texts("yaml"),
    "markdown": texts("markdown"),
    "registry": registries(),
}
