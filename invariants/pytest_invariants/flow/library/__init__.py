"""Models of builtins and of the standard library."""
