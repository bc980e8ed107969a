"""How many single-precision operations a second this machine does at best, in a large matrix product."""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np


def sgemm_peak(size: int = 2048, repeats: int = 5) -> dict[str, float]:
    """GFLOP/s of the fastest of `repeats` products of two `[size, size]` matrices, by NumPy and by XLA.

    >>> sorted(sgemm_peak(size=64, repeats=1))
    ['numpy', 'xla']
    """
    matrix = np.random.default_rng(0).random((size, size), dtype=np.float32)
    out = np.empty_like(matrix)
    on_device, product = jnp.asarray(matrix), jax.jit(jnp.matmul)
    operations = 2 * size**3
    return {
        "numpy": operations / fastest(lambda: np.matmul(matrix, matrix, out=out), repeats) / 1e9,
        "xla": operations / fastest(lambda: product(on_device, on_device).block_until_ready(), repeats) / 1e9,
    }


def fastest(action: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of `repeats` runs, after one that is not counted (it may compile)."""
    action()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
