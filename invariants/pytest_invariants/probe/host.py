"""The host: the adapter through which the probe runs one agent. Everything but `open` may be left out.

The probe swaps the seal, opens an agent through its host, and asks every surface what comes out. It judges by side
effect and never by text, so a host reports facts: which names were listed, and whether something ran.

A host is a class with a constructor that takes no argument. One host object stands for one opened agent: the probe
makes a new object for every script that it plays, calls `open` once, and `close` at the end whatever happened. Every
method may be `async`; one event loop serves all calls of one host object.

**Surfaces.** A surface of the registry is asked through the method of the same name (`history-rescan` is
`history_rescan`, `import` is `import_`). Where that name is taken by a lever or by one of the methods below, the
method is called `surface_<name>` (`surface_resume`), which is always accepted. A surface without a method is reported
as not examined; it is never held.

- `manner: browse`: called without arguments; returns the names of the skills that it lists (any iterable of `str`), or
  a `Listing` where its text is to be examined too. It must list *every* skill that the seal allows (a search surface
  brings its own query that matches them all; a rescan of the history brings a history in which all were called).
- `manner: named`: called with the name of one skill; returns an `Outcome`. A surface that takes several names in one
  order says so by its signature: `def activate(self, *names)`.
  Asked twice for the same thing it answers the same. It is also asked for `unknown()`, a name that no skill has, and
  for skills by other spellings (`NOTES`, `./notes`, `%6Eotes`); it hands them on to the agent like any other name, and
  says whether anything came out. So does `reach`.
- `manner: both`: `def bridge(self, *names)`; without names it lists, with a name it acts.

An exception that leaves a surface counts as a refusal, whose text is the exception's. That is safe because of the
positive control: with a seal that allows everything, every skill has to come out of every surface.

**Levers** change the agent between two questions. All are optional; what a host lacks is not examined.

    step()            the next sampling: the table is computed anew
    turn()            the next turn of the user
    load(skill)       the model reads the skill's manual, in the way that the agent has for it
    compact()         the history is compacted
    resume(fresh)     the thread is taken up again; fresh: by new objects that know only what was stored
    reload()          the skill files are read again
    restart()         the agent stops and starts again, with what it stored
    connect()         a tool server connects, or connects again
    drop()            the tool server drops out
    spawn_child()     returns another Host, already open, whose surfaces are those of a child agent
    pend(skill)       a tool of the skill is called and waits for an approval; it waits on while surfaces are asked
    approve()         what waits is approved; returns the Outcome of the call (whether it ran)
    approve_edited(skill)  what waits is approved after it was changed into a call of this skill's tool; an Outcome
    forge(skill)      somebody writes into what the agent has stored, past its surfaces, that the skill was opened and
                      loaded and that its tools were called
    beside(facts)     returns another Host, already open: another thread of the same running agent, under these facts

**Facts for single invariants**, all optional:

    table()           the exact tool schemas of this step, in order: a list of what `json.dumps` accepts
    resident()        the names of the tools that are in every request, now
    resident_skills() the names of the skills that are resident as a whole
    own_tools(skill)  the names of the skill's own tools, without those of the namespaces that it claims
    parts(skill)      everything in the skill's group: its own tools, the tools of claimed namespaces, its files
    reach(part)       asks for one such part, in the way that the agent has for it; returns an Outcome
    declare_resident(reason)  reads a skill that is declared resident for this reason (None: no reason is given) and
                      raises where the agent does not accept it
    denial(skill)     what the seal answers when it says no: the verdict, or the exception that it raises
    permission(skill) what the seal answers when it says yes
    unknown()         a name that no skill has (default: `no-such-skill`)
    spellings(skill)  further names under which the agent may know the skill: its id, its hash name, its path
    refusal_facts(skill)  the strings that a truthful refusal of this skill has to name

**Calls of tools**, for the invariants of that family, all optional:

    tools()           the schemas of the tools that may be called now, as in `table` (default: those of `table`)
    invoke(tool, arguments, key)  calls a tool in the way in which a call of the model is carried out, under this
                      idempotency key (None: under none); returns an `Answer`
    effects()         what has reached the tools: an `Effect` for each time that a tool's function began, oldest first
    sample(tool)      arguments that the tool accepts (default: made from its schema)
    writers()         the names of the tools that change something
    open_from_start() those writers that are open in every session by declaration (default: none)
    begin()           a new session begins, in which nothing has been opened
    open_writing(tool)  the session opens the side on which this tool writes
    sign_in(user)     from now on the session belongs to this user; None: to nobody
    fail(tool, error) from now on this tool's function raises this exception
    hang(tool)        from now on this tool's function does not come back
    release()         what hangs comes back, and every tool works again
    patience()        how many seconds a call may take that hangs no longer than the agent lets it (default: 10)

**Skill files**, for the invariants of that family, all optional:

    read_skills(folder)  reads the skill folders that lie in this folder (a `Path`) with the agent's own loader; returns
                      a dictionary from their names to their descriptions, and raises where it does not accept them
    disable(*names)   these skills stand on the disable list of the agent from now on; raises where a name is refused

**The table**, for the invariants of residency, table and masking, all optional:

    call(tool)        the model calls this tool by its exact name in the step that the agent is in, with arguments that
                      suit it; returns an `Outcome`. Where an approval is asked for, it is given
    call_together(*tools)  one reply of the model calls all these tools, and they are carried out as the agent does
                      that, in parallel where it does; returns a list of Outcomes, in the order of the tools
    executable()      the names of the tools that run when they are called in this step, hidden ones included
    searchable()      the names of the deferred tools: not in the table, but found by the search tool
    search(query, limit)  the names of the tools that the search tool answers with, best first, `limit` at most
    search_tool()     the name of the search tool
    loaded()          the names of the skills that count as loaded, in the order in which they first were
    owners()          a mapping from each tool that stays hidden until a manual has been read, to the skills of which
                      one has to be loaded
    core()            the names of the agent's own tools, which no server may take over
    prompt()          the text that the model is told beside the table, in this step: the system prompt
    fingerprint()     by what the agent tells whether the table has changed (default: the bytes of `table`)
    remove_tool(tool) a tool is taken off in mid-conversation
    add_tool(tool)    a tool that was taken off is registered again in mid-conversation
    serve(server, *tools)  another tool server connects, in the way that the agent has for it; when one of its tools is
                      called, it answers with `server/tool`
    arranged(order)   the names in the table of a step that is assembled with this order list, in which
                      `<unlisted-tools>` stands for the rest; raises where the list cannot be followed
    identities()      a mapping from the label of each restricted asker to the tools that it may have at most
    table_for(label)  as `table`, for the asker of this label, if a step began now; None is the usual asker
    break_sources()   from now on every source of tools raises that is not a restricted asker's own
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any


class HostError(Exception):
    """The host cannot be used as it is written. The message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts under which an agent is opened. A host takes what its agent knows of and leaves the rest.

    `category` is the thread's category, `provider` the id of the model's provider and `tags` its tags; None and the
    empty tuple say that the fact is missing. `with_loader` is false where the turn has no skill loader. `path` names
    the loading path where the registry's `residency.paths` has others than `loader` and `loaderless`. `order` is a
    seed: where it is not 0, skills and tools are registered, and folders listed, in the order that
    `random.Random(order).shuffle` gives.
    """

    category: str | None = None
    provider: str | None = None
    tags: tuple[str, ...] = ()
    with_loader: bool = True
    path: str | None = None
    order: int = 0

    def __str__(self) -> str:
        said = [f"category {self.category!r}" if self.category is not None else "no category"]
        said += [f"provider {self.provider!r}"] if self.provider is not None else []
        said += [f"tags {', '.join(self.tags)}"] if self.tags else []
        said += [] if self.with_loader else ["no loader"]
        said += [f"path {self.path!r}"] if self.path else []
        said += [f"order {self.order}"] if self.order else []
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a named request.

    `ran` says whether anything of what was asked for came out or took effect: a tool ran (a sentinel says so), a
    manual's body was in the result, a group was opened. `text` is what the model is told. An order for several names
    has run as soon as any part of it has.
    """

    ran: bool
    text: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.ran, bool):
            raise HostError(f"Outcome.ran has to be True or False, not {self.ran!r}; say whether the effect happened")
        if not isinstance(self.text, str):
            raise HostError(f"Outcome.text has to be a string, not {self.text!r}; pass what the model is told")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the caller of a tool was given: whether it says that the call succeeded, what it says, and under which code.

    `code` stays empty where the agent's results have none.
    """

    ok: bool
    text: str = ""
    code: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.ok, bool):
            raise HostError(f"Answer.ok has to be True or False, not {self.ok!r}; say whether the result is a success")
        if not isinstance(self.text, str) or not isinstance(self.code, str):
            raise HostError(f"Answer.text and Answer.code have to be strings, not {self.text!r} and {self.code!r}")


@dataclass(frozen=True, slots=True)
class Effect:
    """One time that a tool's function began: which tool it was, and for whom it acted, as its effect shows.

    `user` is whose row was written or read, never what the context or the arguments say; None where it is nobody's.
    """

    tool: str
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a browse surface shows: the names of the skills in it, and the whole text.

    `broke` is set by the probe where the surface raised; then `text` is the exception's.
    """

    names: tuple[str, ...]
    text: str = ""
    broke: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    """Says by a predicate which argument the seal will be asked about, where comparing with `==` would not do."""

    holds: Callable[[Any], bool]


class Host(ABC):
    """One agent under test. Subclass it, give `skills`, write `open`, and add a method for every surface."""

    skills: tuple[str, ...] = ()
    """What can be asked for: the names of at least two skills that differ in what the seal is asked about."""

    facts: tuple[Facts, ...] = (Facts(),)
    """The situations to try, the usual one first. Under each, every skill comes out where the seal allows it."""

    @abstractmethod
    def open(self, facts: Facts) -> Awaitable[None] | None:
        """Start a fresh agent under these facts; nothing of an earlier one may be left."""

    def close(self) -> Awaitable[None] | None:
        """Release what `open` took: child processes, connections, temporary folders. Called once, even after errors."""
        return None

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        """What the seal will be asked about for this skill, by the names of its parameters.

        The subject's parameters are needed: by them the probe knows which of several skills a call of the seal is
        about. Those of the principal may be added; then the probe checks that the agent passes them on rightly. A
        value is compared with `==` (lists, tuples and sets by their elements), or is a `Where`. For a seal that
        filters, the value is the one element, not the list. Called on an open host.
        """
        del skill
        return {}
