"""Every test runs with shapes and types checked at each call, and with JAX refusing silent promotion."""

import jaxtyping

jaxtyping.install_import_hook("tsbn", "beartype.beartype")

import jax  # noqa: E402  (the hook must stand before anything imports the package)
import pytest  # noqa: E402

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
# Nearly all of the time goes into compiling functions that then run for milliseconds.
jax.config.update("jax_disable_most_optimizations", True)


@pytest.fixture
def optimising():
    """For tests that train: optax raises floats to the power of a step count, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield
