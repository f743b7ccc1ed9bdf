"""Prove that every way to an AI agent's skills and tools asks one sealing function, and obeys it."""

__version__ = "0.1.0"
