"""Prove that every way to an AI agent's skills and tools asks one sealing function, and obeys it."""

from __future__ import annotations

TYPE_CHECKING = False
"""As type checkers know it; `typing` itself takes longer to load than the hook may take."""
if TYPE_CHECKING:
    from pytest_invariants.probe.host import Answer, Effect, Facts, Host, HostError, Listing, Outcome, Where

__version__ = "0.1.0"
__all__ = ["Answer", "Effect", "Facts", "Host", "HostError", "Listing", "Outcome", "Where", "__version__"]


def __getattr__(name: str) -> object:
    """Load the host's names when they are asked for: the hook and the prover must start without them."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("pytest_invariants.probe.host"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
