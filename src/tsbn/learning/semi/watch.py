"""A look at how well held-out labels are recognised, and the held-out sequences explained."""

from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.terms import batch_terms
from tsbn.learning.corpus import Corpus, Places, Window, cut
from tsbn.learning.semi.model import LabelModel, batch_log_q
from tsbn.learning.semi.objective import Weights, counted_steps

Keep = Literal["labels", "objective"]


class LabelCheck(NamedTuple):
    """Figures of held-out windows: means over labels (one per window, or per frame), the bound per frame."""

    validation: Float[Array, ""]
    """What the best model is chosen by."""
    label_log_prob: Float[Array, ""]
    accuracy: Float[Array, ""]
    held_out_bound: Float[Array, ""]


class LabelWatch(eqx.Module):
    """Chooses the best model by log q of held-out labels, or by the objective L_l per frame (`keep`)."""

    changing: bool = eqx.field(static=True)
    weights: Weights = eqx.field(static=True, default=Weights())
    keep: Keep = eqx.field(static=True, default="labels")

    @eqx.filter_jit
    def __call__(
        self, model: LabelModel, corpus: Corpus, places: Places, window: Window, key: PRNGKeyArray
    ) -> LabelCheck:
        def one_batch(now):
            place, k = now
            batch = jax.vmap(cut, in_axes=(None, None, 0))(corpus, window, place)
            log_q = batch_log_q(model, batch, self.changing)
            missing = jnp.isnan(batch.y[..., 0])
            counted = batch.counted if self.changing else jnp.any(batch.counted, axis=-1, keepdims=True)
            known = counted & ~missing
            guess = jnp.argmax(log_q, axis=-1)
            y = jnp.where(missing[..., None], jax.nn.one_hot(guess, log_q.shape[-1], dtype=log_q.dtype), batch.y)
            found = batch_terms(model.conditional, batch._replace(y=y), k)
            base = model.network.observation.log_base(batch.v, batch.seen)
            steps = counted_steps(batch)
            log_label = jnp.where(known, jnp.sum(y * log_q, axis=-1), 0.0)
            share = self.weights.classification(steps) / (jnp.maximum(steps, 1) if self.changing else 1.0)
            return (
                jnp.sum(log_label),
                jnp.sum(share[:, None] * log_label),
                jnp.sum(jnp.where(known, guess == jnp.argmax(y, axis=-1), False), dtype=log_q.dtype),
                jnp.sum(known, dtype=log_q.dtype),
                jnp.sum(jnp.where(batch.counted, found.bound[0] + base, 0.0)),
                jnp.sum(steps),
            )

        keys = jax.random.split(key, places.first.shape[0])
        sums = jax.tree.map(jnp.sum, jax.lax.map(one_batch, (places, keys)))
        log_label, weighed, right, labels, bound, frames = sums
        chosen = log_label / labels if self.keep == "labels" else (bound + weighed) / frames
        return LabelCheck(chosen, log_label / labels, right / labels, bound / frames)
