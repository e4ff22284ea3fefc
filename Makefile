# `make grade` grades a class, `make test` runs everything CI runs; both set up .venv first.

PYTHON ?= python3.11
ASSIGNMENTS := $(notdir $(wildcard source/*))
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: setup release expected grade test lint types docs linkcheck mutants bench fuzz clean
FUZZ_SECONDS ?= 600
.DELETE_ON_ERROR:

setup: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --editable '.[dev]'
	touch $@

release: setup
	for id in $(ASSIGNMENTS); do nbgrader generate_assignment $$id --force || exit 1; done

expected: setup
	autograder expected

grade: release
	for id in $(ASSIGNMENTS); do \
	  python tools/sample_class.py $$id && \
	  nbgrader autograde $$id && \
	  nbgrader generate_feedback $$id && \
	  python tools/class_table.py $$id && \
	  autograder report $$id || exit 1; \
	done

lint: setup
	ruff check
	ruff format --check

types: setup
	mypy

test: lint types
	autograder expected --check
	OMP_NUM_THREADS=1 python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

docs: setup
	sphinx-build -W --keep-going -q -d .cache/doctrees docs .cache/docs
	@echo open .cache/docs/index.html

linkcheck: setup
	sphinx-build -W --keep-going -q -b linkcheck -d .cache/doctrees docs .cache/linkcheck

mutants: setup
	python -m autograder.authoring.mutants

bench: setup
	python bench/grading.py
	python bench/batch.py

fuzz: setup
	python -m pip install --quiet --editable '.[fuzz]'
	python tools/fuzz.py -max_total_time=$(FUZZ_SECONDS)

clean:
	rm -rf submitted autograded feedback reports gradebook.db .cache
