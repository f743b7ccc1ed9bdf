"""Where a report goes: to a file that is never half written, or to a stream whatever its encoding."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


class OutputError(Exception):
    """The output file cannot be written; the text says which and why."""


def check_writable(path: Path) -> None:
    """Complain before the work is done, not after it.

    :raises OutputError: where the folder is missing, or `path` is a folder.
    """
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; name a file")
    if not path.resolve().parent.is_dir():
        raise OutputError(f"{path}: the folder {path.parent} does not exist; make it first")


def write(path: Path, text: str) -> None:
    """Write `text` as UTF-8 in one move: a reader sees the old file or the new one. A device or a pipe is written to.

    :raises OutputError: with the system's own words, where that is not possible.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8", newline="\n")
        else:
            _replace(target, text)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _replace(target: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def never_fail_to_encode() -> None:
    """Let the standard streams write what their encoding lacks as `\\u2192` instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def show(text: str) -> None:
    """Write to standard output, at once.

    :raises BrokenPipeError: where the reader has gone.
    :raises OutputError: where the system refuses for another reason, such as a full disk.
    """
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        silence()
        raise
    except OSError as error:
        silence()
        raise OutputError(f"standard output cannot be written: {error.strerror or error}") from error


def silence() -> None:
    """Once standard output has failed, keep the interpreter from failing again when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def kept_clean() -> Iterator[None]:
    """Whatever the agent under test prints, itself or by a child process, goes to standard error meanwhile."""
    if sys.stdout is not None:
        sys.stdout.flush()
    with contextlib.redirect_stdout(sys.stderr), contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            kept = os.dup(1)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, 1)
            os.dup2(2, 1)
        yield
