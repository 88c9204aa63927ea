# make run     start a cluster, print its addresses and show it on a page (make run ARGS="--brokers 9")
# make test    the whole suite                            (make test ARGS="-k heartbeat")
# make check   format, lint, types, quick tests, at the same time: a minute; writes nothing into the tree
# make differential   a released Kafka controller and ours get the same ten thousand random sequences
#              (ARGS="--release 3.9.1 --sequences 2000 --seed 7", --only NAME, --replay FILE; --help);
#              ARGS="--listener broker" asks a released broker and ours about messages, 1,000 sequences;
#              ARGS="--replicas" stops and starts three released brokers and three of ours in the middle of
#              writes, 200 sequences, half an hour
# make fold    a released Kafka replays the logs and snapshots of 10,000 chaos runs, to the same states
#              (ARGS="--runs 200 --first-seed 7", --scenario FILE)
# make bench   the benchmarks     make fidelity   write docs/fidelity.md from the tests
# make determinism   ten thousand runs, each in two processes: the same digest (ARGS=500: fewer); it goes
#              on where it was interrupted; and a handful on every Python there is, under every hash seed
# make mutants measure the planted bugs anew: the smallest scenario of each, the kills of the swarm alone
# make hunt    ten minutes of a search for runs that show something new, and for violations (ARGS="--minutes 60");
#              ARGS="--kafka" is make fold: violations that a released Kafka finds
# make mutation   two hundred drawn bugs: which of them the tests, the library, a swarm and a hunt kill
#              (ARGS="50 --seed 3 --hunt-seconds 60"; it goes on where it was interrupted, unless the code has changed)
# make soak    the long runs: a thousand brokers, a simulated day; ten thousand clusters that start and
#              end; 1,000 brokers over sockets for an hour, and a flood; twenty quorums of processes, each
#              killed at another moment; an hour of damaged bytes to every listener, and of damaged files;
#              thousands of sequences of every API; the histories of small quorums, minutes deep
# make native  a copy in build/native whose simulation runs as machine code: PYTHONPATH=build/native
# make format  mend the format    make clean      remove .venv and every cache of the tree

SHELL    := /bin/bash
VENV     := .venv
BIN      := $(VENV)/bin
PIP      := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.txt
FOLDERS  := controller broker_agent simulation scenarios pipeline
# Some environments forbid bytecode. Where start time counts, it must be there.
BYTECODE := env -u PYTHONDONTWRITEBYTECODE
PYTEST   := $(BYTECODE) $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder
QUICK    := not slow and not realtime and not interop and not spark and not released and not page
ARGS     ?=

# Outside of the tree, as the cache of mypy: hypothesis keeps there what it reads in each source.
export HYPOTHESIS_STORAGE_DIRECTORY ?= $(HOME)/.cache/kraftsim/hypothesis

.PHONY: java spark released clients chromium shells run test check bench determinism differential fold hunt mutation mutants soak fidelity format clean compile
.DEFAULT_GOAL := test

run: $(VENV)/.service compile
	@exec $(BYTECODE) $(BIN)/kraftsim up --demo --controllers 3 --brokers 5 --rack a --rack b $(ARGS)

# The groups of tests/running_order.py wait more than they compute, so more than two run at a time.
test: $(VENV)/.test spark released clients chromium shells compile
	$(PYTEST) -n 3 -m "not soak" $(ARGS)

# mypy runs beside the tests, and says what it found after them.
check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@found=$$(mktemp); trap 'rm -f "$$found"' EXIT; $(BIN)/mypy >"$$found" & types=$$!; \
	$(PYTEST) -q -m "$(QUICK)" $(ARGS); tests=$$?; \
	wait $$types; types=$$?; cat "$$found"; exit $$((tests || types))

bench: $(VENV)/.test java released compile
	$(BYTECODE) $(BIN)/python -m bench $(ARGS)

native: $(VENV)/.test
	$(BIN)/python -m tools.native

soak: $(VENV)/.test spark released clients chromium compile
	$(PYTEST) -m soak $(ARGS)
	$(BYTECODE) $(BIN)/kraftsim scenario run thundering-herd-1000 monkey-day
	KRAFTSIM_SOAK_CLUSTERS=20 $(PYTEST) tests/interop/test_quorum_kills.py $(ARGS)
	KRAFTSIM_SOAK_CYCLES=10000 $(PYTEST) tests/kraftsim/test_many_cycles.py $(ARGS)
	KRAFTSIM_SOAK_SECONDS=3600 $(PYTEST) -n 0 -rP tests/interop/test_fleet.py $(ARGS)
	KRAFTSIM_SOAK_KILLS=20 $(PYTEST) tests/pipeline/test_*_campaign.py $(ARGS)
	KRAFTSIM_SOAK_EXAMPLES=100000 $(PYTEST) tests/kraftsim/test_scenario_fuzz.py $(ARGS)
	KRAFTSIM_SOAK_EXAMPLES=50000 $(PYTEST) -p no:logging tests/server/test_kafka_fuzz.py $(ARGS)
	KRAFTSIM_SOAK_EXAMPLES=25000 $(PYTEST) -p no:logging tests/kraftsim/test_http_fuzz.py $(ARGS)
	KRAFTSIM_SOAK_EXAMPLES=5000 $(PYTEST) tests/core/test_every_api.py $(ARGS)
	KRAFTSIM_SOAK_EXAMPLES=500 $(PYTEST) tests/core tests/raft tests/wire $(ARGS)
	KRAFTSIM_SOAK_STATES=1000000 $(PYTEST) tests/raft/test_explore.py tests/scenarios/test_explore.py -rP $(ARGS)

differential: $(VENV)/.test java released compile
	$(BYTECODE) $(BIN)/python -m tests.differential $(ARGS)

fold: $(VENV)/.test java released compile
	$(BYTECODE) $(BIN)/python -m tests.kafka_fold $(filter-out --kafka,$(ARGS))

ifneq ($(filter --kafka,$(ARGS)),)
hunt: fold
else
hunt: $(VENV)/.test compile
	$(BYTECODE) $(BIN)/kraftsim scenario hunt -j 2 --out build/hunt $(ARGS)
endif

mutation: $(VENV)/.test
	$(BIN)/python -m tools.mutation $(ARGS)

determinism: $(VENV)/.test compile
	KRAFTSIM_DETERMINISM=1 $(PYTEST) tests/scenarios/test_other_processes.py -rs
	$(BYTECODE) $(BIN)/python -m tests.determinism $(ARGS)

mutants: $(VENV)/.test compile
	$(BYTECODE) $(BIN)/python -m tools.mutant_measures smallest
	$(BYTECODE) $(BIN)/python -m tools.mutant_measures swarm $(or $(ARGS),1000)
	$(BIN)/python -m tools.mutant_table

fidelity: $(VENV)/.test
	$(BIN)/python -m tools.fidelity

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What Spark and a released Kafka run on: installed where that can be, else named before anything runs.
java: $(VENV)/.test
	@if ! $(BIN)/python -m kraftsim.pipeline.engines.java >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && \
		command -v apt-get >/dev/null; then \
		echo "installing Java 17" >&2; \
		apt-get update -qq && \
		apt-get install -qq -y --no-install-recommends openjdk-17-jre-headless >/dev/null; \
	fi
	@$(BIN)/python -m kraftsim.pipeline.engines.java >/dev/null

# The archive of Spark's classes: a session takes half the processor time to start.
spark: java
	@$(BIN)/python -m kraftsim.pipeline.engines.write_class_archive >/dev/null

# The released Kafka that judges ours: its jars come once, by Maven, into a cache outside the tree.
released: $(VENV)/.test
	@if ! command -v mvn >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing Maven" >&2; \
		apt-get update -qq && apt-get install -qq -y --no-install-recommends maven >/dev/null; \
	fi
	@$(BIN)/python -m tests.released.archive 4.3.1

# The foreign clients: their toolchains are installed where that can be (Go apart, which Debian has too
# old), their packages fetched and compiled once into a cache. The tests of a missing one are skipped.
clients: $(VENV)/.test
	@if ! { command -v kcat && command -v npm && command -v javac; } >/dev/null && [ "$$(id -u)" = 0 ] && \
		command -v apt-get >/dev/null; then \
		echo "installing kcat, Node and a JDK" >&2; \
		apt-get update -qq && for package in kcat npm openjdk-17-jdk-headless; do \
			apt-get install -qq -y --no-install-recommends $$package >/dev/null || \
				echo "$$package could not be installed: its tests are skipped" >&2; \
		done; \
	fi
	@$(BIN)/python -m tests.interop.foreign.toolchains

# The browser that looks at the page: that of the system, installed where that can be.
chromium: $(VENV)/.test
	@if ! $(BIN)/python -m tests.page.chromium >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && \
		command -v apt-get >/dev/null; then \
		echo "installing Chromium" >&2; \
		apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; \
	fi
	@$(BIN)/python -m tests.page.chromium >/dev/null

# The shells that complete words: installed where that can be; the tests of a missing one are skipped.
shells:
	@if ! { command -v fish && command -v zsh; } >/dev/null && [ "$$(id -u)" = 0 ] && \
		command -v apt-get >/dev/null; then \
		echo "installing fish and zsh" >&2; \
		apt-get update -qq && apt-get install -qq -y --no-install-recommends fish zsh >/dev/null || \
			echo "fish or zsh could not be installed: the tests of their completion are skipped" >&2; \
	fi

# compileall does not follow links, so the folders are named through them.
compile:
	@$(BIN)/python -m compileall -q kraftsim $(FOLDERS:%=kraftsim/%)

# The stamps in .venv say what is installed; they age with what decides it.
$(VENV)/.service: pyproject.toml requirements.txt | $(VENV)/.made
	@echo "installing kraftsim into $(VENV)" >&2
	@$(PIP) --editable .
	@touch $@

$(VENV)/.test: pyproject.toml requirements.txt | $(VENV)/.made
	@echo "installing kraftsim and its test tools into $(VENV)" >&2
	@$(PIP) --editable '.[test,dev]'
	@touch $@ $(VENV)/.service

$(VENV)/.made:
	@for candidate in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if $$candidate -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
		then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "kraftsim needs Python 3.11 or newer with venv: install it (Debian, Ubuntu: apt-get install python3.11 python3.11-venv) or name it: make PYTHON=/path/to/python3.11" >&2; \
		exit 1; \
	fi; \
	$$found -m venv --clear $(VENV) && touch $@
