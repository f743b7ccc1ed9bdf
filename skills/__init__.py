"""The agent's skills: the seal, residency, the loader, the groups, and one folder a skill."""
