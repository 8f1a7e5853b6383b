# `make` sets everything up and runs the default workflow with a report; `make test` sets up and runs all tests.
PYTHON ?= python3
VENV ?= .venv
CORES ?= $(shell nproc)
BIN := $(VENV)/bin

.PHONY: run test lint format bench setup setup-dev
.DEFAULT_GOAL := run

run: setup
	$(BIN)/snakemake --cores $(CORES) -- all
	$(BIN)/snakemake --report results/quick/report.html -- all
	@echo "tables and figures: results/quick/   report: results/quick/report.html"

test: setup-dev
	$(BIN)/python -m pytest

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

format: setup-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

bench: setup
	$(BIN)/python -m bench.accounting
	$(BIN)/python -m bench.dp_mac
	$(BIN)/python -m bench.residual
	$(BIN)/python -m bench.teachers

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

$(VENV)/.installed: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@
