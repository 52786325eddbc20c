# `make demo` and `make test` set everything up in .venv and need only Python 3.11+, Rust and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .bench
SIZES ?= 10000 100000 1000000
SOURCES := pyproject.toml engine/Cargo.toml engine/Cargo.lock $(shell find engine/src -name '*.rs')
WORKERS ?= 2
SEED := $(or $(SEED),$(shell date +%s))

.PHONY: help setup demo model test test-fast test-all test-pythons check lint engine-lint types layers engine-test python-test test-cluster opensearch opensearch-stop fuzz fuzz-minimise torture format bench bench-opensearch bench-quick quality quality-models clean

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

test: check engine-test python-test test-pythons ## Run everything: style, types, layers, the tests of the engine and of the package, on each Python here.

check: lint engine-lint types layers ## Check style, prose, types and layers of the package and of the engine.

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m tools.prose

engine-lint: setup
	cd engine && cargo fmt --check
	cd engine && PYO3_PYTHON=$(abspath $(BIN)/python) cargo clippy --quiet --locked --all-targets -- --deny warnings

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports --no-cache

engine-test: setup
	cd engine && PYO3_PYTHON=$(abspath $(BIN)/python) cargo test --quiet --locked

# The server and the model of the tests are fetched first, so that no test waits; the tests that need them report errors.
python-test: setup
	@$(BIN)/python -m tests.models > /dev/null || true
	@test -n "$(SPANIEL_TEST_OPENSEARCH)" || $(BIN)/python -m tools.opensearch fetch > /dev/null || true
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --doctest-modules src tests

test-fast: setup ## Run the tests that need no server and no long run, with few random examples; under two minutes.
	SPANIEL_TEST_PROFILE=brief $(BIN)/python -m pytest --quiet --numprocesses $(WORKERS) -m fast --doctest-modules src tests

test-all: check engine-test ## Run the tests with new and more random examples than `make test`; a few minutes more.
	SPANIEL_TEST_PROFILE=searching $(BIN)/python -m pytest --numprocesses $(WORKERS) --timeout 3600 --doctest-modules src tests
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,chroma-tests]'
	$(BIN)/python -m pytest tests/interop/chroma

test-pythons: setup ## Run the fast tests with the package as a wheel on each Python from 3.11 to 3.14 that this machine has.
	$(BIN)/python -m tools.pythons --workers $(WORKERS)

test-cluster: setup ## Run the tests on three OpenSearch nodes, which are killed; some minutes.
	$(BIN)/python -m pytest tests/cluster

model: setup ## Install the model all-MiniLM-L6-v2 for this user: spaniel index --embed finds passages by their meaning.
	$(BIN)/spaniel models add all-MiniLM-L6-v2

opensearch: setup ## Start an OpenSearch node for development, print its address (tools/opensearch/README.md).
	@$(BIN)/python -m tools.opensearch start

opensearch-stop: setup ## Stop that node and remove its data.
	@$(BIN)/python -m tools.opensearch stop

FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= text index sets vectors
FUZZ_OPTIONS := -max_len=700 -len_control=0 -print_final_stats=1
# Without the sanitizer, which the stable compiler does not have, and which finds little where nearly all code is safe Rust.
FUZZ := PYO3_PYTHON=$(abspath $(BIN)/python) cargo fuzz run --sanitizer none

fuzz: setup ## Look for input that breaks the engine; FUZZ_SECONDS=60 for each target, FUZZ_TARGETS="index" chooses.
	@cargo fuzz --version > /dev/null 2>&1 || { echo "Install cargo-fuzz first: cargo install cargo-fuzz --locked"; exit 1; }
	mkdir -p $(FUZZ_TARGETS:%=engine/fuzz/found/%)
	cd engine && for target in $(FUZZ_TARGETS); do \
		$(FUZZ) $$target fuzz/found/$$target fuzz/corpus/$$target -- $(FUZZ_OPTIONS) -max_total_time=$(FUZZ_SECONDS) || exit 1; done
	$(BIN)/python -m tests.engine.boundary seconds $(FUZZ_SECONDS) engine/fuzz/found/boundary

fuzz-minimise: setup ## Add what `make fuzz` found to the corpus that the tests run, as few files as reach as much of the code.
	cd engine && for target in $(FUZZ_TARGETS); do rm -rf fuzz/fewer && mkdir fuzz/fewer && \
		$(FUZZ) $$target fuzz/fewer fuzz/corpus/$$target fuzz/found/$$target -- $(FUZZ_OPTIONS) -set_cover_merge=1 -use_counters=0 && \
		rm -r fuzz/corpus/$$target && mv fuzz/fewer fuzz/corpus/$$target || exit 1; done

torture: setup ## Try the local store against kills, power cuts, failing disks, damage and many readers; SEED=n repeats a run.
	@echo "SEED=$(SEED)"
	SPANIEL_TORTURE=1 SPANIEL_TORTURE_SEED=$(SEED) $(BIN)/python -m pytest --numprocesses $(WORKERS) --timeout 7200 \
		--durations 0 --durations-min 1 tests/document_stores/local/faults

format: setup ## Format the code.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	cd engine && cargo fmt
	cd engine/fuzz && cargo fmt

bench: $(BENCH)/.ready ## Measure beside other libraries, write docs/performance.*; about a quarter of an hour. SIZES="10000 100000" for less.
	$(BENCH)/bin/python -m benchmarks.run $(SIZES:%=--size %) --json docs/performance.json --page docs/performance.md

bench-opensearch: $(BENCH)/.ready ## Measure the OpenSearch store on a cluster of its own beside opensearch-haystack; NODES=3, some minutes. Prints only.
	$(BENCH)/bin/python -m tools.opensearch fetch
	$(BENCH)/bin/python -m benchmarks.opensearch --nodes $(or $(NODES),1)

bench-quick: $(BENCH)/.ready ## Measure at 10,000 documents, without slow peers; some minutes. Prints only.
	$(BENCH)/bin/python -m benchmarks.run --quick --size 10000

# Without PART: both halves of the queries, and the page; PART=dev or PART=held-out prints that half only.
quality: $(BENCH)/.ready ## Measure answers on the judged sets beside other libraries, write docs/quality.*; some minutes. PART=dev prints a half.
	HAYSTACK_TELEMETRY_ENABLED=False $(BENCH)/bin/python -m benchmarks.quality --peers --kinds rankings,contexts,links,store \
		--measures nDCG@10,R@100 --part $(or $(PART),all) $(if $(PART),,--json docs/quality.json --page docs/quality.md)

quality-models: setup ## Measure hybrid search with models on the judged sets, write the table of docs/hybrid.md; many minutes.
	for model in all-MiniLM-L6-v2 bge-small-en-v1.5; do $(BIN)/spaniel models add $$model; done
	$(BIN)/python -m benchmarks.quality.models --page docs/hybrid.md

$(BENCH)/.ready: $(SOURCES) benchmarks/peers.txt
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[eval]'
	grep -v '^#' benchmarks/peers.txt | while read -r peer; do \
		$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check $$peer || echo "not installed: $$peer"; done
	touch $@

clean: ## Remove what was built.
	rm -rf $(VENV) $(BENCH) .build engine/target .demo
