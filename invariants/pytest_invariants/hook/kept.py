"""A folder of entries that only their writer can have written: `.invariants_cache/` at the top of a work tree.

Each entry carries a code that is made of its name, its content and a key in the user's own cache folder. So an entry that came
with a repository, an archive or a shared folder, one that was cut short, and one that was renamed are all as good as none.
Whoever can read the key can run programs as the user, and needs no cache to deceive them. Nothing here runs what it
reads: entries are plain text.

This module is loaded by every run of the hook, and so it imports next to nothing.
"""

from __future__ import annotations

import os

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".invariants_cache"
MOST_ENTRIES = 96
MOST_BYTES = 2_000_000
"""Of one entry; a larger one is not kept."""
KINDS = ("answer-", "commit-", "grounds-", "layout-", "standing-")
"""How names of entries begin; a digest follows."""
STALE = 3600
"""Seconds after which a half-written file is what a killed run left behind."""
MARKS = {
    ".gitignore": b"*\n",
    "CACHEDIR.TAG": b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pytest-invariants; it may be removed.\n",
}
"""The signature is that of https://bford.info/cachedir/."""
_KEY_BYTES, _CODE = 32, 64
_O = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def digest(*parts: bytes) -> str:
    """64 hexadecimal digits; parts are set apart by their lengths."""
    made = blake2b(digest_size=32)
    for part in parts:
        made.update(b"%d:" % len(part))
        made.update(part)
    return made.hexdigest()


class Kept:
    """The entries below one work tree. Reading gives None, and writing does nothing, wherever something is amiss."""

    def __init__(self, top: str, environment: Mapping[str, str]) -> None:
        self.folder = os.path.join(top, FOLDER)
        self._environment = environment
        self._key: bytes | None = None

    @property
    def off(self) -> bool:
        """Whether nothing may be kept: in CI, and where the folder is a link."""
        return is_ci(self._environment) or os.path.islink(self.folder)

    def get(self, name: str) -> bytes | None:
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                code, content = file.read(_CODE + 1), file.read(MOST_BYTES + 1)
        except OSError:
            return None
        key = self._read_key()
        if key is None or len(content) > MOST_BYTES or code != self._code(key, name, content) + b"\n":
            return None
        return content

    def touch(self, name: str) -> None:
        """The entry was of use, and stays longer."""
        try:  # noqa: SIM105 contextlib takes longer to load than all of this
            os.utime(os.path.join(self.folder, name))
        except OSError:
            pass

    def put(self, name: str, content: bytes) -> None:
        if len(content) > MOST_BYTES:
            return
        try:
            key = self._read_key() or self._make_key()
            os.makedirs(self.folder, exist_ok=True)
            for mark, text in MARKS.items():
                if not os.path.exists(os.path.join(self.folder, mark)):
                    replace(os.path.join(self.folder, mark), text)
            replace(os.path.join(self.folder, name), self._code(key, name, content) + b"\n" + content)
            self._forget()
        except OSError:
            pass

    @staticmethod
    def _code(key: bytes, name: str, content: bytes) -> bytes:
        made = blake2b(b"%d:" % len(name.encode()), key=key, digest_size=32)
        made.update(name.encode())
        made.update(content)
        return made.hexdigest().encode()

    def _forget(self) -> None:
        """Remove the entries that were not used for longest, and what killed runs left; nothing that is not ours."""
        files = [(entry.stat(follow_symlinks=False).st_mtime, entry.name) for entry in os.scandir(self.folder)]
        whole = sorted(each for each in files if _is_entry(each[1]))
        newest = max(files)[0]
        halves = [each for each in files if _is_half(each[1]) and each[0] < newest - STALE]
        for _, name in (*whole[:-MOST_ENTRIES], *halves):
            os.unlink(os.path.join(self.folder, name))

    def _read_key(self) -> bytes | None:
        """The user's key, where nobody else may read it."""
        if self._key is None:
            try:
                with open(self._key_file(), "rb") as file:
                    status = os.fstat(file.fileno())
                    if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
                        return None
                    key = file.read(_KEY_BYTES + 1)
            except OSError:
                return None
            self._key = key if len(key) == _KEY_BYTES else None
        return self._key

    def _make_key(self) -> bytes:
        """A key of 32 random bytes. Of two runs that make one at a time, the first wins.

        :raises OSError: where none can be kept.
        """
        path = self._key_file()
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        half = f"{path}.{os.getpid()}"
        try:
            with open(os.open(half, _O, 0o600), "wb") as file:
                file.write(os.urandom(_KEY_BYTES))
            os.link(half, path)
        except FileExistsError:
            pass
        finally:
            _remove(half)
        key = self._read_key()
        if key is None:
            raise OSError("the key cannot be trusted")
        return key

    def _key_file(self) -> str:
        given = self._environment
        base = (
            given.get("XDG_CACHE_HOME") or given.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), ".cache")
        )
        return os.path.join(base, "pytest-invariants", "key")


def _is_entry(name: str) -> bool:
    return name.startswith(KINDS) and len(name.partition("-")[2]) == _CODE


def _is_half(name: str) -> bool:
    """A file that was being written: `.name.1234`."""
    whole, _, process = name[1:].rpartition(".")
    return name.startswith(".") and process.isdecimal() and (_is_entry(whole) or whole in MARKS)


def is_ci(environment: Mapping[str, str]) -> bool:
    return environment.get("CI", "").lower() not in ("", "0", "false")


def replace(path: str, content: bytes) -> None:
    """Write in one move: a reader sees all of it or nothing.

    :raises OSError: where it cannot be written; the old content stays.
    """
    half = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}")
    try:
        with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), "wb") as file:
            file.write(content)
        os.replace(half, path)
    finally:
        _remove(half)


def _remove(path: str) -> None:
    try:  # noqa: SIM105
        os.unlink(path)
    except OSError:
        pass


def prover() -> bytes:
    """The prover by its files and their times: one that is being worked on is another after each change."""
    made = blake2b(digest_size=32)
    stack = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    while stack:
        folder = stack.pop()
        with os.scandir(folder) as entries:
            found = [(entry.name, entry) for entry in entries if entry.name != "__pycache__"]
        found.sort()
        files = [(name, entry.stat()) for name, entry in found if name.endswith(".py")]
        stack += [entry.path for name, entry in found if "." not in name and entry.is_dir()]
        made.update(repr([(folder, name, status.st_size, status.st_mtime_ns) for name, status in files]).encode())
    return made.digest()
