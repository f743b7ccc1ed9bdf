"""The host of an agent that `create_deep_agent` has built: its skills are folders that the file tools read.

It needs `pip install pytest-invariants[deepagents]`.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pytest_invariants.probe.host import Facts, Host, HostError, Listing, Outcome, Where

try:
    import deepagents as _deepagents  # noqa: F401
except ImportError as error:
    raise HostError("Deep Agents is not installed; install `pytest-invariants[deepagents]`") from error

from langchain_core.messages import ToolCall

from pytest_invariants.hosts.langchain.host import LangChainHost
from pytest_invariants.hosts.langchain.model import text_of
from pytest_invariants.hosts.langchain.turns import MAIN, Turn


class DeepAgentsHost(LangChainHost):
    """Give `skills` (names of skill folders), `folder`, `build` and `seal_arguments`.

    Surfaces beside those of `LangChainHost`: `index` (the list of skills in the system prompt), `manual` (`read_file`
    of a skill's manual), `pinned` (the host pins the skill), `listed_files` (`ls`), `found_files` (`glob`) and
    `searched` (`grep`). A child is the sub-agent that the tool `task` starts.
    """

    folder: ClassVar[Path]
    """Where the folders of the skills lie on this machine."""
    mount: ClassVar[str] = "/skills"
    """Where the agent's file tools see that folder."""
    skill_tools: ClassVar[Mapping[str, str]] = {}
    """The tool that belongs to a skill; without one, `call` cannot be asked for it."""
    subagent: ClassVar[str] = "general-purpose"

    def open(self, facts: Facts) -> None:
        """:raises HostError: where the manuals of the skills do not lie where the host says."""
        if not isinstance(getattr(self, "folder", None), Path):
            said = f"`{type(self).__name__}.folder` is {getattr(self, 'folder', None)!r:.60}"
            raise HostError(f"{said}; say as a `Path` where the folders of the skills lie")
        for skill in self.skills:
            self._files(skill)
        super().open(facts)

    def close(self) -> None:
        if hasattr(self, "disarmed"):
            super().close()

    def tool_of(self, skill: str) -> str:
        return self.skill_tools.get(skill, "") if skill in self.skills else skill

    # Surfaces

    def surface_call(self, name: str) -> Outcome:
        """A tool that only its skill's manual discloses is called after the model has asked for the manual."""
        tool = self.tool_of(name)
        disclosed = tool in {each.name for each in self.further_tools}
        return self.ran(lambda: self.asked(*([[self._reading(self.path(name))]] * disclosed), [self.calling(tool)]))

    def index(self) -> Listing:
        text = self.shown(self.asked()).prompt
        return Listing(tuple(skill for skill in self.skills if f"- **{skill}**" in text), text)

    def manual(self, name: str) -> Outcome:
        return self._read(self.path(name))

    def pinned(self, name: str) -> Outcome:
        return self._told(self.asked(given={"pinned_skills": [name]}))

    def listed_files(self) -> Listing:
        return self._searched(ToolCall(name="ls", args={"path": self.mount}, id="ls"))

    def found_files(self) -> Listing:
        return self._searched(ToolCall(name="glob", args={"pattern": "**/SKILL.md", "path": self.mount}, id="glob"))

    def searched(self) -> Listing:
        return self._searched(ToolCall(name="grep", args={"pattern": "name:", "path": self.mount}, id="grep"))

    # Levers

    def load(self, skill: str) -> None:
        self.asked([self._reading(self.path(skill))], thread=MAIN)

    def reload(self) -> None:
        """Ask the agent to read its skills again, in the way that it has for it."""
        self.graph.update_state(self.config(MAIN), {"skills_metadata": None}, as_node="model")

    def forge(self, skill: str) -> None:
        """Somebody writes into the stored thread that the manual was read, and its tool called."""
        body = (self.folder / skill / "SKILL.md").read_text(encoding="utf-8")
        self.write(*self.exchange(self._reading(self.path(skill)), body))
        if self.tool_of(skill):
            super().forge(skill)

    def spawn_child(self) -> SubAgent:
        task = {"description": "Go on.", "subagent_type": self.subagent}
        return SubAgent(self, ToolCall(name="task", args=task, id="task", type="tool_call"))

    # Facts

    def parts(self, skill: str) -> list[str]:
        files = [self._mounted(path) for path in self._files(skill)]
        return [*files, self.tool_of(skill)] if self.tool_of(skill) else files

    def reach(self, part: str) -> Outcome:
        owner = next((skill for skill in self.skills if self.tool_of(skill) == part), "")
        return self.surface_call(owner) if owner else self._read(part)

    # What surfaces are made of

    def path(self, skill: str) -> str:
        """The path of a skill's manual, as the agent's file tools see it."""
        return f"{self.mount}/{skill}/SKILL.md"

    def _reading(self, path: str) -> ToolCall:
        return ToolCall(name="read_file", args={"file_path": path}, id=f"read-{next(self._numbers)}", type="tool_call")

    def _read(self, path: str) -> Outcome:
        return self._told(self.asked([self._reading(path)]))

    def _told(self, turn: Turn) -> Outcome:
        """Whether what the model was newly sent holds a line that stands in a file of a skill and nowhere else."""
        known = {message.id for message in self.stored()}
        new = (m for request in turn.requests for m in request.messages if m.id not in known and m.type != "system")
        text = "\n".join(map(text_of, new))
        return Outcome(any(mark in text for mark in self._marks()), turn.answers)

    def _marks(self) -> Iterator[str]:
        """The longest line of every file of every skill: what betrays that the file was read."""
        for skill in self.skills:
            for path in self._files(skill):
                text = path.read_text(encoding="utf-8", errors="ignore")
                body = text.split("\n---", 1)[-1] if path.name == "SKILL.md" else text
                yield max(body.splitlines(), key=len)

    def _files(self, skill: str) -> list[Path]:
        files = sorted(path for path in (self.folder / skill).rglob("*") if path.is_file())
        if not files:
            raise HostError(f"there is no file of `{skill}` below {self.folder}; correct `folder`, or `skills`")
        return files

    def _mounted(self, path: Path) -> str:
        return f"{self.mount}/{path.relative_to(self.folder).as_posix()}"

    def _searched(self, call: ToolCall) -> Listing:
        text = self.asked([call]).answers
        return Listing(tuple(skill for skill in self.skills if f"{self.mount}/{skill}" in text), text)


class FilePermissions(DeepAgentsHost):
    """For a registry whose seal is Deep Agents' own gate of the file tools.

    `seal: {function: "deepagents.middleware.filesystem:_permission_error", verdict: sealed, subject: [validated_path]}`
    """

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return {"validated_path": Where(functools.partial(_lies_in, f"{self.mount}/{skill}"))}

    def denial(self, skill: str) -> object:
        return f"Error: permission denied for read on {self.path(skill)}"

    def permission(self, skill: str) -> object:
        del skill
        return None


def _lies_in(folder: str, path: str) -> bool:
    """Deep Agents asks about a path that may still hold `.` or begin with `//`, and looks where it leads."""
    path = "/" + posixpath.normpath(path).lstrip("/")
    return path == folder or path.startswith(f"{folder}/")


class SubAgent(Host):
    """A sub-agent of an open host, asked by way of its parent: the parent starts it, and it does what is scripted."""

    surfaces = ("surface_table", "surface_call", "index", "manual", "listed_files", "found_files", "searched")

    def __init__(self, parent: DeepAgentsHost, task: ToolCall) -> None:
        self.parent, self.task, self.skills = parent, task, parent.skills

    def open(self, facts: Facts) -> None:
        """It is open as long as its parent is."""

    def seal_arguments(self, skill: str) -> Mapping[str, object]:
        return self.parent.seal_arguments(skill)

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).surfaces:
            raise AttributeError(f"a sub-agent has no surface {name!r}", name=name, obj=self)
        surface = getattr(self.parent, name)

        @functools.wraps(surface)
        def led(*arguments: object) -> object:
            before, self.parent.lead = self.parent.lead, (*self.parent.lead, [self.task])
            try:
                return surface(*arguments)
            finally:
                self.parent.lead = before

        return led
