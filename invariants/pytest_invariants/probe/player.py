"""Plays scripts: makes one move after the other, and after each asks every surface, and every child that is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import combinations

from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.probe.blame import raised
from pytest_invariants.probe.by_name import Spelled, skills_of, strangers_to_the_own_seal
from pytest_invariants.probe.company import spawned
from pytest_invariants.probe.compare import Questions, approve, compare
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.script import ALL, Move, Script, world_of
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.spelling import spellings
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.worlds import ALLOW
from pytest_invariants.verdict import Reason

Words = tuple[str, ...]
GROUPS = 5
"""Of how many groups every combination is denied."""
MANY = 1000
"""Hits that a search may bring."""


@dataclass
class Player:
    """One agent on its stage, and what the player has to know of it to judge what it shows."""

    stage: Stage
    questions: Questions
    parts: Mapping[str, Words]
    stack: ExitStack
    dropped: bool = False
    compacted: bool = False
    pending: str | None = None
    children: list[Stage] = field(default_factory=list)

    @property
    def session(self) -> ProbeSession:
        return self.stage.session

    def make(self, move: Move) -> None:
        """Make one move. Raises Fallen where the move itself shows what is wrong."""
        VERBS[move.verb].act(self, move.words)

    def look(self) -> list[str]:
        """Ask every surface; what it answered. Raises Fallen where one shows too much, or not what it has to."""
        answers = compare(self.stage, self.questions, complete=not self.dropped, lists_complete=not self.compacted)
        for child in self.children:
            child.script = [*self.stage.script, "its child is asked"]
            answers += [f"in the child, {each}" for each in compare(child, child.able(self.questions), complete=False)]
        return answers

    def can(self, verb: str) -> bool:
        """Whether a move of this kind can be made now."""
        entry = VERBS[verb]
        return all(map(self.session.has, entry.needs)) and entry.ready(self)

    def choices(self, verb: str) -> list[Words]:
        """With what a move of this kind can be made, the simplest first."""
        return VERBS[verb].choices(self)


def _always(_player: Player) -> bool:
    return True


def _nothing(_player: Player) -> list[Words]:
    return [()]


@dataclass(frozen=True, slots=True)
class Verb:
    """A kind of move: what it does, with what it can be made, the host's methods that it needs, and when it can be."""

    act: Callable[[Player, Words], None]
    choices: Callable[[Player], list[Words]] = _nothing
    needs: Words = ()
    ready: Callable[[Player], bool] = _always


def _deny(player: Player, words: Words) -> None:
    player.stage.enter(world_of(words))
    for child in player.children:
        child.go_on()


def _denials(player: Player) -> list[Words]:
    """Everything, and every combination of the first groups."""
    groups = player.session.groups(player.stage.facts)[:GROUPS]
    several = [some for size in range(1, len(groups)) for some in combinations(groups, size)]
    return [(ALL,), *(tuple(sorted(frozenset().union(*some))) for some in several)]


def _compact(player: Player, _words: Words) -> None:
    player.stage.pull("compact")
    player.compacted = player.session.policy("compaction", "resets") != "keeps"


def _drop(player: Player, _words: Words) -> None:
    player.stage.pull("drop")
    player.dropped = True


def _connect(player: Player, _words: Words) -> None:
    player.stage.pull("connect")
    player.dropped = False


def _pend(player: Player, words: Words) -> None:
    player.pending = words[0]
    player.stage.pull("pend", *words)


def _approve(player: Player, words: Words) -> None:
    skill, player.pending = str(player.pending), None
    approve(player.stage, skill, *words)


def _spawn(player: Player, _words: Words) -> None:
    child = player.stack.enter_context(spawned(player.stage))
    player.children[:] = [child] if child is not None else []


def _search(player: Player, words: Words) -> None:
    """The model searches for a skill's tools by their names; nothing of a denied skill is found."""
    stage, skill = player.stage, words[0]
    query = " ".join(player.parts[skill]).replace("_", " ")
    stage.script.append(f"the model searches for {query!r:.60}")
    found = () if stage.dead else _hits(stage, query)
    leaked = {owner for owner, parts in player.parts.items() if owner not in stage.allowed and set(parts) & set(found)}
    if leaked:
        message = f"the search finds tools of {quoted(leaked)} though {stage.world}"
        remedy = "ask the seal about every hit before the hits are cut off"
        raise Fallen(Reason.LEAKED, message, remedy, tuple(stage.script))


def _hits(stage: Stage, query: str) -> Words:
    """What the search tool finds; nothing where it is refused."""
    try:
        return stage.agent.names("search", query, MANY)
    except HostError:
        raise
    except REFUSALS as error:
        if stage.world == ALLOW:
            raise HostError(
                f"`{stage.agent.name}.search` raised {raised(error, stage.session.registry.root)}; repair the host"
            ) from error
        return ()


def _call(player: Player, words: Words) -> None:
    """A skill is called by another spelling. It says nothing where a name comes out that nothing has."""
    stage, (surface, skill, text) = player.stage, words
    stage.script.append(f"`{surface}` is asked for {text!r}")
    naming = skills_of(surface)
    with strangers_to_the_own_seal(stage):
        means_nothing = naming.comes_out(stage, stage.unknown)
    if not means_nothing:
        naming.closed(stage, [Spelled(skill, skill, "by another spelling", text)])


def _calls(player: Player) -> list[Words]:
    """Every named surface, every skill, every other spelling that is no plain name."""
    skills = player.session.skills
    named = [question.surface for question in player.questions if not question.lists]
    others = [(skill, each.text) for skill in skills for each in spellings(skill) if each.text not in skills]
    return [(surface, skill, text) for surface in named for skill, text in others]


def _pulled(lever: str, choices: Callable[[Player], list[Words]] = _nothing) -> Verb:
    """A lever that does all by itself."""
    return Verb(lambda player, words: _pull(player, lever, words), choices, (lever,))


def _pull(player: Player, lever: str, words: Words) -> None:
    player.stage.pull(lever, *words)


def _resume(player: Player, words: Words) -> None:
    player.stage.pull("resume", words == ("fresh",))


def _of_skills(player: Player) -> list[Words]:
    return [(skill,) for skill in player.session.skills]


def _same_or_new(_player: Player) -> list[Words]:
    return [("same",), ("fresh",)]


def _hears(player: Player) -> bool:
    return player.session.changeable


def _waits(player: Player) -> bool:
    return player.pending is not None


def _waits_not(player: Player) -> bool:
    return player.pending is None


def _connected(player: Player) -> bool:
    return not player.dropped


VERBS: dict[str, Verb] = {
    "allow": Verb(lambda player, _words: _deny(player, ()), ready=_hears),
    "deny": Verb(_deny, _denials, ready=_hears),
    "step": _pulled("step"),
    "turn": _pulled("turn"),
    "load": _pulled("load", _of_skills),
    "compact": Verb(_compact, needs=("compact",)),
    "resume": Verb(_resume, _same_or_new, ("resume",)),
    "reload": _pulled("reload"),
    "restart": _pulled("restart"),
    "drop": Verb(_drop, needs=("drop", "connect"), ready=_connected),
    "connect": Verb(_connect, needs=("connect",)),
    "pend": Verb(_pend, _of_skills, ("pend", "approve"), _waits_not),
    "approve": Verb(_approve, needs=("pend", "approve"), ready=_waits),
    "edit": Verb(_approve, _of_skills, ("pend", "approve_edited"), _waits),
    "child": Verb(_spawn, needs=("spawn_child",)),
    "forge": _pulled("forge", _of_skills),
    "search": Verb(_search, _of_skills, ("search", "parts")),
    "call": Verb(_call, _calls),
}
"""Every kind of move, by its word in a script."""


@contextmanager
def on_stage(session: ProbeSession, questions: Questions, script: Script) -> Iterator[Player]:
    """A player whose agent is open, as the script's beginning says."""
    facts = session.facts[script.facts]
    parts = _parts(session) if session.has("search") and session.has("parts") else {}
    with ExitStack() as stack:
        stage = stack.enter_context(session.stage(facts, world_of(script.denied)))
        yield Player(stage, questions, parts, stack)


def _parts(session: ProbeSession) -> Mapping[str, Words]:
    """What belongs to each skill, read while nothing is denied."""
    if not session.parts:
        with session.stage() as stage:
            session.parts.update({skill: stage.agent.names("parts", skill) for skill in session.skills})
    return session.parts


def play(
    session: ProbeSession,
    questions: Questions,
    script: Script,
    told: Callable[[Player, list[str]], None] = lambda _player, _answers: None,
    quiet: frozenset[str] = frozenset(),
) -> None:
    """Play a script; moves that cannot be made are left out. Raises Fallen for the first answer that is wrong.

    `told` hears of every step, and of the answers to it. After a move of a `quiet` kind nobody is asked.
    """
    with on_stage(session, questions, script) as player:
        told(player, [] if "open" in quiet else player.look())
        for move in script.moves:
            if player.can(move.verb):
                player.make(move)
                told(player, [] if move.verb in quiet else player.look())
