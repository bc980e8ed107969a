import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cmu() -> Path:
    """The folder with recordings of CMU's subjects 35 and 137."""
    if "TSBN_DATA" not in os.environ:
        pytest.skip("TSBN_DATA is not set: no real motion files to read")
    return Path(os.environ["TSBN_DATA"]) / "cmu"
