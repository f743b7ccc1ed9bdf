"""`python -m pytest_invariants` is the command `invariants`."""

import sys

from pytest_invariants.start import main

if __name__ == "__main__":
    sys.exit(main())
