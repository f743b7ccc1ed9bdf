"""Where a table's tools come from depends on who asks. A reviewer has sources of its own; no others are walked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from skills.context import ExecutionContext
from skills.model import Arguments, Tool
from skills.results import Code, ToolResult, done, failed

REVIEWER = "guardian"
"""The label of the reviewer, exactly so: no other spelling is one."""


class Profile(StrEnum):
    """What governs the permissions of the one who asks."""

    MANAGED = "managed"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Environment:
    """A machine to look at. This one is scripted: it knows what its commands print, and starts no process."""

    prints: Mapping[str, str] = field(default_factory=dict)
    has_images: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom a table is made. The usual asker is the working model: no label."""

    label: str | None = None
    profile: Profile | None = None
    environment: Environment | None = None

    @property
    def reviews(self) -> bool:
        return self.label == REVIEWER


WORKING_MODEL = Asker()
_COMMAND = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def review_tools(asker: Asker) -> tuple[Tool, ...]:
    """What a reviewer may use: at most three tools, and none at all without a managed profile and an environment."""
    machine = asker.environment
    if not asker.reviews or asker.profile is not Profile.MANAGED or machine is None:
        return ()
    run = Tool("exec_command", "Runs a command. Writes. Not for long jobs.", _COMMAND, partial(_exec_command, machine))
    write = Tool("write_stdin", "Types into a running program. Writes. Not for starting one.", _TEXT, _write_stdin)
    view = Tool("view_image", "Shows a picture. Read-only. Not for text.", _PATH, _view_image, writes=False)
    return (run, write, view) if machine.has_images else (run, write)


def _exec_command(machine: Environment, _context: ExecutionContext, arguments: Arguments) -> ToolResult:
    printed = machine.prints.get(str(arguments["command"]))
    return done(printed) if printed is not None else failed(Code.DOWNSTREAM_ERROR, "command not found")


def _write_stdin(_context: ExecutionContext, _arguments: Arguments) -> ToolResult:
    return failed(Code.DOWNSTREAM_ERROR, "no program is running")


def _view_image(_context: ExecutionContext, arguments: Arguments) -> ToolResult:
    return done(f"a picture: {arguments['path']}")
