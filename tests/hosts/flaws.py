"""What may be wrong with a server, a flaw each, and which invariant has to see it at which method."""

from __future__ import annotations

import os
import sys
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass

from pytest_invariants.verdict import RUN

from tests.hosts.small_server import Object, Refusal, Server, tool


@dataclass(frozen=True)
class Flaw:
    invariant: str
    method: str
    spoil: Callable[[Server], None]
    reason: str
    call: str = ""
    """What has to be allowed for it to show: `NAME=JSON`."""


FLAWS: dict[str, Flaw] = {}


def flaw(
    invariant: str, method: str, reason: str, call: str = ""
) -> Callable[[Callable[[Server], None]], Callable[[Server], None]]:
    def keep(spoil: Callable[[Server], None]) -> Callable[[Server], None]:
        FLAWS[spoil.__name__] = Flaw(invariant, method, spoil, reason, call)
        return spoil

    return keep


USABLE, LISTED = "callable-is-listed-or-declared", "listed-is-callable"

# -- names that are not listed


def _unknown(server: Server, become: Callable[[Object], Object]) -> None:
    honest = server.handlers["tools/call"]
    names = {each["name"] for each in server.tools}
    server.handlers["tools/call"] = lambda params: honest(params) if params["name"] in names else become(params)


@flaw(USABLE, "tools/call", "hidden-runs")
def answers_any_name(server: Server) -> None:
    _unknown(server, lambda params: server.ran(params["name"]))


@flaw(USABLE, "tools/call", "hidden-runs", "wipe_disk={}")
def runs_what_is_hidden(server: Server) -> None:
    honest = server.handlers["tools/call"]
    server.handlers["tools/call"] = lambda params: (
        server.ran("wipe_disk") if params["name"] == "wipe_disk" else honest(params)
    )


@flaw(USABLE, "tools/call", "silent")
def ends_at_an_unknown_name(server: Server) -> None:
    _unknown(server, lambda _: sys.exit("no such tool"))


@flaw(USABLE, "tools/call", "silent")
def hangs_at_an_unknown_name(server: Server) -> None:
    _unknown(server, lambda _: time.sleep(3600) or {})


@flaw(USABLE, "tools/call", "hidden-runs")
def folds_names(server: Server) -> None:
    server.called = str.lower  # type: ignore[method-assign]


@flaw(USABLE, "tools/call", "hidden-runs")
def trims_names(server: Server) -> None:
    server.called = str.strip  # type: ignore[method-assign]


@flaw(USABLE, "prompts/get", "hidden-runs")
def decodes_names(server: Server) -> None:
    server.called = urllib.parse.unquote  # type: ignore[method-assign]


@flaw(USABLE, "resources/read", "hidden-runs")
def reads_any_address(server: Server) -> None:
    server.handlers["resources/read"] = lambda params: {"contents": [{"uri": params["uri"], "text": "a text"}]}


@flaw(USABLE, "prompts/get", "hidden-runs")
def gives_any_prompt(server: Server) -> None:
    server.handlers["prompts/get"] = lambda _: {"messages": []}


@flaw(USABLE, "tools/call", "leaked")
def enumerates_what_is_hidden(server: Server) -> None:
    def refuse(_: Object) -> Object:
        raise Refusal(-32602, "Unknown tool. Try one of: 'read_note', 'list_notes', 'wipe_disk' or 'write_note'.")

    _unknown(server, refuse)


# -- names that are listed


@flaw(LISTED, "tools/call", "not-callable")
def lists_a_tool_that_is_gone(server: Server) -> None:
    gone = tool("old_search", "Look for a word in every note.", annotations={"readOnlyHint": True})
    server.handlers["tools/list"] = lambda params: server.paged("tools", [*server.tools, gone], params)


@flaw(LISTED, "tools/call", "silent")
def ends_at_a_call(server: Server) -> None:
    def ran(_: str) -> Object:
        sys.exit("not prepared for this")

    server.ran = ran  # type: ignore[method-assign]


@flaw(LISTED, "resources/read", "not-callable")
def lists_a_resource_that_is_gone(server: Server) -> None:
    gone = {"uri": "note://three", "name": "three"}
    server.handlers["resources/list"] = lambda params: server.paged("resources", [*server.resources, gone], params)


@flaw(LISTED, "prompts/get", "not-callable")
def lists_a_prompt_that_breaks(server: Server) -> None:
    def get(params: Object) -> Object:
        if params["name"] == "greet":
            raise Refusal(-32603, "a template is missing")
        return server.prompt(params)

    server.handlers["prompts/get"] = get


@flaw("arguments-checked-first", "tools/call", "unchecked-arguments")
def checks_no_arguments(server: Server) -> None:
    def call(params: Object) -> Object:
        if params["name"] not in [each["name"] for each in server.tools]:
            raise Refusal(-32602, f"Unknown tool: {params['name']}")
        return server.ran(params["name"])

    server.handlers["tools/call"] = call


@flaw("arguments-checked-first", "prompts/get", "unchecked-arguments")
def fills_in_arguments(server: Server) -> None:
    honest = server.prompt
    server.handlers["prompts/get"] = lambda params: honest({**params, "arguments": {"note": ""}})


# -- lists


def _twice(server: Server, name: str) -> None:
    server.tools.append(tool(name, "Give one more thing, of quite another kind."))


@flaw("names-unambiguous", "tools/list", "ambiguous")
def two_of_one_name(server: Server) -> None:
    _twice(server, "list_notes")


@flaw("names-unambiguous", "tools/list", "ambiguous")
def differs_in_case(server: Server) -> None:
    _twice(server, "List_Notes")


@flaw("names-unambiguous", "tools/list", "ambiguous")
def differs_in_a_dot(server: Server) -> None:
    _twice(server, "list.notes")


@flaw("names-unambiguous", "resources/list", "ambiguous")
def one_address_twice(server: Server) -> None:
    server.resources.append({"uri": "note://%6Fne", "name": "one once more"})


@flaw("table-stable", "tools/list", "disagrees")
def in_hash_order(server: Server) -> None:
    for name in ("ash", "beech", "cedar", "dogwood", "elm", "fir", "ginkgo"):
        server.tools.append(tool(name, f"Plant one {name}."))
    server.tools.sort(key=lambda each: hash(each["name"]))


@flaw("table-stable", "resources/list", "disagrees")
def turns_when_asked(server: Server) -> None:
    def listing(params: Object) -> Object:
        server.resources.reverse()
        return server.paged("resources", server.resources, params)

    server.handlers["resources/list"] = listing


@flaw("table-stable", "prompts/list", "disagrees")
def tells_the_process(server: Server) -> None:
    server.prompts[0]["description"] = f"Say good morning (process {os.getpid()})."


@flaw("descriptions-distinct", "tools/list", "alike")
def does_not_describe(server: Server) -> None:
    del server.tools[2]["description"]


@flaw("descriptions-distinct", "tools/list", "alike")
def describes_alike(server: Server) -> None:
    server.tools[2]["description"] = server.tools[0]["description"]


@flaw("pages-whole", "tools/list", "malformed")
def pages_in_a_circle(server: Server) -> None:
    server.handlers["tools/list"] = lambda _: {"tools": server.tools, "nextCursor": "again"}


@flaw("pages-whole", "tools/list", "malformed")
def pages_without_end(server: Server) -> None:
    server.handlers["tools/list"] = lambda params: {"tools": [], "nextCursor": f"{params.get('cursor', '')}x"}


@flaw("pages-whole", "tools/list", "malformed")
def ends_with_an_empty_cursor(server: Server) -> None:
    server.handlers["tools/list"] = lambda _: {"tools": server.tools, "nextCursor": ""}


@flaw("pages-whole", "prompts/list", "malformed")
def lists_without_a_name(server: Server) -> None:
    server.prompts.append({"description": "Nobody knows what I am called."})


@flaw("pages-whole", "resources/list", "malformed")
def lists_under_another_key(server: Server) -> None:
    server.handlers["resources/list"] = lambda _: {"items": server.resources}


@flaw("pages-whole", "resources/templates/list", "malformed")
def breaks_when_listed(server: Server) -> None:
    def broken(_: Object) -> Object:
        raise Refusal(-32603, "no templates today")

    server.handlers["resources/templates/list"] = broken


@flaw("names-valid", "tools/list", "malformed")
def blank_in_a_tools_name(server: Server) -> None:
    _twice(server, "send mail")


@flaw("names-valid", "resources/list", "malformed")
def address_without_a_scheme(server: Server) -> None:
    server.resources.append({"uri": "three.txt", "name": "three"})


@flaw("names-valid", "resources/templates/list", "malformed")
def brace_that_stays_open(server: Server) -> None:
    server.templates.append({"uriTemplate": "note://{name", "name": "a note"})


@flaw("names-valid", "prompts/list", "malformed")
def blank_before_a_prompts_name(server: Server) -> None:
    server.prompts.append({"name": " greet again", "description": "Say good evening to all."})


# -- schemas


def _schema(server: Server, schema: object, key: str = "inputSchema") -> None:
    server.tools[2][key] = schema


@flaw("schemas-valid", "tools/list", "malformed")
def no_schema(server: Server) -> None:
    del server.tools[3]["inputSchema"]


@flaw("schemas-valid", "tools/list", "malformed")
def type_that_is_none(server: Server) -> None:
    _schema(server, {"type": "object", "properties": {"name": {"type": "str"}}})


@flaw("schemas-valid", "tools/list", "malformed")
def schema_of_a_list(server: Server) -> None:
    _schema(server, {"type": "array", "items": {"type": "string"}}, "outputSchema")


@flaw("schemas-valid", "tools/list", "malformed")
def reference_to_nowhere(server: Server) -> None:
    _schema(server, {"type": "object", "properties": {"name": {"$ref": "#/$defs/Name"}}})


@flaw("schemas-valid", "tools/list", "malformed")
def requires_what_is_not_described(server: Server) -> None:
    _schema(server, {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["town"]})


# -- notices


@flaw("change-told", "tools/list", "untold", call="open_drawer={}")
def changes_untold(server: Server) -> None:
    def unlock() -> None:
        server.tools.append(tool("read_drawer", "Give what lies in the drawer."))

    server.unlock = unlock  # type: ignore[method-assign]


@flaw("change-told", "tools/list", "untold", call="open_drawer={}")
def tells_of_no_change(server: Server) -> None:
    server.unlock = lambda: server.notice("notifications/tools/list_changed")  # type: ignore[method-assign]


@flaw("change-told", "tools/list", "untold", call="open_drawer={}")
def tells_what_it_does_not_declare(server: Server) -> None:
    server.capabilities["tools"] = {}


@flaw("change-told", "prompts/list", "untold")
def tells_while_nothing_happens(server: Server) -> None:
    honest = server.handlers["prompts/list"]

    def listing(params: Object) -> Object:
        server.notice("notifications/prompts/list_changed")
        return honest(params)

    server.handlers["prompts/list"] = listing


# -- answers and the connection


@flaw("answers-well-formed", "tools/call", "malformed")
def content_that_is_a_string(server: Server) -> None:
    server.ran = lambda name: {"content": f"{name} ran"}  # type: ignore[method-assign]


@flaw("answers-well-formed", "resources/read", "malformed")
def reads_without_contents(server: Server) -> None:
    honest = server.read
    server.handlers["resources/read"] = lambda params: {"text": honest(params)["contents"][0]["text"]}


@flaw("answers-well-formed", "prompts/list", "malformed")
def argument_without_a_name(server: Server) -> None:
    server.prompts[0]["arguments"] = [{"description": "whom to greet"}]


@flaw("protocol-kept", RUN, "malformed")
def answers_every_method(server: Server) -> None:
    honest = server.answer

    def answer(request: Object) -> list[Object]:
        known = request.get("method") in server.handlers or "id" not in request
        return honest(request) if known else [{"jsonrpc": "2.0", "id": request["id"], "result": {}}]

    server.answer = answer  # type: ignore[method-assign]


@flaw("protocol-kept", RUN, "malformed")
def answers_no_ping(server: Server) -> None:
    del server.handlers["ping"]


@flaw("protocol-kept", RUN, "malformed")
def has_no_name(server: Server) -> None:
    server.info = {}


@flaw("protocol-kept", RUN, "malformed")
def speaks_every_revision(server: Server) -> None:
    server.handlers["initialize"] = lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": server.capabilities,
        "serverInfo": server.info,
    }


@flaw("capabilities-answer", RUN, "disagrees")
def offers_what_it_does_not_declare(server: Server) -> None:
    del server.capabilities["prompts"]


@flaw("capabilities-answer", RUN, "disagrees")
def declares_what_it_does_not_answer(server: Server) -> None:
    del server.handlers["prompts/list"]


@flaw("capabilities-answer", RUN, "disagrees")
def declares_logging_alone(server: Server) -> None:
    del server.handlers["logging/setLevel"]


@flaw("capabilities-answer", RUN, "disagrees")
def declares_subscriptions_alone(server: Server) -> None:
    del server.handlers["resources/subscribe"]


@flaw("wire-clean", RUN, "malformed")
def prints_a_banner(server: Server) -> None:
    print("small server, ready", flush=True)


@flaw("wire-clean", RUN, "malformed")
def answers_twice(server: Server) -> None:
    honest = server.answer
    server.answer = lambda request: [*honest(request), *honest(request)]  # type: ignore[method-assign]


@flaw("wire-clean", RUN, "malformed")
def answers_what_was_not_asked(server: Server) -> None:
    honest = server.answer
    other = [{"jsonrpc": "2.0", "id": 4711, "result": {}}]
    server.answer = lambda request: honest(request) + other  # type: ignore[method-assign]
