# make check   lint the shipped catalog
# make test    run the tests
# make lint    ruff and mypy
# make bench   time the check beside a schema validator
# make mutants count how many mechanical faults in the catalog a check finds, and print the others
#
# Needs Python 3.11 or newer with pip, and make; everything else goes into .venv. Another interpreter:
# make test PYTHON=/path/to/python3.12

SHELL := /bin/sh
.DEFAULT_GOAL := check
.PHONY: setup setup-dev check test lint bench mutants clean
.SUFFIXES:
# The two installations share a folder.
.NOTPARALLEL:

VENV := .venv
# Relative, so that a checkout in a folder with spaces works.
VENV_PYTHON := $(VENV)/bin/python
RUNTIME := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
RUN := $(VENV_PYTHON) -m

# What the caller's shell says about Python is about another environment than ours.
unexport PYTHONPATH
unexport PYTHONHOME
unexport PIP_USER
unexport PIP_TARGET
unexport PIP_PREFIX
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

RECENT := import sys; sys.exit(sys.version_info < (3, 11))
ifndef PYTHON
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$python" -c '$(RECENT)' >/dev/null 2>&1 && { echo "$$python"; break; }; done)
endif

# Some systems ship venv without the part that puts pip into it; the outer pip can install into it all the same.
INSTALL := if $(RUN) pip --version >/dev/null 2>&1; \
	then set -- $(RUN) pip; \
	else set -- "$(PYTHON)" -m pip --python $(VENV_PYTHON); fi; \
	"$$@" install --quiet

setup: $(RUNTIME)

setup-dev: $(DEV)

check: $(RUNTIME)
	@$(RUN) wmap_lint check catalog

# Two processes: the tests start many of their own.
test: $(DEV)
	$(RUN) pytest -n 2

lint: $(DEV)
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

bench: $(DEV)
	@$(VENV_PYTHON) bench/bench.py

mutants: $(DEV)
	@$(RUN) tests.mutants

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment whose interpreter is gone or too old is made anew.
ifneq ($(shell $(VENV_PYTHON) -c '$(RECENT)' >/dev/null 2>&1 && echo yes),yes)
.PHONY: $(VENV)/.created
endif

$(VENV)/.created:
	@if [ -z "$(PYTHON)" ] || ! "$(PYTHON)" -c '$(RECENT)'; then \
		echo "Python 3.11 or newer is needed; name one with PYTHON=..." >&2; exit 1; fi
	@"$(PYTHON)" -m venv --clear $(VENV) >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear --without-pip $(VENV)
	@touch $@

$(RUNTIME): pyproject.toml $(VENV)/.created
	@$(INSTALL) --editable .
	@touch $@

$(DEV): pyproject.toml $(VENV)/.created
	@$(INSTALL) --editable '.[dev]'
	@touch $(RUNTIME) $@
