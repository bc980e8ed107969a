"""Draws from the recognition model, and of missing entries, depend on their keys alone."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from cases import FAMILY, random_model, random_piece
from tsbn.inference.posterior import draw


def test_the_same_keys_give_the_same_draws_however_they_are_batched():
    """A batch of one inside many draws: a shape for which XLA's fusions on the CPU have given wrong draws."""
    architecture = dataclasses.replace(FAMILY["deep ctsbn"], hidden=(2, 1))
    model, piece = random_model(architecture, scale=0.6), random_piece(architecture, time=3)
    seen = jnp.ones((3, 2), bool).at[0, 0].set(False).at[1].set(False).at[2, 1].set(False)
    piece = piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=seen)
    batch = jax.tree.map(lambda leaf: leaf[None], piece)
    keys = jax.random.split(jax.random.key(0), 3000)
    one_by_one = jax.jit(jax.vmap(lambda k: draw(model, piece, k)))(keys)
    in_a_batch = jax.jit(jax.vmap(lambda k: jax.vmap(lambda p: draw(model, p, k))(batch)))(keys)
    np.testing.assert_array_equal(in_a_batch.v[:, 0], one_by_one.v)
    for nested, flat in zip(in_a_batch.hs, one_by_one.hs, strict=True):
        np.testing.assert_array_equal(nested[:, 0], flat)
