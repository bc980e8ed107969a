"""Real data are read from the folder in TSBN_DATA; without it the tests that need them are skipped."""

import os

import pytest


@pytest.fixture
def real_data():
    if not os.environ.get("TSBN_DATA"):
        pytest.skip("TSBN_DATA is not set: no folder of real data to read")
