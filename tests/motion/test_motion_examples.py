"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import tsbn.motion

MODULES = [f"tsbn.motion.{module.name}" for module in pkgutil.iter_modules(tsbn.motion.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_say_what_happens(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
