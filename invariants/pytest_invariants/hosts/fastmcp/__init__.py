"""The hosts for servers of FastMCP. They need `pip install pytest-invariants[fastmcp]`."""

from pytest_invariants.probe.host import HostError

try:
    import fastmcp as _fastmcp  # noqa: F401
except ImportError as error:
    raise HostError("FastMCP is not installed; install `pytest-invariants[fastmcp]`") from error

from pytest_invariants.hosts.fastmcp.host import FastMCPHost
from pytest_invariants.hosts.fastmcp.skills import SkillsHost

__all__ = ["FastMCPHost", "SkillsHost"]
