# Every target makes its own virtual environment first; each is safe to run again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native -type f 2>/dev/null)
INSTALL_INPUTS := pyproject.toml CMakeLists.txt $(NATIVE)

.PHONY: demo test lint docs bench asan clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

bench: $(VENV)/installed
	$(BIN)/python benchmarks/run.py

# The native tests against a build with the address and undefined-behaviour sanitizers.
asan:
	PYTHON=$(PYTHON) tools/asan.sh

clean:
	rm -rf $(VENV) .venv-asan build demo docs/_build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(VENV)/bin/python $(INSTALL_INPUTS)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

$(VENV)/linters: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group lint
	touch $@

$(VENV)/docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@
