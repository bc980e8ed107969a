"""Every test runs with shapes and types checked at each call, and with JAX refusing silent promotion."""

import jaxtyping

jaxtyping.install_import_hook("tsbn", "beartype.beartype")

import jax  # noqa: E402  (the hook must stand before anything imports the package)

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
# Nearly all of the time goes into compiling functions that then run for milliseconds.
jax.config.update("jax_disable_most_optimizations", True)
