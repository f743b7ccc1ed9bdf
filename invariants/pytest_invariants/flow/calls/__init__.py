"""Calls: whom they reach, what they are given, and what leaves the analysis's sight."""
