"""Every name has the form that clients and models can use.

What it states
    The name of a tool has 1 to 128 characters, out of letters and digits of ASCII, `_`, `-` and `.`. A prompt's name
    is not empty and has no blank at its ends and no control character. The address of a resource has a scheme and no
    blank or control character; the braces of a template are closed.

Why it matters
    A client hands the names on to a model's provider, and the providers take what the specification takes, or less. A
    name with a blank or a letter with an accent is refused there, with an error that speaks of no server.

A failing example
    ::

        @server.tool(name="send mail")
        def send(to: str): ...

    Refuted, `malformed`: the tool `send mail` has a blank in its name.

The repair
    Rename it; what people should read goes into `title`.

Its limits
    The specification says SHOULD. Names of more than 64 characters, or with dots, hold here, although some providers
    refuse them.
"""

from __future__ import annotations

import re

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import KINDS, PROMPTS, RESOURCES, TEMPLATES, TOOLS, Kind, kind_of
from pytest_invariants.hosts.mcp.seen import Seen
from pytest_invariants.probe.answers import Fallen
from pytest_invariants.verdict import Reason

ID = "names-valid"
FORMS: dict[Kind, tuple[re.Pattern[str], str]] = {
    TOOLS: (re.compile(r"[A-Za-z0-9_.-]{1,128}"), "1 to 128 letters and digits of ASCII, `_`, `-` and `.`"),
    PROMPTS: (
        re.compile(r"(?! )[^\x00-\x1f\x7f]+(?<! )"),
        "something, with no blank at its ends and no control character",
    ),
    RESOURCES: (
        re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]+"),
        "an address with a scheme and without blanks",
    ),
    TEMPLATES: (
        re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[^\x00-\x20\x7f{}]|\{[^{}]+\})+"),
        "an address with a scheme, in which every brace is closed",
    ),
}


def judge(seen: Seen, method: str) -> str:
    kind = kind_of(method)
    form, words = FORMS[kind]
    names = seen.listing(kind).names
    for name in names:
        if not form.fullmatch(name):
            message = f"the {kind.word} {name!r:.140} is not named as it should be: {words}"
            raise Fallen(Reason.MALFORMED, message, "rename it; what people read goes into `title`")
    return f"{len(names)} names have the form of the specification"


INVARIANT = Invariant(
    id=ID,
    family="server",
    scope=Scope.SURFACE,
    page=__doc__ or "",
    serve=Serve(tuple(kind.lists for kind in KINDS), judge),
)
