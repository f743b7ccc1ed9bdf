"""The agent: a module a surface. Each surface asks the seal before anything of a skill leaves through it."""
