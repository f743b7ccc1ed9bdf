"""`invariants check --static` where nothing has changed since it was last asked: what it said then, in a few milliseconds.

Whether anything has changed, git knows: the work tree has to hold what the index holds, with nothing beside it in the
folders of the code and of the skills. Everything else that the answer hangs on is part of its name: the command, the folder,
the day (exemptions expire), the terminal, the prover, and Python. This module imports next to nothing.
"""

from __future__ import annotations

import os
import sys
import time

from pytest_invariants.hook.kept import FOLDER, Kept, digest
from pytest_invariants.hook.quick import Unusual, git, judged_by, top_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LISTING = ("ls-files", "-s", "-v", "-z", "--full-name", ":/")
STATUS = ("status", "--porcelain", "-z", "-uall", "--ignored=matching", "--no-renames")
HARMLESS = (b"__pycache__/", b".pyc")
FORMATS = ("text", "json", "sarif", "github", "html")
SHOWN = ("NO_COLOR", "TERM", "COLUMNS", "LINES", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL", "LC_CTYPE")


def is_plain(arguments: Sequence[str]) -> bool:
    """`check --static`, of any one registry and in any format, and nothing more."""
    rest = list(arguments)
    if rest[:1] != ["check"] or rest.count("--static") != 1:
        return False
    rest.remove("--static")
    if "--format" in rest[:-1]:
        at = rest.index("--format")
        if rest.pop(at + 1) not in FORMATS:
            return False
        rest.pop(at)
    return len(rest) < 3 and not any(each.startswith("-") for each in rest)


class Inquiry:
    """One command at one state of the repository.

    :raises Unusual, OSError, ValueError: where the state cannot be told.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        top = top_of(environment)
        self._kept = Kept(top, environment)
        if os.name != "posix" or self._kept.off or os.getcwd() != os.path.realpath(os.getcwd()):
            raise Unusual
        listing, status = git(LISTING, STATUS)
        if b"\t" + FOLDER.encode() in listing or listing.count(b"\0") != (b"\0" + listing).count(b"\0H "):
            raise Unusual
        self._beside = list(_beside(status))
        asked = "\0".join((*arguments, os.getcwd(), repr(time.localtime()[:3]), *_terminal(environment)))
        self.name = f"answer-{digest(judged_by(), asked.encode(errors='surrogateescape'), listing)}"

    def answer(self) -> tuple[int, str] | None:
        """The exit status and the text of the last time; None where there is none, or something lies beside."""
        said = self._kept.get(self.name)
        if said is None:
            return None
        status, areas, text = said.split(b"\n", 2)
        if self._is_dirty(areas.split(b"\0")):
            return None
        self._kept.touch(self.name)
        return int(status), text.decode()

    def keep(self, status: int, text: str, areas: Iterable[str]) -> None:
        """Keep an answer that looked at these files and folders, as paths from the top."""
        paths = [os.fsencode(area) for area in areas]
        if not self._is_dirty(paths) and not any(b"\n" in path for path in paths):
            self._kept.put(self.name, b"%d\n%b\n" % (status, b"\0".join(paths)) + text.encode())

    def _is_dirty(self, areas: Sequence[bytes]) -> bool:
        """Whether git does not know all that lies in the areas."""
        return any(path.startswith(area) or area.startswith(path) for path in self._beside for area in areas)


def _beside(status: bytes) -> Iterable[bytes]:
    """What lies beside that which git knows.

    :raises Unusual: where the work tree holds something else than the index.
    """
    for entry in status.split(b"\0")[:-1]:
        sign, path = entry[:2], entry[3:]
        if sign in (b"??", b"!!"):
            if not path.endswith(HARMLESS):
                yield path
        elif sign[1:] != b" ":
            raise Unusual


def _terminal(environment: Mapping[str, str]) -> Iterable[str]:
    yield from (environment.get(name, "") for name in SHOWN)
    if sys.stdout.isatty():
        yield repr(os.get_terminal_size(sys.stdout.fileno()))
    yield str(sys.stdout.encoding)


def inquiry(arguments: Sequence[str], environment: Mapping[str, str]) -> Inquiry | None:
    """The question that a command asks; None where its answer is not kept."""
    if not is_plain(arguments):
        return None
    try:
        return Inquiry(arguments, environment)
    except (Unusual, OSError, ValueError):
        return None


def recall(arguments: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Print what was said the last time and return its exit status, or return None."""
    asked = inquiry(arguments, environment)
    try:
        said = asked.answer() if asked is not None else None
    except (OSError, ValueError):
        return None
    if said is None:
        return None
    sys.stdout.write(said[1])
    sys.stdout.flush()
    return said[0]
