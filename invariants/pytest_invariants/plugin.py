"""The pytest plugin: collects the registry as a file, one item for every surface and invariant."""
