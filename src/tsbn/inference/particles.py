"""The particle (sequential Monte Carlo) bound: propose from q, weigh, resample where the weights have become uneven.

The product of the average weights is an unbiased estimate of the likelihood, so the expectation of its logarithm is a
lower bound (Maddison et al. 2017). Unlike independent samples, particles are pruned on the way and keep up with long
sequences. Proposals may also come from the prior ("bootstrap"): then nothing is known of the present frame.
"""

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tsbn.inference.piece import Piece
from tsbn.inference.posterior import exceeds, logistic_noise
from tsbn.model import bernoulli
from tsbn.model.build import Model
from tsbn.model.network import every_step
from tsbn.model.observations import Heads
from tsbn.model.weights import specialise


class Particles(NamedTuple):
    """What a pass of the particle filter leaves behind, per step.

    - `increments [time]`: estimate of log p(v_t | v_<t); zero at padding.
    - `log_weights [time, particles]`: log-weights gained at the step; `carried`: normalised ones from before it.
    - `log_q [time, particles]`: log-probability of the proposed states.
    - `outputs`: the observation's parameters of each particle, `[time, particles, visible]` per head; bootstrap
      particles are a sample of the one-step-ahead prediction, with `carried` as their weights.
    """

    increments: Float[Array, " time"]
    log_weights: Float[Array, "time particles"]
    carried: Float[Array, "time particles"]
    log_q: Float[Array, "time particles"]
    outputs: Heads


def particle_filter(
    model: Model,
    piece: Piece,
    key: PRNGKeyArray,
    particles: int,
    proposal: Literal["recognition", "bootstrap"] = "recognition",
) -> Particles:
    """Filter one sequence. Differentiable in the weights; sampling and resampling are not differentiated."""
    model = specialise(model, piece.y)
    network, recognition = model.network, model.recognition
    time = piece.v.shape[0]
    drive = recognition.drive(piece.v, piece.valid, piece.y)
    sizes = tuple(layer.B.shape[0] for layer in network.layers)
    noise_key, fill_key, resample_key = jax.random.split(key, 3)
    noise = jax.vmap(lambda k: logistic_noise(k, time, sizes), out_axes=1)(jax.random.split(noise_key, particles))
    seen = None if piece.seen is None or not network.feels_past_observations else piece.seen

    def advance(memories, noise_t, key_t, drive_t, v_t, y_t, seen_t, fill_t):
        """One particle, one step."""
        q_memory, p_memory = memories
        past = network.recall(p_memory, y_t)

        def choose(layer, logits):
            return jax.lax.stop_gradient(exceeds(logits, noise_t[layer]))

        log_q: Array = jnp.zeros(())

        def choose_and_count(layer, logits):
            nonlocal log_q
            state = choose(layer, logits)
            log_q = log_q + bernoulli.log_prob(state, logits)
            return state

        if proposal == "bootstrap":
            proposed = hs = network.descend(past, y_t, choose_and_count)
        else:
            proposed = recognition.ascend(q_memory, drive_t, y_t, choose_and_count)
            hs = network.descend(past, y_t, lambda layer, _: proposed[layer])
        log_p = sum(
            (
                bernoulli.log_prob(h, z)
                for h, z, layer in zip(hs, network.logits(past, hs, y_t), network.layers, strict=True)
                if not layer.rectified
            ),
            jnp.zeros(()),
        )
        outputs = network.outputs(past, hs[0], y_t)
        gained = network.observation.log_prob(v_t, outputs, seen_t)
        if seen is not None:
            v_t = jax.lax.stop_gradient(network.observation.fill(v_t, outputs, seen_t, fill_t))
        memories = (recognition.remember(q_memory, proposed), network.remember(p_memory, v_t, hs))
        return memories, gained + log_p - log_q, log_q, outputs

    every_particle = jax.vmap(advance, in_axes=(0, 0, None, None, None, None, None, 0))

    def step(carry, now):
        memories, carried = carry
        noise_t, drive_t, v_t, seen_t, y_t, valid_t, key_t, fill_t = now
        fills = jax.random.split(fill_t, particles)
        moved, gained, log_q, outputs = every_particle(memories, noise_t, key_t, drive_t, v_t, y_t, seen_t, fills)
        gained = jnp.where(valid_t, gained, jnp.zeros_like(gained))
        unnormalised = carried + gained
        increment = logsumexp(unnormalised)
        normalised = unnormalised - increment
        # Resample when the effective number of particles falls below half; the choice depends on the past alone,
        # so the estimate stays unbiased.
        uneven = -logsumexp(2 * jax.lax.stop_gradient(normalised)) < jnp.log(particles / 2)
        ancestors = jnp.where(uneven, systematic(normalised, key_t), jnp.arange(particles))
        even = jnp.full((particles,), -jnp.log(particles), normalised.dtype)
        following = (jax.tree.map(lambda x: x[ancestors], moved), jnp.where(uneven, even, normalised))
        return following, (increment, gained, carried, log_q, outputs)

    def copies(memory):
        return jax.tree.map(lambda x: jnp.broadcast_to(x, (particles, *x.shape)), memory)

    start = (copies((recognition.blank(), network.blank())), jnp.full((particles,), -jnp.log(particles)))
    steps = (
        noise,
        drive,
        piece.v,
        piece.seen,
        every_step(piece.y, time),
        piece.valid,
        jax.random.split(resample_key, time),
        jax.random.split(fill_key, time),
    )
    return Particles(*jax.lax.scan(step, start, steps)[1])


def systematic(log_weights: Float[Array, " particles"], key: PRNGKeyArray) -> Int[Array, " particles"]:
    """Systematic resampling: one uniform number, equally spaced picks."""
    particles = log_weights.shape[0]
    edges = jnp.cumsum(jnp.exp(jax.lax.stop_gradient(log_weights)))
    picks = (jnp.arange(particles, dtype=edges.dtype) + jax.random.uniform(key, dtype=edges.dtype)) / particles
    return jnp.clip(jnp.searchsorted(edges / edges[-1], picks), 0, particles - 1)
