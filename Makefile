# make check    run the harness on this repository's own agent and show what it found
# make coverage run the suite, and see that it takes 95 % of the branches
# make test     run every test: style, types, layers, and the suite
#
# Both make .venv themselves, with the first Python of version 3.11 or later that works, and remake it when
# pyproject.toml changes. PYTHON=... and VENV=... choose another interpreter and another folder.

.PHONY: check test steps coverage docs clean python
.NOTPARALLEL:
.SUFFIXES:

MODERN  := 'import sys, venv; sys.exit(sys.version_info < (3, 11))'
PYTHON  ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
             $$p -c $(MODERN) >/dev/null 2>&1 && { echo $$p; break; }; done)
VENV    ?= .venv
BIN     ?= $(VENV)/bin
INSTALL  = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

check: $(VENV)/.check-ready
	$(BIN)/invariants check

test: $(VENV)/.test-ready
	@$(MAKE) --no-print-directory steps

steps:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2

# slower than `make test`, and says which branches no test takes; the floor is 95 %
coverage: $(VENV)/.test-ready
	$(BIN)/python -m pytest -n 2 --cov --cov-report=
	$(BIN)/python -m tests.branches

docs: $(VENV)/.check-ready
	$(BIN)/python -m pytest_invariants.docs

$(VENV)/.check-ready: pyproject.toml
	@$(MAKE) --no-print-directory $(BIN)/python
	@echo "installing into $(VENV), once"
	@$(INSTALL) '.[mcp]'
	@touch $@

$(VENV)/.test-ready: pyproject.toml
	@$(MAKE) --no-print-directory $(BIN)/python
	@echo "installing into $(VENV) what the tests need, once"
	@$(INSTALL) '.[dev]'
	@touch $@ $(VENV)/.check-ready

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "no Python of version 3.11 or later was found; name one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

python:
	@test -n "$(PYTHON)" && echo "$(PYTHON)"

clean:
	rm -rf $(VENV) build dist
