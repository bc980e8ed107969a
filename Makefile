# Everything runs in a virtual environment inside the clone, made from an ordinary python3 and pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup demo test test-slow check benchmark wheel clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: setup
	$(BIN)/python -m tsbn.demo

test: setup
	$(BIN)/python -m pytest

test-slow: setup
	$(BIN)/python -m pytest -m slow

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright

benchmark: setup
	$(BIN)/python benchmarks/train.py --json benchmarks/train.json

wheel: setup
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) build dist demo
