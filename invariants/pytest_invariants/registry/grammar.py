"""The registry's format, declared once: the reader reads by it and the JSON schema is generated from it."""

from __future__ import annotations

from yaml.nodes import Node

from pytest_invariants.registry.kinds import Choice, Day, Flag, Version
from pytest_invariants.registry.model import Cache, Capability, Exemption, Grant, Manner, Relation, Residency, Surface
from pytest_invariants.registry.records import Field, Record, Row
from pytest_invariants.registry.roots import CodeRoot, SkillRoot
from pytest_invariants.registry.seal_grammar import SEAL
from pytest_invariants.registry.shapes import ListOf, MapOf
from pytest_invariants.registry.spot import Spot
from pytest_invariants.registry.words import identifier, name, reference, sentence

# Capabilities and surfaces
OF = Field("of", reference("agent.store:Skill.body"), "A function, method, field, table or foreign callable.")
DECORATED = Field("decorated", reference("langchain_core.tools:tool"), "A decorator; all under it are capabilities.")
GRANT = Field(
    "grant",
    Choice({grant.value: grant for grant in Grant}),
    "Whether it gets out where its value leaves the surface (value) or where it is called (call).",
    required=True,
)
FUNCTION = Field("function", reference("agent.doors:activate"), "The function.", required=True)
MANNER = Field(
    "manner",
    Choice({manner.value: manner for manner in (Manner.NAMED, Manner.BROWSE, Manner.BOTH)}),
    "Whether the surface is asked for one thing by name (named), lists silently (browse), or both.",
    required=True,
)
HIDDEN = Field("hidden_but_callable", Flag(), "True where the model may call what the surface does not show.")

# Rows that explain
EXEMPTED = Field("function", reference("agent.admin:dump"), "The function that is no door.", required=True)
REASON = Field("reason", sentence("operator's console"), "Why it is no door.", required=True)
EXPIRES = Field("expires", Day(), "The last day on which the exemption counts.")
RELATED = Field("of", reference("agent.store:Store.get"), "The function that looks an object up.", required=True)
KEY = Field("key", identifier("name"), "The argument that names the object that comes out.", required=True)
CACHED = Field("of", reference("agent.doors:seen"), "The cache: a function that remembers, or a table.", required=True)
CACHE_KEY = Field(
    "key",
    ListOf(Choice({"subject": "subject", "principal": "principal"}), least=1),
    "What the key of the cache holds.",
    required=True,
)

# Residency and policies
CENTRAL = Field("central", reference("agent.residency:ALWAYS"), "The table of tools that are always resident.")
PATHS = Field(
    "paths",
    MapOf(name("loader"), reference("agent.loading:with_loader"), least=1),
    "The loading paths that must agree on which tools are resident.",
    required=True,
)


def _check_comparable(row: Row, node: Node, spot: Spot) -> None:
    if row.find(CENTRAL) is None and len(row[PATHS]) < 2:
        message = f"{spot} has one path and no central table: there is nothing to compare"
        spot.fail(node, message, "add a path, or `central`")


def _policy(name: str, about: str, *words: str) -> Field[str]:
    return Field(name, Choice({word: word for word in words}), about)


POLICY_FIELDS = (
    _policy("refusal", "Whether a refusal may say that the thing exists.", "truthful", "indistinguishable"),
    _policy("loaded", "Whether what is loaded only grows, or follows the history.", "grows", "follows-history"),
    _policy("compaction", "What a compaction of the history does to what is loaded.", "keeps", "resets"),
    _policy("child", "What a child agent may do, measured by its parent.", "ceiling", "independent", "intersection"),
    _policy("table", "When a change reaches the table of tools.", "live", "per-step", "per-turn"),
    _policy("order", "Where a tool that is new stands in the table.", "appended", "builtin-first", "listed"),
    _policy("hidden", "What becomes of a call of a tool that is not shown.", "callable", "refused"),
    _policy("names", "How the words of a skill's name are joined.", "hyphens", "underscores"),
)


def _policies(row: Row) -> dict[str, str]:
    return {field.name: row[field] for field in POLICY_FIELDS if field.name in row.values}


# The registry as a whole
VERSION = Field("version", Version(1), "The version of this format.", required=True)
CODE = Field(
    "code",
    ListOf(CodeRoot(), least=1),
    "The folders or packages that are judged, relative to the repository's root.",
    required=True,
)
SKILLS = Field(
    "skills",
    ListOf(SkillRoot(), least=1),
    "The folders in which the agent's skills lie, each in a folder of its own with a SKILL.md.",
)
CAPABILITIES = Field(
    "capabilities",
    ListOf(
        Record(
            (OF, DECORATED, GRANT),
            lambda row: Capability(row.find(OF), row.find(DECORATED), row[GRANT], row.at),
            one_of=("of", "decorated"),
        ),
        least=1,
        unique=False,
    ),
    "Where the things come from that must not get out unasked.",
    required=True,
)
SURFACES = Field(
    "surfaces",
    MapOf(
        name("activate"),
        Record(
            (FUNCTION, MANNER, HIDDEN),
            lambda row: Surface(row.name, row[FUNCTION], row[MANNER], row.at, row.get(HIDDEN, False)),
        ),
        least=1,
    ),
    "The doors, each under an id of your choice.",
    required=True,
)
RELATIONS = Field(
    "relations",
    ListOf(Record((RELATED, KEY), lambda row: Relation(row[RELATED], row[KEY], row.at)), unique=False),
    "Look-ups whose argument names the object that comes out.",
)
EXEMPT = Field(
    "exempt",
    ListOf(
        Record(
            (EXEMPTED, REASON, EXPIRES),
            lambda row: Exemption(row[EXEMPTED], row[REASON], row.find(EXPIRES), row.at),
        ),
        unique=False,
    ),
    "Functions that reach a capability and are no doors on purpose.",
)
CACHES = Field(
    "caches",
    ListOf(Record((CACHED, CACHE_KEY), lambda row: Cache(row[CACHED], row[CACHE_KEY], row.at)), unique=False),
    "Caches of verdicts that are right; any other is a stored verdict.",
)
HOST = Field("host", reference("tests.host:AgentHost"), "The adapter through which the probe runs the agent.")
RESIDENCY = Field(
    "residency",
    Record((CENTRAL, PATHS), lambda row: Residency(row.find(CENTRAL), row[PATHS], row.at), check=_check_comparable),
    "Which tools are in every request, and the paths that must agree on it.",
)
SNAPSHOTS = Field(
    "snapshots",
    MapOf(name("table"), reference("agent.table:render")),
    "Functions whose result must stay the same, byte for byte.",
)
POLICIES = Field(
    "policies",
    Record(POLICY_FIELDS, _policies),
    "What this agent promises where honest agents differ; each is tested on every surface.",
)
OPEN = Field(
    "open",
    ListOf(reference("agent.ports:SkillSource")),
    "Classes and protocols that other packages may implement.",
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
        SKILLS,
    ),
    build=lambda row: row,
    sample="version: 1",
)
