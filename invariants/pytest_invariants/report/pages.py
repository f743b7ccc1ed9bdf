"""The page of an invariant and the page of a reason code: as a terminal shows them, and as Markdown."""

from __future__ import annotations

import ast
import re
from inspect import cleandoc
from textwrap import dedent

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant, Scope
from pytest_invariants.report.reasons import MEANINGS
from pytest_invariants.verdict import Reason

METHOD = "every method of an MCP server that it speaks of"
CONNECTION = "the connection to an MCP server"
ASKED = {Scope.SURFACE: "every surface", Scope.RUN: "the run", Scope.BOTH: "every surface and the run"}
TITLE = re.compile(r"^(?=\S[^\n]*\n {4})", re.M)
"""Where a section begins: before a line at the margin that an indented one follows."""
EXAMPLE = re.compile(r"^(.*)::\n\s*\n((?: {4}.*\n?|[ \t]*\n)+)", re.M)


def invariant_page(id: str) -> str | None:
    """The documentation of an invariant, or None where there is no such invariant."""
    for invariant in CATALOGUE:
        if invariant.id == id:
            head = f"{invariant.id} ({invariant.family}; asked of {asked(invariant)}; {halves(invariant)})"
            return f"{head}\n\n{cleandoc(invariant.page)}\n"
    return None


def asked(invariant: Invariant) -> str:
    """Of what an invariant is asked."""
    if invariant.serve and not (invariant.prove or invariant.play):
        return CONNECTION if invariant.scope is Scope.RUN else METHOD
    return ASKED[invariant.scope] if invariant.manner is None else f"every {invariant.manner} surface"


def halves(invariant: Invariant) -> str:
    """How an invariant is decided: it is `proved`, `probed`, or asked of MCP servers (`served`)."""
    known = (("proved", invariant.prove), ("probed", invariant.play), ("served", invariant.serve))
    return " and ".join(name for name, half in known if half is not None)


def reason_page(id: str) -> str | None:
    """What a reason code means and what helps, or None where there is no such code."""
    if id not in reason_ids():
        return None
    meaning = MEANINGS[Reason(id)]
    return f"{id} ({meaning.family})\n\n{meaning.meaning}\nremedy: {meaning.remedy}\n"


def reason_ids() -> tuple[str, ...]:
    return tuple(reason.value for reason in Reason)


def markdown(page: str) -> str:
    """A docstring as Markdown.

    A docstring's sections are titles with an indented body; an example is a block that is indented once more, after a
    line that ends in `::`. They become headings and fenced blocks. A page that has
    fences of its own is Markdown already.
    """
    if "```" in page:
        return cleandoc(page)
    opening, *sections = TITLE.split(cleandoc(page))
    return "\n\n".join((opening.strip(), *map(_section, sections)))


def _section(text: str) -> str:
    title, _, body = text.partition("\n")
    return f"## {title}\n\n{EXAMPLE.sub(_fenced, dedent(body)).strip()}"


def _fenced(match: re.Match[str]) -> str:
    """An example as a fenced block; the line before it keeps one colon of the two, if it has words."""
    said = f"{match[1]}:\n\n" if match[1] else ""
    code = dedent(match[2]).strip("\n")
    return f"{said}```{_language(code)}\n{code}\n```\n\n"


def _language(code: str) -> str:
    try:
        ast.parse(code)
    except SyntaxError:
        return "text"
    return "python"
