# `make demo` and `make test` set everything up in .venv and need only Python 3.11+, Rust and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SOURCES := pyproject.toml engine/Cargo.toml engine/Cargo.lock $(shell find engine/src -name '*.rs')
WORKERS ?= 2
SEED := $(or $(SEED),$(shell date +%s))

.PHONY: help setup demo test test-all check lint types layers engine-test python-test torture format bench bench-peers clean

help: ## Show the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: $(READY) ## Make .venv with Spaniel and everything the tests need.

$(READY): $(SOURCES)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Spaniel needs Python 3.11 or newer.")'
	@command -v cargo > /dev/null || { echo "Spaniel's engine is built with Rust: install it, then run make again."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

override Q := $(value Q)
export Q
demo: setup ## Index the Python language reference and compare ways to search it; Q="..." asks your own question.
	$(BIN)/python -m examples.demo

test: check engine-test python-test ## Run everything: style, types, layers, the tests of the engine and of the package.

check: lint types layers ## Check style, types and layers.

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports --no-cache

engine-test: setup
	cd engine && PYO3_PYTHON=$(abspath $(BIN)/python) cargo test --quiet --locked

python-test: setup
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --doctest-modules src tests

test-all: check engine-test ## Run the tests with new and more random examples than `make test`; a few minutes more.
	SPANIEL_TEST_PROFILE=searching $(BIN)/python -m pytest --numprocesses $(WORKERS) --timeout 3600 --doctest-modules src tests

torture: setup ## Try the local store against kills, power cuts, failing disks, damage and many readers; SEED=n repeats a run.
	@echo "SEED=$(SEED)"
	SPANIEL_TORTURE=1 SPANIEL_TORTURE_SEED=$(SEED) $(BIN)/python -m pytest --numprocesses $(WORKERS) --timeout 7200 \
		--durations 0 --durations-min 1 tests/document_stores/local/faults

format: setup ## Format the code.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	cd engine && cargo fmt

bench: setup ## Measure against Haystack, numpy and SQLite, in one run.
	$(BIN)/python -m benchmarks.bm25
	$(BIN)/python -m benchmarks.structure
	$(BIN)/python -m benchmarks.vectors
	$(BIN)/python -m benchmarks.local_store

bench-peers: setup ## Measure keyword search against other engines, installed into .bench; SIZES="10000 100000" chooses.
	test -x .bench/bin/python || $(PYTHON) -m venv .bench
	.bench/bin/python -m pip install --quiet --disable-pip-version-check . haystack-ai==3.4.1 bm25s numba tantivy
	.bench/bin/python -m benchmarks.keyword_peers .bench/keyword_peers.json $(SIZES)

clean: ## Remove what was built.
	rm -rf $(VENV) .bench engine/target .demo
