"""The host for agents of LangChain. It needs `pip install pytest-invariants[langchain]`."""

from pytest_invariants.probe.host import HostError

try:
    import langchain as _langchain  # noqa: F401
    import langgraph as _langgraph  # noqa: F401
except ImportError as error:
    raise HostError("LangChain is not installed; install `pytest-invariants[langchain]`") from error

from pytest_invariants.hosts.langchain.approvals import Approvals
from pytest_invariants.hosts.langchain.host import LangChainHost
from pytest_invariants.hosts.langchain.model import Request, ScriptedModel, Tape
from pytest_invariants.hosts.langchain.turns import Turn

__all__ = ["Approvals", "LangChainHost", "Request", "ScriptedModel", "Tape", "Turn"]
