"""What each reason code means, and what usually helps: one sentence each, for `explain` and for the documentation."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_invariants.verdict import Reason


@dataclass(frozen=True, slots=True)
class Meaning:
    """`family` is the invariant or the kind of answer that gives this reason."""

    family: str
    meaning: str
    remedy: str


REGISTERED, SOLE = "door-registered", "seal-sole"
LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4, LEVEL_5 = (f"seal-consulted, level {level}" for level in range(1, 6))
UNDECIDED, PROBE, SERVER = "undecided", "probe", "MCP server"

MEANINGS: dict[Reason, Meaning] = {
    Reason.UNREGISTERED_DOOR: Meaning(
        REGISTERED,
        "A function reaches a capability, nothing in the code calls it, and no row of the registry names it.",
        "Add it to `surfaces`, or to `exempt` with the reason why it is no door.",
    ),
    Reason.MISSING_FUNCTION: Meaning(
        REGISTERED,
        "A surface names a function that the code does not have.",
        "Correct the name, or take the row out.",
    ),
    Reason.NO_GRANT: Meaning(
        REGISTERED,
        "A surface's function lets no capability out, so that nothing about it could be proved.",
        "Declare the capability that it lets out, or take the row out.",
    ),
    Reason.STALE_EXEMPTION: Meaning(
        REGISTERED,
        "An exemption names a function that is gone, reaches no capability, is a surface as well, or has run out.",
        "Take the exemption out, or renew it with its reason.",
    ),
    Reason.NEVER_REACHES_SEAL: Meaning(
        LEVEL_1,
        "No call from the surface leads to the seal.",
        "Ask the seal before the capability is let out.",
    ),
    Reason.PATH_WITHOUT_SEAL: Meaning(
        LEVEL_2,
        "The seal is asked on some paths, and there is one to the grant on which it is not.",
        "Ask the seal on that path too, or return before the grant.",
    ),
    Reason.NOT_AWAITED: Meaning(
        LEVEL_2,
        "The seal is a coroutine function and its call is never awaited: it did not run, and the coroutine is truthy.",
        "Await the call.",
    ),
    Reason.NOT_ITERATED: Meaning(
        LEVEL_2,
        "The seal is a generator and nobody iterates it: its body did not run.",
        "Iterate it, or make the seal a plain function.",
    ),
    Reason.NOT_ENTERED: Meaning(
        LEVEL_2,
        "The seal is a context manager and is not entered around the grant.",
        "Put the grant inside `with seal(...):`.",
    ),
    Reason.VERDICT_IGNORED: Meaning(
        LEVEL_3,
        "The seal is asked, and the grant happens whatever it says.",
        "Let the grant depend on the verdict.",
    ),
    Reason.INVERTED: Meaning(
        LEVEL_3,
        "The grant happens exactly where the seal says no.",
        "Swap the two branches, or correct `seal.verdict` in the registry.",
    ),
    Reason.PARTIAL_VERDICT: Meaning(
        LEVEL_3,
        "The verdict has more than two values and is tested as though it had two.",
        "Test for the one value that allows.",
    ),
    Reason.SWALLOWED_REFUSAL: Meaning(
        LEVEL_3,
        "The seal refuses by raising, and a handler catches the refusal and goes on to the grant.",
        "Return or raise from the handler.",
    ),
    Reason.GRANT_BEFORE_SEAL: Meaning(
        LEVEL_3,
        "The capability is out before the seal is asked.",
        "Move the question before the grant.",
    ),
    Reason.ASSERT_GUARD: Meaning(
        LEVEL_3,
        "Only an `assert` stands between the seal and the grant, and `python -O` removes it.",
        "Use `if` and `raise`.",
    ),
    Reason.ADDED_AFTER_SEAL: Meaning(
        LEVEL_3,
        "Something joins the result after it was filtered by the seal.",
        "Add it before the filter, or filter once more.",
    ),
    Reason.FAILS_OPEN: Meaning(
        LEVEL_3,
        "Where the seal or the facts for it fail, the grant happens.",
        "Refuse in the handler: facts that are missing never open a seal.",
    ),
    Reason.WRONG_SUBJECT: Meaning(
        LEVEL_4,
        "The seal is asked about something else than what is let out.",
        "Pass the very object that is granted, or relate the two under `relations`.",
    ),
    Reason.WRONG_PRINCIPAL: Meaning(
        LEVEL_4,
        "The seal is asked for somebody else than the caller: the principal comes from the input or another turn.",
        "Take the principal from the turn.",
    ),
    Reason.CONSTANT_PRINCIPAL: Meaning(
        LEVEL_4,
        "The seal is asked for a principal that is written into the code.",
        "Take the principal from the turn.",
    ),
    Reason.STALE_VERDICT: Meaning(
        LEVEL_5,
        "The verdict comes out of a store (a cache, an attribute, a default argument), not from a question asked now.",
        "Ask again, or declare the cache with its key under `caches`.",
    ),
    Reason.SUBJECT_REBOUND: Meaning(
        LEVEL_5,
        "What was asked about is bound anew, or changed, between the question and the grant.",
        "Ask after the change, or keep what was asked about under a name of its own.",
    ),
    Reason.LOOK_ALIKE: Meaning(
        SOLE,
        "A second function computes what the seal computes.",
        "Call the seal.",
    ),
    Reason.SEAL_REBOUND: Meaning(
        SOLE,
        "The seal's name is bound to something else while the agent runs.",
        "Bind it once, where it is defined.",
    ),
    Reason.SECOND_READER: Meaning(
        SOLE,
        "Code other than the seal reads the facts on which only the seal may decide, and decides on them.",
        "Call the seal instead of reading `seal.state`.",
    ),
    Reason.DYNAMIC_ATTRIBUTE: Meaning(
        UNDECIDED,
        "An attribute is looked up by a name that is computed.",
        "Name the attribute, or use a table of functions.",
    ),
    Reason.COMPUTED_IMPORT: Meaning(
        UNDECIDED,
        "A module is imported by a name that is computed.",
        "Import it by name, or keep the import away from the way to the grant.",
    ),
    Reason.UNTYPED_RECEIVER: Meaning(
        UNDECIDED,
        "A method is called on an object whose class cannot be told.",
        "Annotate the parameter or the attribute.",
    ),
    Reason.OPEN_PROTOCOL: Meaning(
        UNDECIDED,
        "A class that others may implement is called, so that not every target is known.",
        "Ask the seal at the call, or take the class out of `open`.",
    ),
    Reason.FOREIGN_DECORATOR: Meaning(
        UNDECIDED,
        "A decorator from another package wraps a function on the way, and what it does is not known.",
        "Ask the seal outside the decorated function.",
    ),
    Reason.FOREIGN_CODE: Meaning(
        UNDECIDED,
        "The surface's function, or the seal, belongs to a package outside `code`, such as the agent's framework.",
        "Let a host run the surface, for a run that holds stands in for the proof.",
    ),
    Reason.OPAQUE_CALLABLE: Meaning(
        UNDECIDED,
        "A callable that came as a value is called, and what it is cannot be told.",
        "Pass functions by name, or annotate them with a class that has one implementation.",
    ),
    Reason.PROXY: Meaning(
        UNDECIDED,
        "An object answers for others by `__getattr__`.",
        "Write the methods out, or ask the seal before the proxy.",
    ),
    Reason.TOO_MANY_TARGETS: Meaning(
        UNDECIDED,
        "There are more paths, or more functions that a call may go to, than are followed.",
        "Say what the values named in the finding are instances of, or ask the seal closer to the grant.",
    ),
    Reason.UNSUPPORTED_SYNTAX: Meaning(
        UNDECIDED,
        "The code cannot be followed: it does not parse, or it uses `eval` or `exec`.",
        "Write it so that it can be read, or let the probe cover the surface.",
    ),
    Reason.LEAKED: Meaning(
        PROBE,
        "A sealed capability came out, or a sealed tool ran.",
        "Follow the script in the trace; it is the shortest that shows it.",
    ),
    Reason.NOT_SHOWN: Meaning(
        PROBE,
        "With everything allowed the capability did not appear, so that a refusal proves nothing.",
        "Find out what else refuses, or correct the host.",
    ),
    Reason.DISAGREES: Meaning(
        PROBE,
        "Two paths, surfaces, processes or orders give different answers to the same question.",
        "Let both read from one place.",
    ),
    Reason.CHANGED: Meaning(
        PROBE,
        "A snapshot no longer matches what the agent shows.",
        "Where the change is wanted, update the snapshot and review the difference.",
    ),
    Reason.UNCHECKED_ARGUMENTS: Meaning(
        PROBE,
        "A call whose arguments break the tool's own schema reached the tool.",
        "Validate the arguments before anything downstream hears of the call.",
    ),
    Reason.RAISED: Meaning(
        PROBE,
        "A failure that is to be expected reached the caller as an exception, or as a result that does not tell of it.",
        "Turn what fails downstream into a result that says so.",
    ),
    Reason.HANGS: Meaning(
        PROBE,
        "A tool that does not come back held up its caller, or a call of another tool.",
        "Bound each call in time, and do not let one tool use up the threads.",
    ),
    Reason.REPEATED: Meaning(
        PROBE,
        "A writing call took effect more than once under one idempotency key, or took effect without a key.",
        "Keep a record of the keys, and look there before the tool runs.",
    ),
    Reason.OPEN_WRITER: Meaning(
        PROBE,
        "A tool that writes was offered, or ran, in a session that had not opened it.",
        "Keep writing tools in groups of their own, which only a session opens.",
    ),
    Reason.CLAIMED_IDENTITY: Meaning(
        PROBE,
        "A tool acted for a user whom an argument named, and not for the one to whom the session belongs.",
        "Take the identity from the context of the call, and take the parameter out of the schema.",
    ),
    Reason.ALIKE: Meaning(
        "descriptions-distinct, skill-names-unique",
        "Two tools or skills cannot be told apart by their descriptions or names.",
        "Say of each what it alone does, or give one of them a name of its own.",
    ),
    Reason.FLAWED_FILE: Meaning(
        "skill-file-valid",
        "A skill file breaks a rule of the format, or the agent drops or misreads one without a word.",
        "Correct the file, or let the loader refuse what it cannot read.",
    ),
    Reason.MATCHES_NOTHING: Meaning(
        PROBE,
        "A name on the disable list takes no skill away, and nobody says so.",
        "Compare names exactly, and refuse an entry that matches nothing.",
    ),
    Reason.MOVED: Meaning(
        PROBE,
        "Bytes of the table moved or changed that had to stay where they were, which voids the provider's cache.",
        "Append what is new, and compute the table once a step.",
    ),
    Reason.AGAINST_POLICY: Meaning(
        PROBE,
        "The agent does something else than the registry's policy says.",
        "Correct the agent, or declare what it really does.",
    ),
    Reason.NOT_CALLABLE: Meaning(
        PROBE,
        "A tool that is shown, or said to be executable, does not run when it is called.",
        "Let the table and the dispatch read one mapping, made once a step.",
    ),
    Reason.HIDDEN_RUNS: Meaning(
        PROBE,
        "A tool that is neither in the table nor deferred nor declared ran when it was called by its exact name.",
        "Filter the mapping from which the dispatch reads as well, or declare `hidden: callable`.",
    ),
    Reason.STARVED: Meaning(
        PROBE,
        "A search with a limit left places empty, because tools that are sealed had taken them.",
        "Filter first, and cut the best hits off afterwards.",
    ),
    Reason.AMBIGUOUS: Meaning(
        PROBE,
        "One name stands for two tools, or a tool was lost because another had its name.",
        "Prefix the names of servers' tools, and refuse a name that is taken.",
    ),
    Reason.WALKED: Meaning(
        PROBE,
        "The table of a restricted asker came from sources that are not its own, or holds more than it may have.",
        "Choose the sources by the asker, instead of filtering the whole table.",
    ),
    Reason.PHANTOM: Meaning(
        PROBE,
        "A text tells the model of a tool that it cannot call now.",
        "Make the text from the table of the same step.",
    ),
    Reason.MALFORMED: Meaning(
        SERVER,
        "What a server says has not the form that the protocol, or JSON Schema, gives to it.",
        "Correct the form; the message names what is wrong and where.",
    ),
    Reason.SILENT: Meaning(
        SERVER,
        "A request was not answered in time, or the server ended the connection over it.",
        "Refuse what cannot be answered, and go on serving.",
    ),
    Reason.UNTOLD: Meaning(
        SERVER,
        "A list changed and no notice came, or a notice came and no list had changed.",
        "Send the notice where the list is changed, and nowhere else.",
    ),
    Reason.HARNESS: Meaning(
        PROBE,
        "The harness could not do its own work: the host raised, the seal could not be swapped, a proof was empty.",
        "Correct the host; where the fault is ours, report it.",
    ),
}
