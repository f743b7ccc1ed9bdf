"""A list that comes in pages comes to an end, and every page of it is a list.

What it states
    Each list is gone through from page to page, by the cursor that the page before gives. Every page is answered and
    holds the list by its key, each thing in it has its name, no cursor comes twice, and there is an end.

Why it matters
    A client that takes the first page for the whole sees half of the tools; one that follows a cursor which leads back
    never stops. Small servers have one page, so that nobody notices before there are many tools.

A failing example
    ::

        return {"tools": TOOLS[start:start + 50], "nextCursor": str(start + 50)}        # after the last page as well

    Refuted, `malformed`: there is no end after 500 pages.

The repair
    Leave `nextCursor` out of the last page. An empty string is a cursor like any other.

Its limits
    A cursor that was made up is not tried: servers without pages may leave it unread.
"""

from __future__ import annotations

from pytest_invariants.catalogue.model import Invariant, Scope, Serve
from pytest_invariants.hosts.mcp.kinds import KINDS, TEMPLATES, kind_of
from pytest_invariants.hosts.mcp.seen import METHOD_NOT_FOUND, Seen
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.verdict import Reason

ID = "pages-whole"


def judge(seen: Seen, method: str) -> str:
    kind = kind_of(method)
    listing = seen.listing(kind)
    if kind is TEMPLATES and listing.replies[0].code == METHOD_NOT_FOUND:
        raise Lacking("the server gives no list of templates, which it need not")
    for visit in seen.visits:
        for each in (visit.first[method], visit.second[method]):
            if each.fault:
                lost = bool(each.replies and each.replies[-1].lost)
                remedy = "let the last page be without `nextCursor`, and every page hold its list"
                message = f"{visit.title}: {each.fault}"
                raise Fallen(Reason.SILENT if lost else Reason.MALFORMED, message, remedy, each.names[-3:])
    pages = "one page" if listing.pages == 1 else f"{listing.pages} pages"
    return f"{len(listing.items)} on {pages}"


INVARIANT = Invariant(
    id=ID,
    family="server",
    scope=Scope.SURFACE,
    page=__doc__ or "",
    serve=Serve(tuple(kind.lists for kind in KINDS), judge, of_empty=True),
)
