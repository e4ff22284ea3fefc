# `make grade` grades a class, `make test` runs everything CI runs; both set up .venv first.

PYTHON ?=
ASSIGNMENTS := $(notdir $(wildcard source/*))
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export TRAITLETS_APPLICATION_RAISE_CONFIG_FILE_ERROR := 1

.PHONY: setup lock release labextension expected grade test lint types docs linkcheck mutants kinds bench fuzz clean
FUZZ_SECONDS ?= 600
.DELETE_ON_ERROR:

setup: .venv/installed

# What a lock names, by uv, which takes half of pip's time; by pip where uv finds no package index.
LOCKED = --require-hashes --no-deps --requirement
INSTALL = .venv/bin/uv pip install --quiet --system-certs --compile-bytecode --python .venv/bin/python $(LOCKED) $(1) \
	2>.venv/uv.txt || .venv/bin/python -m pip install -qq $(LOCKED) $(1)

# Without it nbgrader goes on at an error in its configuration, and student code runs outside of a box.
STOP = export TRAITLETS_APPLICATION_RAISE_CONFIG_FILE_ERROR=1

# What grading needs. The lock has all but torch, which is installed with this package: its builds
# differ by machine.
.venv/grading: pyproject.toml autograder/requirements.lock requirements-dev.lock
	@echo "Installing what grading needs into .venv: this takes minutes, and is done once."
	@python=$$(sh autograder/gradescope/find_python.sh $(PYTHON)) && "$$python" -m venv .venv
	@sed -n '/^uv==/,/# via/p' requirements-dev.lock >.venv/uv.lock
	@.venv/bin/python -m pip install -qq $(LOCKED) .venv/uv.lock
	@$(call INSTALL,autograder/requirements.lock)
	@.venv/bin/python -m pip install -qq --no-build-isolation --editable .
	@grep -qxF '$(STOP)' .venv/bin/activate || echo '$(STOP)' >>.venv/bin/activate
	@touch $@

.venv/installed: .venv/grading
	@$(call INSTALL,requirements-dev.lock)
	.venv/bin/python -m pip install --quiet --no-build-isolation --editable '.[dev,service]'
	.venv/bin/python -m autograder.jupyter # an editable installation leaves the button out
	.venv/bin/python -m pip check
	touch $@

lock: setup
	uv pip compile --quiet --extra dev --extra service --output-file requirements-dev.lock pyproject.toml
	uv pip compile --quiet --constraint requirements-dev.lock --output-file autograder/requirements.lock pyproject.toml

release: setup
	for id in $(ASSIGNMENTS); do nbgrader generate_assignment $$id --force || exit 1; done

# The button in JupyterLab, whose built files are committed; needs Node 20.
labextension: setup
	python tools/labextension.py

expected: setup
	autograder expected

grade: .venv/grading
	@python tools/grade_class.py

lint: setup
	ruff check
	ruff format --check
	deptry . tools bench tests --extend-exclude '^(tests|[.]cache)/'
	deptry tests tools bench --ignore DEP002,DEP004
	lint-imports --cache-dir .cache/imports

types: setup
	mypy

test: lint types
	OMP_NUM_THREADS=1 python -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

docs: setup
	sphinx-build -W --keep-going -q -d .cache/doctrees docs .cache/docs
	@echo open .cache/docs/index.html

linkcheck: setup
	sphinx-build -W --keep-going -q -b linkcheck -d .cache/doctrees docs .cache/linkcheck

mutants: setup
	autograder mutants

kinds: setup
	autograder mutants --store

bench: setup
	python bench/grading.py
	python bench/shares.py
	python bench/batch.py
	python bench/service.py

fuzz: setup
	python -m pip install --quiet --no-build-isolation --editable '.[fuzz]'
	python tools/fuzz.py -max_total_time=$(FUZZ_SECONDS)
	python tools/reply_mutations.py $(FUZZ_SECONDS)

# What can be made again; never what somebody has handed in, or been given.
clean:
	rm -rf reports .cache
