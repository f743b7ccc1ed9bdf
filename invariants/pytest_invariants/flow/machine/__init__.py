"""The abstract interpreter: statements and expressions on every path, and the joining of paths."""
