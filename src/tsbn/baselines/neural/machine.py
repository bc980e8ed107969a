"""The restricted Boltzmann machine of one frame: Gaussian visible units, binary hidden units, with slabs if wanted.

Given the past, a frame v and its hidden units h (and slabs s) have the energy

    E = sum_i (v_i - a_i)^2 / (2 sigma_i^2) - sum_j b_j h_j - sum_j x_j h_j,     x = (v / sigma^2) W

without slabs, and with slabs of means mu and precisions alpha (Courville et al., 2011)

    E = sum_i (v_i - a_i)^2 / (2 sigma_i^2) - sum_j b_j h_j
        - sum_j x_j s_j h_j + sum_j alpha_j (s_j^2 - 2 mu_j s_j h_j + mu_j^2 h_j) / 2.

Summing h out and integrating s leaves the free energy F(v) = -log sum exp(-E), up to a constant, from which
everything else follows.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.model.bernoulli import softplus

Frames = Float[Array, "time visible"]
Units = Float[Array, "time hidden"]


class Slab(eqx.Module):
    """What a hidden unit that is on multiplies its weights with: a normal variable."""

    mean: Float[Array, " hidden"]
    precision: Float[Array, " hidden"]


class Machine(eqx.Module):
    """One machine for each of several frames. The weights are `left diag(gain) right^T`, without `right` just `left`
    with a gain for each hidden unit."""

    visible_bias: Float[Array, "time visible"]
    hidden_bias: Float[Array, "time hidden"]
    left: Float[Array, "visible factors"]
    gain: Float[Array, "when factors"]
    right: Float[Array, "hidden factors"] | None
    log_std: Float[Array, " visible"]
    slab: Slab | None = None

    @property
    def precision(self) -> Float[Array, "1 visible"]:
        return jnp.exp(-2 * self.log_std)[None]

    def logits(self, v: Frames) -> Units:
        """Of p(h | v), with the slabs integrated out."""
        x = self._drive(v)
        if self.slab is None:
            return self.hidden_bias + x
        return self.hidden_bias + self.slab.mean[None] * x + jnp.square(x) / (2 * self.slab.precision[None])

    def free_energy(self, v: Frames) -> Float[Array, " time"]:
        """-log p(v) up to a constant that depends on the parameters alone."""
        squares = 0.5 * jnp.square(v - self.visible_bias) * self.precision
        return jnp.sum(squares, axis=-1) - jnp.sum(softplus(self.logits(v)), axis=-1)

    def settled(self, v: Frames) -> Frames:
        """One round of mean field: the mean frame under the mean hidden units of the given frame."""
        activity = jax.nn.sigmoid(self.logits(v))
        if self.slab is not None:
            activity = activity * self._slab_mean(v)
        return self._mean(activity)

    def swept(self, v: Frames, key: PRNGKeyArray, temperature: float = 1.0) -> tuple[Frames, Frames]:
        """One round of Gibbs sampling, h (and s) given v and then v: the mean of the new frame, and the frame."""
        for_hidden, for_slabs, for_frame = jax.random.split(key, 3)
        logits = self.logits(v)
        noise = temperature * jax.random.logistic(for_hidden, logits.shape, logits.dtype)
        activity = (logits > noise).astype(v.dtype)
        if self.slab is not None:
            spread = jax.random.normal(for_slabs, logits.shape, v.dtype) / jnp.sqrt(self.slab.precision[None])
            activity = activity * (self._slab_mean(v) + spread)
        mean = self._mean(activity)
        return mean, mean + jnp.exp(self.log_std)[None] * jax.random.normal(for_frame, v.shape, v.dtype)

    def chain(self, v: Frames, key: PRNGKeyArray, rounds: int, temperature: float = 1.0) -> tuple[Frames, Frames]:
        """Some rounds of Gibbs sampling, starting from given frames: the last mean, and the last frame."""

        def round_(now, k):
            return self.swept(now[1], k, temperature), None

        return jax.lax.scan(round_, (v, v), jax.random.split(key, rounds))[0]

    def mean_field(self, v: Frames, rounds: int) -> Frames:
        """Some rounds of mean field, starting from given frames."""
        return jax.lax.scan(lambda now, _: (self.settled(now), None), v, length=rounds)[0]

    def _slab_mean(self, v: Frames) -> Units:
        """Of the slabs of units that are on."""
        assert self.slab is not None
        return self.slab.mean[None] + self._drive(v) / self.slab.precision[None]

    def _drive(self, v: Frames) -> Units:
        x = ((v * self.precision) @ self.left) * self.gain
        return x if self.right is None else x @ self.right.T

    def _mean(self, activity: Units) -> Frames:
        factors = activity if self.right is None else activity @ self.right
        return self.visible_bias + (factors * self.gain) @ self.left.T
