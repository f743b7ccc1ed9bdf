"""The commit hook: what a staged change does to the doors of an agent, and to its skill files."""
