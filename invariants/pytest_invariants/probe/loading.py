"""Finding the host that the registry names, and a clear message for every way in which that can go wrong."""

from __future__ import annotations

import inspect
import sys
from functools import cached_property
from pathlib import Path
from types import ModuleType

from pytest_invariants.probe.answers import Lacking
from pytest_invariants.probe.blame import raised
from pytest_invariants.probe.host import Facts, Host, HostError
from pytest_invariants.probe.target import Importer, SwapError, resolve
from pytest_invariants.registry.model import Registry


class HostLoader:
    """Imports the agent of one repository. The repository's root is put on `sys.path`, first.

    Raises HostError for what is wrong with the host, and Lacking where the registry names none.
    """

    def __init__(self, registry: Registry, importer: Importer) -> None:
        self.registry = registry
        self._importer = importer

    def module(self, name: str) -> ModuleType:
        """Import a module of the repository, and make sure that it is not another of the same name."""
        root = str(self.registry.root)
        if root not in sys.path:
            sys.path.insert(0, root)
        module = self._importer(name)
        own = self.registry.root.joinpath(*name.split("."))
        file = getattr(module, "__file__", None)
        for expected in (own.with_suffix(".py"), own / "__init__.py"):
            if file and expected.is_file() and not _same(expected, Path(file)):
                raise HostError(f"`{name}` was imported from {file}, not from {expected}; rename one of the two")
        return module

    @cached_property
    def type(self) -> type[Host]:
        reference = self.registry.host
        if reference is None:
            raise Lacking("the registry names no host")
        try:
            found = resolve(reference, self.module)
        except SwapError as error:
            raise HostError(f"the host is not found: {error}") from error
        if not (isinstance(found, type) and issubclass(found, Host)):
            raise HostError(f"`{reference}` is no subclass of pytest_invariants.Host; let it inherit from Host")
        if inspect.isabstract(found):
            names = sorted(found.__abstractmethods__)
            heads = " and ".join(f"`def {name}({', '.join(_parameters(found, name))})`" for name in names)
            raise HostError(f"`{reference}` has no {', '.join(f'`{name}`' for name in names)}; write {heads}")
        return found

    def new(self) -> Host:
        """A host object that is not open."""
        try:
            return self.type()
        except (HostError, Lacking):
            raise
        except (Exception, SystemExit) as error:
            called = f"`{self.registry.host}()` raised {raised(error, self.registry.root)}"
            raise HostError(
                f"{called}; let its constructor take no arguments, and start the agent in `open`"
            ) from error

    @cached_property
    def specimen(self) -> Host:
        """A host object that is never opened, to look at."""
        return self.new()

    @cached_property
    def skills(self) -> tuple[str, ...]:
        skills = self.specimen.skills
        if not isinstance(skills, list | tuple) or not skills or not all(isinstance(skill, str) for skill in skills):
            said = f"`{self.registry.host}.skills` is {skills!r:.60}"
            raise HostError(f"{said}; name what can be asked for, two skills at least")
        return tuple(dict.fromkeys(skills))

    @cached_property
    def facts(self) -> tuple[Facts, ...]:
        facts = self.specimen.facts
        if not isinstance(facts, list | tuple) or not facts or not all(isinstance(each, Facts) for each in facts):
            raise HostError(f"`{self.registry.host}.facts` is {facts!r:.60}; give a tuple of Facts, one at least")
        return tuple(dict.fromkeys(facts))


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file; what is gone since it was imported is another one."""
    return other.exists() and one.samefile(other)


def _parameters(host: type[Host], method: str) -> list[str]:
    return list(inspect.signature(getattr(host, method)).parameters)
