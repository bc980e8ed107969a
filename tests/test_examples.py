"""The examples in the docstrings do what they say."""

import doctest
import importlib
import pkgutil

import pytest

import tsbn

FOUND = (module.name for module in pkgutil.walk_packages(tsbn.__path__, "tsbn."))
MODULES = ["tsbn", *sorted(name for name in FOUND if not name.endswith("__main__"))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_every_module_hold(name, optimising):
    assert doctest.testmod(importlib.import_module(name), raise_on_error=False).failed == 0
