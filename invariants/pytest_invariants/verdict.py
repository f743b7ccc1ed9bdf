"""What every half of the harness returns: verdicts, reasons and the findings that carry them. No input or output here."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

RUN = "*"
"""The surface id of a result that speaks of the run as a whole."""


class Verdict(StrEnum):
    """The answer to one question about one surface."""

    PROVED = "proved"
    """Shown from the source for every path."""
    HELD = "held"
    """Shown by running: no world that was tried contradicts it."""
    REFUTED = "refuted"
    """A counterexample is attached."""
    UNDECIDED = "undecided"
    """The source cannot be followed; the reason and a remedy are attached. Never a pass."""
    UNEXAMINED = "not-examined"
    """Nothing was there to examine: the host lacks the lever, or the registry declares no policy. Never a pass."""


class Reason(StrEnum):
    """Why a verdict is not a pass. The codes are part of the JSON contract."""

    UNREGISTERED_DOOR = "unregistered-door"
    MISSING_FUNCTION = "missing-function"
    NO_GRANT = "no-grant"
    STALE_EXEMPTION = "stale-exemption"

    NEVER_REACHES_SEAL = "never-reaches-seal"
    PATH_WITHOUT_SEAL = "path-without-seal"
    NOT_AWAITED = "not-awaited"
    NOT_ITERATED = "not-iterated"
    NOT_ENTERED = "not-entered"
    VERDICT_IGNORED = "verdict-ignored"
    INVERTED = "inverted"
    PARTIAL_VERDICT = "partial-verdict"
    SWALLOWED_REFUSAL = "swallowed-refusal"
    GRANT_BEFORE_SEAL = "grant-before-seal"
    ASSERT_GUARD = "assert-guard"
    ADDED_AFTER_SEAL = "added-after-seal"
    FAILS_OPEN = "fails-open"
    WRONG_SUBJECT = "wrong-subject"
    WRONG_PRINCIPAL = "wrong-principal"
    CONSTANT_PRINCIPAL = "constant-principal"
    STALE_VERDICT = "stale-verdict"
    SUBJECT_REBOUND = "subject-rebound"

    LOOK_ALIKE = "look-alike"
    SEAL_REBOUND = "seal-rebound"
    SECOND_READER = "second-reader"

    DYNAMIC_ATTRIBUTE = "dynamic-attribute"
    COMPUTED_IMPORT = "computed-import"
    UNTYPED_RECEIVER = "untyped-receiver"
    OPEN_PROTOCOL = "open-protocol"
    FOREIGN_DECORATOR = "foreign-decorator"
    FOREIGN_CODE = "foreign-code"
    OPAQUE_CALLABLE = "opaque-callable"
    PROXY = "proxy"
    TOO_MANY_TARGETS = "too-many-targets"
    UNSUPPORTED_SYNTAX = "unsupported-syntax"

    LEAKED = "leaked"
    """By probe: a sealed capability came out, or a sealed tool ran."""
    NOT_SHOWN = "not-shown"
    """By probe: the positive control failed, so a refusal proves nothing."""
    DISAGREES = "disagrees"
    """By probe: two paths, surfaces, processes or orders give different answers."""
    CHANGED = "changed"
    """By probe: a snapshot no longer matches."""
    UNCHECKED_ARGUMENTS = "unchecked-arguments"
    """By probe: a call with arguments that its schema forbids reached the tool."""
    RAISED = "raised"
    """By probe: an expected failure was no result, or a result that does not say so."""
    HANGS = "hangs"
    """By probe: one hanging tool held up its caller, or the next call."""
    REPEATED = "repeated"
    """By probe: one idempotency key took effect more than once, or a write took effect without one."""
    OPEN_WRITER = "open-writer"
    """By probe: a tool that writes was there in a session that had not opened it."""
    CLAIMED_IDENTITY = "claimed-identity"
    """By probe: a tool acted for somebody whom an argument named."""
    ALIKE = "alike"
    """Two things that are to be told apart by what they are called or described as cannot be."""
    FLAWED_FILE = "flawed-file"
    """A skill file breaks a rule, or a sound one is dropped or misread."""
    MATCHES_NOTHING = "matches-nothing"
    """By probe: an entry of a disable list takes nothing away, and nobody says so."""
    MOVED = "moved"
    """By probe: bytes of the table moved that had to stay where they were."""
    AGAINST_POLICY = "against-policy"
    """By probe: the agent does something else than the registry's policy says."""
    NOT_CALLABLE = "not-callable"
    """By probe: a tool that is shown, or said to be executable, does not run."""
    HIDDEN_RUNS = "hidden-runs"
    """By probe: a tool that is neither shown nor declared ran when it was called by its name."""
    STARVED = "starved"
    """By probe: tools that are left out took up places of an answer."""
    AMBIGUOUS = "ambiguous"
    """By probe: one name stands for two tools, or a tool was lost to another one's name."""
    WALKED = "walked"
    """By probe: a restricted asker's table came from sources that are not its own."""
    PHANTOM = "phantom"
    """By probe: a text tells the model of a tool that is not there."""
    MALFORMED = "malformed"
    """Of a server: what it says has not the form that the protocol, or JSON Schema, gives to it."""
    SILENT = "silent"
    """Of a server: a request was not answered, or ended the connection."""
    UNTOLD = "untold"
    """Of a server: a list changed and no notice came, or a notice came and no list had changed."""
    HARNESS = "harness"
    """The harness could not do its own work (the host raised, the seal could not be swapped, a proof turned out empty)."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file. `path` is relative to the repository's root, with forward slashes; `line` counts from 1."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a way around the seal, or of a script that the probe played."""

    at: Place | None
    note: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one invariant for one surface (or for the run, `surface == RUN`).

    `level` is the rung of `seal-consulted` that was reached (0 to 5), where the invariant has rungs. `message` and
    `remedy` are one sentence each. `guards` name what a proof rests on; `assumptions` what it takes for granted.
    """

    surface: str
    invariant: str
    verdict: Verdict
    level: int | None = None
    reason: Reason | None = None
    at: Place | None = None
    trace: tuple[Step, ...] = ()
    message: str = ""
    remedy: str = ""
    guards: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    sites: tuple[Step, ...] = field(default=())

    @property
    def steps(self) -> tuple[Step, ...]:
        """What a reader is shown: the trace, and the sites of what is undecided."""
        sites = self.sites if self.verdict is Verdict.UNDECIDED else ()
        return (*self.trace, *(site for site in sites if site not in self.trace))

    @property
    def passes(self) -> bool:
        return self.verdict in (Verdict.PROVED, Verdict.HELD)
