"""Bernoulli variables by their logits: log-probability, entropy and divergence, written so that nothing overflows."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Units = Float[Array, "*time units"]


@jax.custom_jvp
def softplus(z: Float[Array, "..."]) -> Float[Array, "..."]:
    """`log(1 + exp(z))` in one fused pass, with the sigmoid as its derivative."""
    return jnp.maximum(z, 0.0) + jnp.log1p(jnp.exp(-jnp.abs(z)))


@softplus.defjvp
def _softplus_jvp(primals, tangents):
    return softplus(primals[0]), jax.nn.sigmoid(primals[0]) * tangents[0]


def log_prob(h: Units, logits: Units) -> Float[Array, "*time"]:
    """Log-probability of the binary vector `h`, summed over its units."""
    return jnp.sum(h * logits - softplus(logits), axis=-1)


def entropy(logits: Units) -> Float[Array, "*time"]:
    """Entropy, summed over the units."""
    return jnp.sum(softplus(logits) - logits * jax.nn.sigmoid(logits), axis=-1)


def divergence(logits: Units, prior_logits: Units) -> Float[Array, "*time"]:
    """Kullback-Leibler divergence from `prior_logits` to `logits`, summed over the units."""
    surplus = jax.nn.sigmoid(logits) * (logits - prior_logits)
    return jnp.sum(surplus - softplus(logits) + softplus(prior_logits), axis=-1)
