"""The pytest plugin: collects the registry as a file, with an item for every surface and invariant.

Where the plugin is installed, `pytest` collects `entrypoints/registry.yaml` of the root directory; the option
`--invariants-registry` or the ini option `invariants_registry` names another file. An item is
`entrypoints/registry.yaml::activate::seal-consulted`; what is said of the run as a whole stands under `*`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_invariants.verdict import RUN, Finding, Reason, Verdict

if TYPE_CHECKING:
    from pytest_invariants.check import Examination, Question
    from pytest_invariants.registry.model import Registry, Surface

DEFAULT = Path("entrypoints", "registry.yaml")
CONSULTED, DECIDES = "seal-consulted", "seal-decides"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("invariants", "every way to a skill asks the one seal")
    group.addoption(
        "--invariants-registry",
        metavar="PATH",
        help=f"the registry to examine (default: {DEFAULT.as_posix()} in the root directory)",
    )
    group.addoption("--no-invariants", action="store_true", help="do not collect the registry")
    group.addoption("--invariants-static", action="store_true", help="read the source only: nothing is imported or run")
    parser.addini("invariants_registry", "the registry to examine, relative to the root directory", default="")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--no-invariants"):
        return
    registry = _chosen_registry(config)
    config.pluginmanager.register(Run(config, registry), "invariants-run")
    if registry is not None and not _is_walked(registry, config):
        config.args.append(str(registry))


def _chosen_registry(config: pytest.Config) -> Path | None:
    """The registry that is collected without being named on the command line.

    Raises UsageError where one is named and is not there.
    """
    option, ini = config.getoption("--invariants-registry"), config.getini("invariants_registry")
    if not option and not ini:
        default = config.rootpath / DEFAULT
        return default if default.is_file() else None
    path = Path(config.invocation_params.dir, option) if option else Path(config.rootpath, ini)
    if not path.is_file():
        raise pytest.UsageError(f"there is no registry {path}; correct --invariants-registry or invariants_registry")
    return path.resolve()


def _is_walked(registry: Path, config: pytest.Config) -> bool:
    """Whether the registry is not to be added to the arguments: they lead to it, or the user chose other ones."""
    if hasattr(config, "workerinput"):
        return True
    places = [config.invocation_params.dir / arg.partition("::")[0] for arg in config.args]
    if any(registry == place or place in registry.parents for place in places):
        return True
    chose_tests = config.args_source is pytest.Config.ArgsSource.ARGS
    return chose_tests and not config.getoption("--invariants-registry")


class RegistryFile(pytest.File):
    """A registry. Nothing is run to collect it; the source is read, once for all items of a process."""

    examination: Examination
    answers: dict[tuple[str, str], Finding]

    def collect(self) -> Iterator[pytest.Collector]:
        """Raises CollectError, which has no traceback, with everything that is wrong with the registry."""
        from pytest_invariants.check import questions

        self.examination = self._examination()
        self.answers = {}
        static = self.examination.static
        for about, asked in groupby(questions(self.registry, static=static), lambda question: question.about):
            yield SurfaceNode.from_parent(self, name=about, questions=tuple(asked))
        if self.examination.prover.unreadable:
            yield UnreadNode.from_parent(self, name=RUN, unread=self.examination.prover.unreadable)

    def _examination(self) -> Examination:
        from pytest_invariants.check import Examination
        from pytest_invariants.registry.problems import RegistryError
        from pytest_invariants.report.model import problems_of

        static = self.config.getoption("--invariants-static")
        update = bool(self.config.getoption("update_snapshots", False))
        try:
            registry = _read(self.path, self.config)
            examination = Examination(registry, static=static, update_snapshots=update)
            if examination.prover.problems:
                raise RegistryError(problems_of(examination.prover))
        except RegistryError as error:
            raise self.CollectError(str(error)) from error
        return examination

    @property
    def registry(self) -> Registry:
        return self.examination.registry

    def answer(self, question: Question) -> Finding:
        """The answer, asked once."""
        key = (question.about, question.invariant.id)
        if key not in self.answers:
            self.answers[key] = self.examination.answer(question)
        return self.answers[key]

    def covered(self, finding: Finding) -> bool:
        """Whether the probe stands in for the prover: the seal decides at this surface, as was seen by swapping it."""
        from pytest_invariants.check import questions

        if finding.verdict is not Verdict.UNDECIDED or finding.invariant != CONSULTED or self.examination.static:
            return False
        others = questions(self.registry, select=(finding.surface, DECIDES))
        return any(self.answer(other).verdict is Verdict.HELD for other in others if other.about == finding.surface)


class SurfaceNode(pytest.Collector):
    """One surface, or the run."""

    def __init__(self, *, questions: tuple[Question, ...], **more: Any) -> None:
        super().__init__(**more)
        self.questions = questions

    def collect(self) -> Iterator[pytest.Item]:
        file = registry_file(self)
        for question in self.questions:
            ask = partial(file.answer, question)
            yield InvariantItem.from_parent(self, name=question.invariant.id, ask=ask, surface=question.surface)


class UnreadNode(pytest.Collector):
    """Files that the prover cannot read: what is in them is unknown, which never looks like a pass."""

    def __init__(self, *, unread: tuple[Finding, ...], **more: Any) -> None:
        super().__init__(**more)
        self.unread = unread

    def collect(self) -> Iterator[pytest.Item]:
        for finding in self.unread:
            place = finding.at.path if finding.at is not None else "?"
            ask = partial(replace, finding)
            yield InvariantItem.from_parent(self, name=f"{finding.invariant}[{place}]", ask=ask, surface=None)


def registry_file(node: pytest.Item | pytest.Collector) -> RegistryFile:
    """The registry to which a node belongs."""
    file = node.getparent(RegistryFile)
    assert isinstance(file, RegistryFile)
    return file


class Falls(Exception):
    """The invariant does not hold."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class InvariantItem(pytest.Item):
    """One invariant, asked of one surface or of the run."""

    def __init__(self, *, ask: Callable[[], Finding], surface: Surface | None, **more: Any) -> None:
        super().__init__(**more)
        self.ask = ask
        self.surface = surface
        self.about = RUN if surface is None else surface.id
        self.user_properties += [("surface", self.about), ("invariant", self.name)]

    def runtest(self) -> None:
        finding = self.ask()
        self.user_properties.append(("verdict", finding.verdict.value))
        if finding.level is not None:
            self.user_properties.append(("level", str(finding.level)))
        if finding.verdict is Verdict.UNEXAMINED:
            pytest.skip(f"not examined: {finding.message}")
        if registry_file(self).covered(finding):
            self.user_properties.append(("covered", DECIDES))
        elif not finding.passes:
            raise Falls(finding)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The finding as text; only a fault of the harness itself shows a traceback."""
        from pytest_invariants.report.text import finding_lines

        if isinstance(excinfo.value, Falls):
            return "\n".join(finding_lines(excinfo.value.finding, registry_file(self).registry.root))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        at = registry_file(self).registry.seal.at if self.surface is None else self.surface.at
        return self.path, at.line - 1, f"{self.about}::{self.name}"


class Run:
    """What one session collects and reports. Under xdist the controller hears of the workers' items by reports."""

    def __init__(self, config: pytest.Config, registry: Path | None) -> None:
        self.config = config
        self.registry = registry
        self.findings: dict[str, list[Finding]] = {}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The chosen registry, and any file of that name that the user names.

        It hangs on the session: a package as its parent would be imported, and the prover imports nothing.
        """
        session = parent.session
        if file_path == self.registry or (file_path.name == DEFAULT.name and session.isinitpath(file_path)):
            return RegistryFile.from_parent(session, path=file_path)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """What was not examined is listed with the registry's line, not with one of this file."""
        report = yield
        if isinstance(item, InvariantItem) and report.skipped and call.excinfo is not None:
            path, line, _ = item.reportinfo()
            report.longrepr = (str(path), line + 1, f"Skipped: {call.excinfo.value}")
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        said = dict(report.user_properties)
        if report.when == "call" and "surface" in said and "invariant" in said:
            file = report.nodeid.partition("::")[0]
            self.findings.setdefault(file, []).extend(_reported(said))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A registry of which nothing was examined is no pass."""
        if self.nothing_examined and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def nothing_examined(self) -> bool:
        every = [finding for findings in self.findings.values() for finding in findings]
        return bool(every) and all(finding.verdict is Verdict.UNEXAMINED for finding in every)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for file, findings in sorted(self.findings.items()):
            if self.config.get_verbosity() >= 0:
                terminalreporter.section(f"invariants of {file}")
                for line in _matrix(
                    _read(self.config.rootpath / file, self.config), findings, terminalreporter.hasmarkup
                ):
                    terminalreporter.write_line(line)
        if self.nothing_examined:
            terminalreporter.write_line("invariants: nothing was examined, and that is no pass", red=True)


def _reported(said: dict[str, object]) -> Iterator[Finding]:
    """The finding of a report, without its words; and that of the probe, where it stood in for the prover."""
    surface, invariant = str(said["surface"]), str(said["invariant"])
    level = int(str(said["level"])) if "level" in said else None
    verdict = Verdict(str(said.get("verdict", Verdict.UNDECIDED)))
    yield Finding(surface, invariant, verdict, level, reason=None if "verdict" in said else Reason.HARNESS)
    if "covered" in said:
        yield Finding(surface, DECIDES, Verdict.HELD)


def _read(path: Path, config: pytest.Config) -> Registry:
    """The registry; one that lies in no `entrypoints` folder belongs to the repository at the root directory."""
    from pytest_invariants.registry.reader import read

    return read(path, None if path.parent.name == DEFAULT.parent.name else config.rootpath)


def _matrix(registry: Registry, findings: list[Finding], colour: bool) -> Iterator[str]:
    from pytest_invariants.check import questions
    from pytest_invariants.report.matrix import matrix
    from pytest_invariants.report.model import Report
    from pytest_invariants.report.terminal import Paint
    from pytest_invariants.report.words import conclusion

    unique = {(finding.surface, finding.invariant): finding for finding in findings}
    asked = tuple(dict.fromkeys(question.invariant for question in questions(registry)))
    report = Report(registry, asked, tuple(unique.values()), cast("Any", None), files=0, lines=0)
    yield from matrix(report, Paint(colour), shutil.get_terminal_size((100, 24)).columns)
    yield conclusion(report)
