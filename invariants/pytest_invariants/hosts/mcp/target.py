"""Which server is meant: a command that speaks over its standard streams, or the address of one that speaks HTTP."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit


class ServerError(Exception):
    """The server cannot be examined. The message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """One server: `command` with its arguments, or `url` with the headers that go with each request."""

    command: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.url or shlex.join(self.command)

    @property
    def starts(self) -> bool:
        """Whether the server is a process of ours, that can be started again."""
        return bool(self.command)


def target_of(text: str, headers: Sequence[str] = ()) -> Target:
    """The server that `--mcp` and `--header` name.

    :raises ServerError: where the text is no command and no address, or a header has no value.
    """
    if text.lower().startswith(("http://", "https://")):
        return Target(url=_address(text), headers=dict(map(_header, headers)))
    if headers:
        raise ServerError("--header belongs to a server over HTTP; a command gets its secrets from the environment")
    return Target(command=_command(text))


def _address(text: str) -> str:
    form = "write http://HOST:PORT/PATH"
    try:
        address = urlsplit(text)
        host, _ = address.hostname, address.port
    except ValueError as error:
        raise ServerError(f"{text}: {error}; {form}") from error
    if not host or any(char.isspace() or not char.isprintable() for char in text):
        raise ServerError(f"{text!r}: the address names no host; {form}")
    return text


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise ServerError(f"--header {name!r}: write it as 'NAME: VALUE'")
    return name.strip(), value.strip()


def _command(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ServerError(f"--mcp {text!r}: {error}; quote the command as a shell would") from error
    if not words:
        raise ServerError("--mcp is empty; name a command that starts a server, or the address of one")
    if shutil.which(words[0]) is None:
        raise ServerError(_absent(words[0]))
    return words


def _absent(program: str) -> str:
    if os.path.isfile(program):
        return f"{program}: is a file that cannot be executed; name its interpreter before it, or make it executable"
    if os.path.dirname(program):
        return f"{program}: there is no such program; correct its path (it is taken from the folder you are in)"
    return f"{program}: no such program is on the PATH; install it, or name it with its path"
