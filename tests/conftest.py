"""Every test runs with shapes and types checked at each call, without silent promotion, and at its own pace."""

import jaxtyping

# The functional core. What users touch (sequences, estimators, commands) takes much as it comes, and answers what is
# wrong with errors of its own.
CHECKED = ["tsbn.model", "tsbn.inference", "tsbn.learning"]
jaxtyping.install_import_hook(CHECKED, "beartype.beartype")

import jax  # noqa: E402  (the hook must stand before anything imports the package)
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
# Nearly all of the time goes into compiling functions that then run for milliseconds.
jax.config.update("jax_disable_most_optimizations", True)

# Tests never depend on how fast the machine is.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True, scope="module")
def few_programs():
    """Let go of compiled programs after each file: each holds memory maps, of which a process may have only so many."""
    yield
    jax.clear_caches()


@pytest.fixture
def optimising():
    """For tests that train: optax raises floats to the power of a step count, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield
