# `make` sets everything up and runs the default workflow with a report; `make test` sets up and runs all tests;
# `make help` lists what can be asked for.
PYTHON ?= python3
# none: without PyTorch and what needs it, for what trains no network, such as `make votes`; in a folder of its own
TORCH ?= cuda
ifeq ($(TORCH),none)
VENV ?= .venv-no-torch
else
VENV ?= .venv
endif
CORES ?= $(shell nproc)
# so many processes run tests, each on one core; a compiled test is compiled once; groups begin in the order of
# tests/conftest.py, not those of the most tests
WORKERS = $(CORES)
PYTEST = env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) \
	--dist loadgroup --no-loadscope-reorder
BIN := $(VENV)/bin
RESULTS := results/quick
REPORT := $(RESULTS)/report.html

# what is in VENV, and the plugins for clusters, without which VENV stays
CLUSTER_VENV ?= .venv-cluster
# what makes the locked files
LOCK_VENV ?= .venv-lock
# all versions that the locked files have packages for
SUPPORTED = import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 13) or sys.exit( \
	"$(PYTHON) is Python %d.%d; supported are 3.11 to 3.13: make PYTHON=python3.11" % v)
# only files whose SHA-256 is in the locked file
INSTALL = pip install --quiet --disable-pip-version-check --require-hashes
# names in the locked file that TORCH=none leaves out, with the lines of their SHA-256
WITHOUT = torch|torchvision|triton|monai|opacus|opt-einsum|nvidia-.*|cuda-.*

.PHONY: run help schema redraw provenance check check-tests test test-long test-cluster lint format bench faults setup setup-dev lock sbom audit docs votes variant
.DEFAULT_GOAL := run

# on a terminal a bar; else a line a job, without the reasons: these are in the log that Snakemake names at its end
SHOW = $$(test -t 2 && echo --logger rich) --quiet host reason

run: setup
	@$(BIN)/snakemake --cores $(CORES) $(SHOW) -- all
	@# every job writes a log, so nothing newer than the report means that nothing ran since
	@test -f $(REPORT) && test -z "$$(find $(RESULTS) report -type f -newer $(REPORT) -print -quit)" || \
		{ $(BIN)/snakemake --report $(RESULTS)/.report.html -- all && mv $(RESULTS)/.report.html $(REPORT); }
	@$(BIN)/python -m scripts.show_verdicts $(RESULTS)

help: setup
	@$(BIN)/python -m scripts.show_help

# of the configuration, as JSON Schema: type, range, default and meaning of every key
schema: setup
	@$(BIN)/python -c "import json; from lib.plan.config import load_schema; print(json.dumps(load_schema(), indent=2))"

# Table 1 of Scalable PATE from the authors' votes: those of MNIST and Adult, which are downloaded, or those below DATA
votes: setup
ifdef DATA
	@$(BIN)/snakemake --cores $(CORES) $(SHOW) --configfile presets/votes.yaml --config "data_root=$(DATA)" -- all
	@$(BIN)/python -m scripts.show_epsilons results/votes
else
	@for each in mnist adult; do \
		$(BIN)/python -m scripts.download_data --module pate_votes --dataset pate_votes_$$each --data-root data || exit 1; \
	done
	@$(BIN)/snakemake --cores $(CORES) $(SHOW) --configfile presets/votes.yaml presets/votes_fetched.yaml \
		--config data_root=data -- all
	@$(BIN)/python -m scripts.show_epsilons results/votes_fetched
endif

# one result with other settings, beside the original: make variant TARGET=scalable_pate_table2 SET=KEY=VALUE;
# a value with spaces needs python -m scripts.variant
variant: setup
	@$(BIN)/python -m scripts.variant --cores $(CORES) --target "$(TARGET)" --set $(SET) $(if $(OF),--preset "$(OF)") \
		$(if $(DATA),--data-root "$(DATA)")

# the documentation as a site, for a browser; a link that leads nowhere ends it (--quiet would silence that, too)
docs: setup-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "open site/index.html"

# docs/reproduction and the first page's table, from the committed tables and figures; needs no data
redraw: setup
	$(BIN)/python -m scripts.redraw
	$(BIN)/python -m scripts.paper_settings

# the committed tables and figures that today's code would make anew
provenance: setup
	@$(BIN)/python -m scripts.show_provenance

# before a commit: what needs no workflow and no minute
check: setup-dev
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint check-tests

check-tests: setup-dev
	$(PYTEST) -m "not workflow and not slow and not long"

# one more, since some wait for Snakemake
test: WORKERS = $(shell echo $$(($(CORES) + 1)))
test: setup-dev
	$(PYTEST) -m "not long"

test-long: setup-dev
	$(PYTEST) -m long

test-cluster: $(CLUSTER_VENV)/.installed
	$(CLUSTER_VENV)/bin/python -m pytest tests/cluster

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(BIN)/snakemake --lint

format: setup-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

bench: setup
	$(BIN)/python -m bench.accounting
	$(BIN)/python -m bench.dp_mac
	$(BIN)/python -m bench.own_votes
	$(BIN)/python -m bench.pca
	$(BIN)/python -m bench.segmentation
	$(BIN)/python -m bench.teachers

faults: setup-dev
	$(BIN)/python -m tests.faults

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

$(VENV)/.installed: requirements.lock
	@$(PYTHON) -c '$(SUPPORTED)'
	$(PYTHON) -m venv $(VENV)
ifeq ($(TORCH),cuda)
	$(BIN)/python -m $(INSTALL) -r requirements.lock
else ifeq ($(TORCH),none)
	awk '/^[^ #]/ {keep = $$0 !~ /^($(WITHOUT))==/} keep' requirements.lock > $(VENV)/requirements.lock
	$(BIN)/python -m $(INSTALL) --no-deps -r $(VENV)/requirements.lock
else
	$(error TORCH=$(TORCH): allowed are cuda, PyTorch as the package index has it, and none)
endif
	touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(BIN)/python -m $(INSTALL) -r requirements-dev.lock
	touch $@

$(CLUSTER_VENV)/.installed: requirements-cluster.lock $(VENV)/.installed-dev
	$(PYTHON) -m venv $(CLUSTER_VENV)
	path="import sysconfig; print(sysconfig.get_path('purelib'))"; \
	$(BIN)/python -c "$$path" > "$$($(CLUSTER_VENV)/bin/python -c "$$path")/venv.pth"
	$(CLUSTER_VENV)/bin/python -m $(INSTALL) -r requirements-cluster.lock
	touch $@

# what is edited are the .txt; this makes from them the files by which everything is installed, and by its SHA-256;
# versions that a locked file has already stay, and all three have the same ones
LOCK = $(LOCK_VENV)/bin/uv pip compile --quiet --no-config --default-index https://pypi.org/simple --no-emit-index-url \
	--universal --generate-hashes --no-annotate --python-version 3.11 --custom-compile-command "make lock"

lock: $(LOCK_VENV)/.installed
	$(LOCK) requirements.txt --output-file requirements.lock
	$(LOCK) requirements-dev.txt --constraints requirements.lock --output-file requirements-dev.lock
	$(LOCK) requirements-slurm.txt requirements-kubernetes.txt --constraints requirements.lock \
		--output-file requirements-cluster.lock

# what make installs, as CycloneDX: a list for whoever looks for a package with a known fault
sbom: $(LOCK_VENV)/.installed
	$(LOCK_VENV)/bin/cyclonedx-py requirements --output-reproducible --output-format JSON -o results/sbom.json requirements.lock

# whether a locked version has a known fault, by the advisories that the package index lists
audit: $(LOCK_VENV)/.installed
	@mkdir -p results && rm -f results/audit.json
	@$(LOCK_VENV)/bin/pip-audit --progress-spinner off --disable-pip --require-hashes --format json \
		--output results/audit.json -r $(LOCKED) > results/audit.log 2>&1; found=$$?; \
	test -s results/audit.json || \
		{ echo "error: $(LOCKED) is not checked: no list of advisories could be reached (results/audit.log)" >&2; exit 1; }; \
	tail -n 1 results/audit.log; exit $$found
LOCKED ?= requirements-dev.lock

$(LOCK_VENV)/.installed:
	$(PYTHON) -m venv $(LOCK_VENV)
	$(LOCK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9 cyclonedx-bom==7.5.0 pip-audit==2.10.1
	touch $@
