"""Deep agents: one as it is built by default, and one that asks the seal below every tool that reads a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent
from deepagents.backends.filesystem import FilesystemBackend
from deepagents.backends.protocol import FileDownloadResponse, GlobResult, GrepResult, LsResult, ReadResult
from deepagents.middleware import filesystem
from deepagents.middleware.skills import SkillsMiddleware
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.tools import tool
from pytest_invariants import Facts
from pytest_invariants.hosts.deepagents import DeepAgentsHost, FilePermissions
from pytest_invariants.registry.model import Manner, VerdictKind

from tests.probe.samples import seal

OWN_SEAL = seal("tests.hosts.deepagents_agents:published", VerdictKind.ALLOWED, ("skill",), ())
FILE_SEAL = seal("deepagents.middleware.filesystem:_permission_error", VerdictKind.SEALED, ("validated_path",), ())
FILE_SURFACES = {"index": Manner.BROWSE, "manual": Manner.NAMED, "pinned": Manner.NAMED}
SEARCHES = {"listed_files": Manner.BROWSE, "found_files": Manner.BROWSE, "searched": Manner.BROWSE}
SURFACES = {**FILE_SURFACES, **SEARCHES, "call": Manner.NAMED}


def published(skill: str) -> bool:
    """Whether the skill is in the catalogue of today."""
    return bool(skill)


@tool
def send_offer(name: str) -> str:
    """Send an offer of work."""
    raise AssertionError("the probe never lets a tool do its work")


@tool
def send_bill(cents: int) -> str:
    """Send a bill."""
    raise AssertionError("the probe never lets a tool do its work")


class Guarded(FilesystemBackend):
    """Asks about every path, whoever wants to read it."""

    def __init__(self, root: Path, refused: Callable[[Guarded, str], object]) -> None:
        super().__init__(root_dir=str(root), virtual_mode=True)
        self._refused = refused

    def _open(self, path: str) -> bool:
        parts = path.strip("/").split("/")
        return len(parts) < 2 or not self._refused(self, path.rstrip("/"))

    def ls(self, path: str) -> LsResult:
        found = super().ls(path)
        return LsResult(found.error, [each for each in found.entries or [] if self._open(each["path"])])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        if self._open(file_path):
            return super().read(file_path, offset, limit)
        return ReadResult(error=f"{file_path} is not published")

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [
            super(Guarded, self).download_files([path])[0]
            if self._open(path)
            else FileDownloadResponse(path=path, error="permission_denied")
            for path in paths
        ]

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        found = super().glob(pattern, path)
        return GlobResult(found.error, [each for each in found.matches or [] if self._open(each["path"])])

    def grep(self, *arguments: Any, **more: Any) -> GrepResult:
        found = super().grep(*arguments, **more)
        return GrepResult(found.error, [each for each in found.matches or [] if self._open(each["path"])])


class ReadAnew(AgentMiddleware):
    """The list of skills is read again at the beginning of each turn."""

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        return {"skills_metadata": None}


class Laid(DeepAgentsHost):
    """Two of the skills beside this file."""

    skills = ("billing", "hiring")
    folder = Path(__file__).parent / "skills"

    @property
    def root(self) -> Path:
        return self.folder.parent


class PermittedHost(FilePermissions, Laid):
    """As `create_deep_agent` builds it, with rules for the file tools."""

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        files = FilesystemBackend(root_dir=str(self.root), virtual_mode=True)
        return create_deep_agent(model, skills=["/skills/"], backend=files)


class PermittedBelowHost(FilePermissions, Laid):
    """The same gate is asked below all that reads a file, and the list of skills is read in every turn."""

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        files = Guarded(self.root, lambda backend, path: filesystem._permission_error([], "read", backend, path))
        return create_deep_agent(model, skills=["/skills/"], backend=files, middleware=[ReadAnew()])


class CatalogueHost(Laid):
    """A catalogue says of each skill whether it is there today; its tool comes with its manual."""

    skill_tools = {"billing": "send_bill", "hiring": "send_offer"}  # noqa: RUF012
    further_tools = (send_bill, send_offer)
    middleware: tuple[AgentMiddleware, ...] = ()

    def build(self, model: BaseChatModel, facts: Facts) -> Any:
        files = Guarded(self.root, lambda _, path: not published(path.strip("/").split("/")[1]))
        skills = SkillsMiddleware(backend=files, sources=["/skills/"], tools=list(self.further_tools))
        return create_deep_agent(model, backend=files, middleware=[*self.middleware, skills])

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"skill": skill}


class FreshCatalogueHost(CatalogueHost):
    middleware = (ReadAnew(),)
