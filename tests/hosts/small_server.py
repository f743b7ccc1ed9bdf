"""A small MCP server, written from the protocol and nothing else; `flaws.py` says how it can be spoiled.

`python -m tests.hosts.serve [--flaw NAME] [--record FILE]` runs it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Object = dict[str, Any]
Handler = Callable[[Object], Object]
READS = {"readOnlyHint": True}
CAPABILITIES: Object = {
    "tools": {"listChanged": True},
    "resources": {"listChanged": False, "subscribe": True},
    "prompts": {"listChanged": False},
    "logging": {},
    "completions": {},
}


class Refusal(Exception):
    """An error of the protocol."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def tool(name: str, description: str, *required: str, **more: Any) -> Object:
    schema: Object = {"type": "object", "properties": {key: {"type": "string"} for key in required}}
    schema |= {"required": list(required)} if required else {}
    return {"name": name, "description": description, "inputSchema": schema, **more}


class Server:
    """What a flaw changes are attributes, or entries of `handlers`."""

    def __init__(self, record: Path | None = None) -> None:
        self.record = record
        self.capabilities: Object = json.loads(json.dumps(CAPABILITIES))
        self.info: Object = {"name": "small", "version": "1.0"}
        self.page = 2
        self.out: list[Object] = []
        self.callers: list[str] = []
        self.tools = [
            tool("read_note", "Give the text of one note; changes nothing.", "name", annotations=READS),
            tool("list_notes", "Give all titles, oldest first; changes nothing.", annotations=READS),
            tool("write_note", "Put a new text under a title, for good.", "name", "text"),
            tool("open_drawer", "Unlock what is kept apart: one more tool is there afterwards."),
        ]
        self.resources = [{"uri": f"note://{name}", "name": name, "mimeType": "text/plain"} for name in ("one", "two")]
        self.templates = [{"uriTemplate": "note://{name}", "name": "a note"}]
        self.prompts: list[Object] = [
            {"name": "greet", "description": "Say good morning."},
            {
                "name": "shorten",
                "description": "Make one note half as long.",
                "arguments": [{"name": "note", "required": True}],
            },
        ]
        self.handlers: dict[str, Handler] = {
            "initialize": self.initialize,
            "ping": lambda _: {},
            "tools/list": lambda params: self.paged("tools", self.tools, params),
            "tools/call": self.call,
            "resources/list": lambda params: self.paged("resources", self.resources, params),
            "resources/templates/list": lambda params: self.paged("resourceTemplates", self.templates, params),
            "resources/read": self.read,
            "resources/subscribe": lambda _: {},
            "resources/unsubscribe": lambda _: {},
            "prompts/list": lambda params: self.paged("prompts", self.prompts, params),
            "prompts/get": self.prompt,
            "logging/setLevel": lambda _: {},
            "completion/complete": lambda _: {"completion": {"values": []}},
        }

    def initialize(self, params: Object) -> Object:
        known = ("2025-06-18", "2025-11-25")
        version = params["protocolVersion"] if params["protocolVersion"] in known else known[-1]
        return {"protocolVersion": version, "capabilities": self.capabilities, "serverInfo": self.info}

    def paged(self, key: str, items: list[Object], params: Object) -> Object:
        start = int(params.get("cursor", 0))
        rest = {"nextCursor": str(start + self.page)} if start + self.page < len(items) else {}
        return {key: items[start : start + self.page], **rest}

    def called(self, name: str) -> str:
        """The tool that a name stands for."""
        return name

    def call(self, params: Object) -> Object:
        name, arguments = self.called(params["name"]), params.get("arguments", {})
        found = next((each for each in self.tools if each.get("name") == name), None)
        if found is None:
            raise Refusal(-32602, f"Unknown tool: {params['name']}")
        missing = [key for key in found["inputSchema"].get("required", ()) if key not in arguments]
        if missing:
            return failed(f"{name} needs {', '.join(missing)}")
        return self.ran(name)

    def ran(self, name: str) -> Object:
        if self.record:
            with self.record.open("a", encoding="utf-8") as file:
                file.write(f"{name}\n")
        if name == "open_drawer" and len(self.tools) == 4:
            self.unlock()
        return {"content": [{"type": "text", "text": f"{name} ran"}]}

    def unlock(self) -> None:
        self.tools.append(tool("read_drawer", "Give what lies in the drawer.", annotations=READS))
        self.notice("notifications/tools/list_changed")

    def read(self, params: Object) -> Object:
        if params["uri"] not in [each["uri"] for each in self.resources]:
            raise Refusal(-32002, f"Unknown resource: {params['uri']}")
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": "a text"}]}

    def prompt(self, params: Object) -> Object:
        found = next((each for each in self.prompts if each.get("name") == self.called(params["name"])), None)
        if found is None:
            raise Refusal(-32602, f"Unknown prompt: {params['name']}")
        for argument in found.get("arguments", ()):
            if argument.get("name", "") not in params.get("arguments", {}):
                raise Refusal(-32602, f"{params['name']} needs {argument['name']}")
        return {"messages": [{"role": "user", "content": {"type": "text", "text": "Good morning."}}]}

    def notice(self, method: str) -> None:
        self.out.append({"jsonrpc": "2.0", "method": method})

    def answer(self, request: Object) -> list[Object]:
        """The messages that one message is answered with."""
        if "id" not in request or "method" not in request:
            return []
        reply: Object = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            handler = self.handlers.get(request["method"])
            if handler is None:
                raise Refusal(-32601, f"no method {request['method']}")
            reply["result"] = handler(request.get("params") or {})
        except Refusal as refusal:
            reply["error"] = {"code": refusal.code, "message": str(refusal)}
        out, self.out = self.out, []
        return [*out, reply]


def failed(text: str) -> Object:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def over_streams(server: Server) -> None:
    """Serve on standard input and output until the input ends."""
    for line in sys.stdin:
        for message in server.answer(json.loads(line)):
            print(json.dumps(message), flush=True)


def over_http(server: Server, statuses: Mapping[str, int]) -> type[BaseHTTPRequestHandler]:
    """A handler that answers with JSON; `statuses` gives the HTTP status of a method instead of its answer.

    Who a client says it is, by the header X-Who, is kept in `server.callers`.
    """

    class Post(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.callers.append(self.headers.get("X-Who", ""))
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status = statuses.get(request.get("method", ""), 200)
            try:
                answers = server.answer(request) if status == 200 else []
            except ConnectionAbortedError:
                self.close_connection = True
                return
            body = json.dumps(answers[-1]).encode() if answers else b""
            self.send_response(status if body or status != 200 else 202)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:
            del format

    return Post


def http_server(server: Server, statuses: Mapping[str, int] | None = None) -> ThreadingHTTPServer:
    """A server on a free port of this machine; `serve_forever` runs it."""
    return ThreadingHTTPServer(("127.0.0.1", 0), over_http(server, statuses or {}))
