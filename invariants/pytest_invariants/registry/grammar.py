"""The registry's format, declared once: the reader reads by it and the JSON schema is generated from it."""

from __future__ import annotations

from yaml.nodes import Node

from pytest_invariants.registry.kinds import Choice, Day, Flag, Spot, Version
from pytest_invariants.registry.model import (
    Cache,
    Capability,
    Exemption,
    Grant,
    Manner,
    Relation,
    Residency,
    Surface,
)
from pytest_invariants.registry.roots import CodeRoot
from pytest_invariants.registry.seal_grammar import SEAL
from pytest_invariants.registry.shapes import Field, ListOf, MapOf, Record, Row
from pytest_invariants.registry.words import IDENTIFIER, NAME, REFERENCE, SENTENCE

FUNCTION = Field("function", REFERENCE, "The function, as `module:qualname`.", '"agent.doors:activate"', required=True)
SOURCE = Field(
    "of", REFERENCE, "A function, method, field, module-level table or foreign callable.", '"agent.store:Skill.body"'
)
DECORATED = Field(
    "decorated", REFERENCE, "A decorator: everything under it is a capability.", '"langchain_core.tools:tool"'
)
GRANT = Field(
    "grant",
    Choice({grant.value: grant for grant in Grant}),
    "Whether it gets out where its value leaves the surface (value) or where it is called (call).",
    "value",
    required=True,
)
MANNER = Field(
    "manner",
    Choice({manner.value: manner for manner in Manner}),
    "Whether the surface lists silently (browse), is asked for one thing by name (named), or both.",
    "named",
    required=True,
)
HIDDEN = Field(
    "hidden_but_callable", Flag(), "True where the model may call what this surface does not show it.", "true"
)
KEY = Field("key", IDENTIFIER, "The argument that names the object that comes out.", "name", required=True)
RELATED = Field("of", REFERENCE, "The function that looks an object up.", '"agent.store:Store.get"', required=True)
REASON = Field(
    "reason", SENTENCE, "Why the function is no door.", '"operator\'s console, never part of a turn"', required=True
)
EXPIRES = Field("expires", Day(), "The day after which the exemption no longer counts.", "2027-06-30")
CACHED = Field(
    "of", REFERENCE, "The cache: a function that remembers, or a table.", '"agent.doors:_seen"', required=True
)
CACHE_KEY = Field(
    "key",
    ListOf(Choice({"subject": "subject", "principal": "principal"}), least=1),
    "What the cache's key holds.",
    "[subject, principal]",
    required=True,
)
CENTRAL = Field(
    "central", REFERENCE, "The table of tools that are always resident.", '"agent.residency:ALWAYS_AVAILABLE"'
)
PATHS = Field(
    "paths",
    MapOf(NAME, REFERENCE, least=1),
    "The loading paths that must agree on which tools are resident.",
    '{loader: "agent.loading:with_loader", loaderless: "agent.loading:without_loader"}',
    required=True,
)


def _check_comparable(row: Row, node: Node, spot: Spot) -> None:
    if row.find(CENTRAL) is None and len(row[PATHS]) < 2:
        spot.fail(
            node, f"{spot} names one path and no central table, so there is nothing to compare", "add the other one"
        )


def _residency(row: Row) -> Residency:
    return Residency(row.find(CENTRAL), row[PATHS], row.at)


def _exemption(row: Row) -> Exemption:
    return Exemption(row[FUNCTION], row[REASON], row.find(EXPIRES), row.at)


def _surface(row: Row) -> Surface:
    return Surface(row.name, row[FUNCTION], row[MANNER], row.at, row.get(HIDDEN, False))


def _capability(row: Row) -> Capability:
    return Capability(row.find(SOURCE), row.find(DECORATED), row[GRANT], row.at)


def _policy(name: str, about: str, *words: str) -> Field[str]:
    return Field(name, Choice({word: word for word in words}), about, words[0])


POLICY_FIELDS = (
    _policy("refusal", "Whether a refusal may say that the thing exists.", "truthful", "indistinguishable"),
    _policy("loaded", "Whether what is loaded only grows, or follows the history.", "grows", "follows-history"),
    _policy("compaction", "What a compaction of the history does to what is loaded.", "keeps", "resets"),
    _policy("child", "What a child agent may do, measured by its parent.", "ceiling", "independent", "intersection"),
    _policy("table", "When a change reaches the table of tools.", "live", "per-step", "per-turn"),
)


def _policies(row: Row) -> dict[str, str]:
    return {field.name: row[field] for field in POLICY_FIELDS if row.find(field) is not None}


VERSION = Field("version", Version(1), "The version of this format.", "1", required=True)
CODE = Field(
    "code",
    ListOf(CodeRoot(), least=1),
    "The packages or folders that are judged, relative to the repository's root.",
    "[agent]",
    required=True,
)
CAPABILITIES = Field(
    "capabilities",
    ListOf(Record((SOURCE, DECORATED, GRANT), _capability, one_of=("of", "decorated")), least=1, unique=False),
    "Where the things come from that must not get out unasked.",
    '[{of: "agent.store:Skill.body", grant: value}]',
    required=True,
)
SURFACES = Field(
    "surfaces",
    MapOf(NAME, Record((FUNCTION, MANNER, HIDDEN), _surface), least=1),
    "The doors, by an id of your choice.",
    '{activate: {function: "agent.doors:activate", manner: named}}',
    required=True,
)
RELATIONS = Field(
    "relations",
    ListOf(Record((RELATED, KEY), lambda row: Relation(row[RELATED], row[KEY], row.at)), unique=False),
    "Look-ups whose argument names the object that comes out.",
    '[{of: "agent.store:Store.get", key: name}]',
)
EXEMPT = Field(
    "exempt",
    ListOf(Record((FUNCTION, REASON, EXPIRES), _exemption), unique=False),
    "Functions that reach a capability and are no doors on purpose.",
    '[{function: "agent.admin:dump", reason: "operator\'s console"}]',
)
CACHES = Field(
    "caches",
    ListOf(Record((CACHED, CACHE_KEY), lambda row: Cache(row[CACHED], row[CACHE_KEY], row.at)), unique=False),
    "Caches of verdicts that are right; any other is a stored verdict.",
    '[{of: "agent.doors:_seen", key: [subject, principal]}]',
)
HOST = Field("host", REFERENCE, "The adapter through which the probe runs the agent.", '"tests.host:AgentHost"')
RESIDENCY = Field(
    "residency",
    Record((CENTRAL, PATHS), _residency, check=_check_comparable),
    "Which tools are in every request, and the paths that must agree on it.",
    '{central: "agent.residency:ALWAYS_AVAILABLE", paths: {loader: "agent.loading:with_loader"}}',
)
SNAPSHOTS = Field(
    "snapshots",
    MapOf(NAME, REFERENCE),
    "Functions whose result must stay the same, byte for byte.",
    '{table: "agent.table:render"}',
)
POLICIES = Field(
    "policies",
    Record(POLICY_FIELDS, _policies),
    "What this agent promises where honest agents differ; each is tested on every surface.",
    "{refusal: truthful, loaded: grows}",
)
OPEN = Field(
    "open",
    ListOf(REFERENCE),
    "Classes and protocols that other packages may implement.",
    '["agent.ports:SkillSource"]',
)

REGISTRY: Record[Row] = Record(
    (
        VERSION,
        CODE,
        SEAL,
        CAPABILITIES,
        SURFACES,
        RELATIONS,
        EXEMPT,
        CACHES,
        HOST,
        RESIDENCY,
        SNAPSHOTS,
        POLICIES,
        OPEN,
    ),
    build=lambda row: row,
)
