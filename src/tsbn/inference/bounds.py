"""The three lower bounds on the log-likelihood of whole sequences, reported together.

elbo          mean of log w over samples of q
multi_sample  log of the mean of w over K samples (importance weighting)
particle      log of the particle filter's estimate with K particles
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.particles import particle_filter
from tsbn.inference.piece import Piece
from tsbn.inference.terms import sampled_terms
from tsbn.model.build import Model


class Bounds(NamedTuple):
    """Lower bounds in nats, one number per sequence or (after summing up) one in all."""

    elbo: Float[Array, "*batch"]
    multi_sample: Float[Array, "*batch"]
    particle: Float[Array, "*batch"]


def log_base(model: Model, piece: Piece) -> Float[Array, ""]:
    """The part of the log-likelihood that depends on the data alone."""
    return jnp.sum(jnp.where(piece.counted, model.network.observation.log_base(piece.v, piece.seen), 0.0))


def log_weights(model: Model, piece: Piece, key: PRNGKeyArray, samples: int) -> Float[Array, " samples"]:
    """log p(v, h) - log q(h) of `samples` independent paths, a few at a time to bound memory."""

    def one(k):
        return jnp.sum(jnp.where(piece.counted, sampled_terms(model, piece, k).bound, 0.0))

    return jax.lax.map(one, jax.random.split(key, samples), batch_size=32) + log_base(model, piece)


def elbo(model: Model, piece: Piece, key: PRNGKeyArray, samples: int = 1) -> Float[Array, ""]:
    """The evidence lower bound of one sequence."""
    return jnp.mean(log_weights(model, piece, key, samples))


def bounds(model: Model, piece: Piece, key: PRNGKeyArray, particles: int) -> Bounds:
    """All three bounds of one sequence; the first two share their samples."""
    for_paths, for_particles = jax.random.split(key)
    weights = log_weights(model, piece, for_paths, particles)
    increments = particle_filter(model, piece, for_particles, particles).increments
    filtered = jnp.sum(jnp.where(piece.counted, increments, 0.0)) + log_base(model, piece)
    return Bounds(jnp.mean(weights), logsumexp(weights) - jnp.log(particles), filtered)
