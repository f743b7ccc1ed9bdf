"""Benchmarks that are run by hand: `python -m benchmarks.peers --work DIR --download --install`."""
