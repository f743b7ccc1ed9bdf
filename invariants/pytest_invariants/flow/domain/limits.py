"""Limits that more than one evaluator keeps to."""

UNROLLED = 6
"""Elements of a display that a loop takes one by one."""
