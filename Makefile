# Every target makes its own virtual environment first; each is safe to run again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH_VENV := .venv-bench
NATIVE := $(shell find native -type f 2>/dev/null)
INSTALL_INPUTS := pyproject.toml CMakeLists.txt $(NATIVE)

.PHONY: demo test lint docs wheel fuzz bench bench-kernels bench-sequences bench-engine bench-linear bench-search bench-calibration bench-streams heldout study-sequences asan tsan clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed $(VENV)/programs
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# What a release uploads, in dist: built, checked, and tried in an environment of its own.
wheel:
	PYTHON=$(PYTHON) tools/release.sh

bench: bench-kernels bench-sequences bench-engine bench-linear bench-search bench-calibration bench-streams

bench-kernels: $(VENV)/installed
	$(BIN)/python -m benchmarks.kernel_blocks

bench-sequences: $(BENCH_VENV)/installed
	$(BENCH_VENV)/bin/python -m benchmarks.sequences

# What machines learn from strings: accuracies, no times.
study-sequences: $(VENV)/installed
	$(BIN)/python -m benchmarks.sequences.splice
	$(BIN)/python -m benchmarks.sequences.promoters
	$(BIN)/python -m benchmarks.sequences.surnames
	$(BIN)/python -m benchmarks.sequences.spam

# Fits against the peers of benchmarks/peers.txt: takes hours. ENGINE passes options, for example
# make bench-engine ENGINE='--problems ijcnn1 --no-growth --keep'.
bench-engine: $(BENCH_VENV)/installed
	$(BENCH_VENV)/bin/python -m benchmarks.engine $(ENGINE)

# Linear machines at the gap that LIBLINEAR reaches. LINEAR passes options, for example
# make bench-linear LINEAR='--problems a9a news20-hinge --keep'.
bench-linear: $(BENCH_VENV)/installed
	$(BENCH_VENV)/bin/python -m benchmarks.linear $(LINEAR)

# Whole grids against scikit-learn's search. SEARCH passes options, for example
# make bench-search SEARCH='--problems fingerprint --keep'.
bench-search: $(BENCH_VENV)/installed
	$(BENCH_VENV)/bin/python -m benchmarks.search $(SEARCH)

# Calibrated fits against plain ones, and scikit-learn's. CALIBRATION passes options, for example
# make bench-calibration CALIBRATION='--problems a9a --keep'.
bench-calibration: $(BENCH_VENV)/installed
	$(BENCH_VENV)/bin/python -m benchmarks.calibration $(CALIBRATION)

# Two passes over a file in chunks.
bench-streams: $(BENCH_VENV)/installed
	$(BENCH_VENV)/bin/python -m benchmarks.streams

# Data sets of your own beside scikit-learn: make heldout FOLDER=... HELDOUT='--rows 1000'.
heldout: $(VENV)/installed
	$(BIN)/python -m benchmarks.heldout $(FOLDER) $(HELDOUT)

# Damaged files, a million in all, processes killed while they save, and odd data for every
# estimator: takes hours. FUZZ, KILLS and FITS say how often each.
FUZZ ?= 125000
KILLS ?= 200
FITS ?= 5000
fuzz: $(VENV)/installed
	for target in model structure libsvm liblinear data csv npz parquet; do \
	  (cd tests && ../$(BIN)/python -m fuzz $$target --count $(FUZZ)) || exit 1; \
	done
	cd tests && ../$(BIN)/python -m fuzz.kill --count $(KILLS)
	cd tests && ../$(BIN)/python -m fuzz.fits --count $(FITS)

# The tests of compiled code against a build with the address and undefined-behaviour sanitizers,
# half an hour on two cores, and those of threads against a build with the thread sanitizer.
asan:
	PYTHON=$(PYTHON) tools/sanitize.sh address

tsan:
	PYTHON=$(PYTHON) tools/sanitize.sh thread

clean:
	rm -rf $(VENV) $(BENCH_VENV) .venv-*-sanitizer build dist demo docs/_build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(VENV)/bin/python $(INSTALL_INPUTS)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

# LIBSVM's own programs; where they cannot be had the tests that run them are skipped.
$(VENV)/programs: tools/fetch_programs.py | $(VENV)/bin/python
	-$(BIN)/python tools/fetch_programs.py $@

$(VENV)/linters: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group lint
	touch $@

$(VENV)/docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

# Not editable: what is measured is what users install.
$(BENCH_VENV)/installed: benchmarks/peers.txt $(INSTALL_INPUTS) $(shell find src -name '*.py')
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH_VENV)/bin/python -m pip install --quiet -r benchmarks/peers.txt
	$(BENCH_VENV)/bin/python -m pip install --quiet -C build-dir=build/bench .
	touch $@
