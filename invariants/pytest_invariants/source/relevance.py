"""Which top-level packages of the code have to do with what the registry names: all that imports connect with it.

What no import leads to, in either direction, can hold neither the seal nor a capability, and is handed none by the code:
it is searched as bytes, and never parsed. An import counts wherever it stands, and so does a text that names a module of the
program (`"package.module"`), or, in a file that imports by computed names, a package alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

COMPUTED = (b"import_", b"importlib", b"__import__", b"runpy", b"pkg", b"exec(", b"pluggy", b"stevedore", b"locate(")
"""What a file mentions that may import by a computed name."""


@dataclass(frozen=True, slots=True)
class Related:
    """The outcome of a search. A group is a top-level name: `agent` of `agent.doors`."""

    groups: frozenset[str]
    """Those whose files are read."""
    words: frozenset[str]
    """Names by which a file of another group may connect it: to find none of them is enough."""
    named: frozenset[str] = frozenset()
    """Groups that are not related, although files of related ones mention them by their names: a new module in one
    of them may be what is meant."""

    def includes(self, module: str) -> bool:
        return group_of(module) in self.groups


def group_of(module: str) -> str:
    return module.partition(".")[0]


def unfolded(content: bytes) -> bytes:
    """A file with each statement where the patterns look for it: without a byte-order mark, form feeds and broken lines."""
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content.replace(b"\f", b" ").replace(b"\\\n", b" ")


def related(contents: Mapping[str, bytes], seeds: Iterable[str], seal: str) -> Related:
    """Search the files, by module, from the modules `seeds` that the registry names.

    `seal` is the seal's name: a package in which a function of that name is defined is read as well, since that may be
    a copy of it.
    """
    search = _Search(contents)
    wanted = {group_of(seed) for seed in seeds}
    here = {group for group in wanted if group in search.groups}
    foreign = wanted - here
    queue = sorted(here | search.mentioning(foreign) | search.defining(seal))
    reached = set(queue)
    while queue:
        group = queue.pop()
        found = (search.imported_by(group) | search.importing(group)) - reached
        reached |= found
        queue += sorted(found)
    named = {group for group in search.groups - reached if search.is_named_in(group, reached)}
    return Related(frozenset(reached), frozenset(reached | foreign | {f"def {seal}"}), frozenset(named))


def signs(content: bytes, groups: Iterable[str], words: Iterable[str]) -> frozenset[bytes]:
    """All that a search sees of one file. `groups` are those of all files, `words` those of the outcome.

    Where a file has the same signs as before, and every module is still there, the outcome is the same.
    """
    content = unfolded(content)
    found = {sign for sign in (*COMPUTED, *(f"{word}(".encode() for word in words)) if sign in content}
    for name in {*groups, *words}:
        if name.encode() in content:
            found.add(name.encode())
            found.update(b"0" + match.group() for match in _references(name).finditer(content))
            found.update(b"1" + match.group() for match in _imports(name).finditer(content))
    return frozenset(found)


class _Search:
    """The files by their group, and who mentions whom."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self.files: dict[str, list[bytes]] = defaultdict(list)
        for module, content in contents.items():
            self.files[group_of(module)].append(unfolded(content))
        self.groups = frozenset(self.files)
        self.modules = frozenset(contents) | {above for module in contents for above in _above(module)}
        self.plain = frozenset(contents)

    def mentioning(self, words: Collection[str]) -> set[str]:
        """Groups with a file that imports one of these foreign packages."""
        patterns = [(word.encode(), _imports(word)) for word in sorted(words)]
        return {
            group
            for group, files in self.files.items()
            if any(word in file and pattern.search(file) for file in files for word, pattern in patterns)
        }

    def defining(self, name: str) -> set[str]:
        text = f"def {name}(".encode()
        return {group for group, files in self.files.items() if any(text in file for file in files)}

    def importing(self, group: str) -> set[str]:
        return {other for other in self.groups if other != group and self._leads(other, group)}

    def imported_by(self, group: str) -> set[str]:
        return {other for other in self.groups if other != group and self._leads(group, other)}

    def is_named_in(self, name: str, groups: Iterable[str]) -> bool:
        return any(name.encode() in file for group in groups for file in self.files[group])

    def _leads(self, group: str, to: str) -> bool:
        """Whether a file of the one group refers to a module of the other."""
        word, pattern = to.encode(), _references(to)
        return any(
            word in file and any(self._is_module(found, file) for found in pattern.finditer(file))
            for file in self.files[group]
        )

    def _is_module(self, found: re.Match[bytes], file: bytes) -> bool:
        """Whether what was found names a module of the program, and not one of another package of the same top-level name."""
        if (dotted := found["text"]) is not None:
            parts = dotted.decode().split(".")
            if len(parts) == 1:
                return any(sign in file for sign in COMPUTED)
            return ".".join(parts[:2]) in self.modules or parts[0] in self.plain
        module = (found["module"] or b"").decode()
        if module:
            names = re.findall(r"[\w*]+", found["names"].decode())
            return self._is_one(module) or any(f"{module}.{name}" in self.modules or name == "*" for name in names)
        return any(self._is_one(name) for name in re.findall(r"[\w.]+", found["plain"].decode()))

    def _is_one(self, name: str) -> bool:
        """A module with a file, or below one with a file; a mere folder of that name is not enough."""
        return any(each in self.plain for each in (name, *_above(name)))


def _above(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def _imports(package: str) -> re.Pattern[bytes]:
    """Any sign of an import of a package that the program does not have."""
    word = re.escape(package).encode()
    return re.compile(rb"(?m)(?:^|[:;])[ \t]*(?:from|import)[ \t][^\n]*\b%b\b|[\"']%b[.:\"']" % (word, word))


def _references(group: str) -> re.Pattern[bytes]:
    """Imports of a group's modules, and texts that may name them."""
    word = re.escape(group).encode()
    start = rb"(?:^|[:;])[ \t]*"
    return re.compile(
        rb"(?m)%b(?:from[ \t]+(?P<module>%b(?:\.[\w.]+)?)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n]*)"
        rb"|import[ \t]+(?P<plain>[^\n#]*\b%b\b[^\n#]*))"
        rb"|[\"'](?P<text>%b(?:\.\w+)*)[:/.{\"']" % (start, word, word, word)
    )
