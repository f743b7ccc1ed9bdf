"""The host for agents of AgentScope. It needs `pip install pytest-invariants[agentscope]`."""

from pytest_invariants.probe.host import HostError

try:
    import agentscope as _agentscope  # noqa: F401
except ImportError as error:
    raise HostError("AgentScope is not installed; install `pytest-invariants[agentscope]`") from error

from pytest_invariants.hosts.agentscope.approvals import Approvals
from pytest_invariants.hosts.agentscope.host import AgentScopeHost
from pytest_invariants.hosts.agentscope.model import Request, ScriptedModel, Tape
from pytest_invariants.hosts.agentscope.skills import SkillHost
from pytest_invariants.hosts.agentscope.turns import Turn

__all__ = ["AgentScopeHost", "Approvals", "Request", "ScriptedModel", "SkillHost", "Tape", "Turn"]
