"""The terms of the lower bound along one sampled path, for all steps at once and differentiable.

l_t = log p(v_t | h_t, v_past) + sum_l [log p(h^l_t | ...) - log q(h^l_t | ...)]
"""

from functools import partial
from typing import NamedTuple

import jax
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.following import followed, with_derivatives
from tsbn.inference.piece import Piece
from tsbn.inference.posterior import Draw, draw, slipped
from tsbn.model import bernoulli
from tsbn.model.build import Model
from tsbn.model.network import Hidden
from tsbn.model.observations import Heads
from tsbn.model.weights import specialise

PerStep = Float[Array, "*batch time"]


class Terms(NamedTuple):
    """Everything the bound and its gradients need. Layers are the stochastic ones, from the data upwards."""

    likelihood: PerStep
    prior: tuple[PerStep, ...]
    posterior: tuple[PerStep, ...]
    hs: Hidden
    prior_logits: Hidden
    posterior_logits: Hidden
    outputs: Heads
    filled: PerStep | None
    """log p of the missing entries that were drawn, where any were."""

    @property
    def bound(self) -> PerStep:
        """l_t."""
        return self.likelihood + sum(self.prior) - sum(self.posterior)


def terms(model: Model, piece: Piece, path: Draw, straight_through: bool = False) -> Terms:
    """The terms along a given path.

    `straight_through` keeps their values, but lets derivatives through the sampled states (see `followed`).
    """
    model = specialise(model, piece.y)
    network, recognition, y = model.network, model.recognition, piece.y
    drive = recognition.drive(piece.v, piece.valid, y)
    if straight_through:
        states, posterior_logits = followed(recognition, drive, path.hs, y)
        path = with_derivatives(path, states)
    else:
        posterior_logits = recognition.logits(drive, recognition.settle(drive, path.hs, y), y)
    hs = network.settle(path.v, path.hs, y)
    past = network.past(path.v, hs if path.remembered is None else network.settle(path.v, path.remembered, y), y)
    prior_logits = network.logits(past, hs, y)
    outputs = network.outputs(past, hs[0], y)

    def stochastic(layers):
        return tuple(x for x, layer in zip(layers, network.layers, strict=True) if not layer.rectified)

    hs, prior_logits, posterior_logits = map(stochastic, (hs, prior_logits, posterior_logits))
    filled = None
    if piece.seen is not None and network.feels_past_observations:
        filled = network.observation.log_prob(path.v, outputs, ~piece.seen)
    return Terms(
        likelihood=network.observation.log_prob(path.v, outputs, piece.seen),
        prior=tuple(map(bernoulli.log_prob, hs, prior_logits)),
        posterior=tuple(map(bernoulli.log_prob, hs, posterior_logits)),
        hs=hs,
        prior_logits=prior_logits,
        posterior_logits=posterior_logits,
        outputs=outputs,
        filled=filled,
    )


def walked(model: Model, piece: Piece, key: PRNGKeyArray, slips: float = 0.0) -> Draw:
    """Draw a path, not to be differentiated, on which this share of the hidden units is remembered flipped."""
    if not slips:
        return jax.lax.stop_gradient(draw(model, piece, key))
    for_path, for_slips = jax.random.split(key)
    path = draw(model, piece, for_path)
    return jax.lax.stop_gradient(path._replace(remembered=slipped(path.hs, for_slips, slips)))


def sampled_terms(
    model: Model, piece: Piece, key: PRNGKeyArray, slips: float = 0.0, straight_through: bool = False
) -> Terms:
    """Draw a path and evaluate it: the terms are differentiable, the path is not.

    With `slips`, each step of the generative model is evaluated given a past in which this share of the hidden units is
    flipped. The terms are then no longer those of the bound, but of a model that must do with an imperfect past.
    """
    return terms(model, piece, walked(model, piece, key, slips), straight_through)


def batch_terms(
    model: Model,
    batch: Piece,
    key: PRNGKeyArray,
    chains: int = 1,
    slips: float = 0.0,
    straight_through: bool = False,
) -> Terms:
    """Terms of `chains` independent paths for every piece of a batch: `[chains, batch, time]`."""
    size = batch.v.shape[0]
    keys = jax.random.split(key, (chains, size))
    over_batch = jax.vmap(partial(sampled_terms, slips=slips, straight_through=straight_through), in_axes=(None, 0, 0))
    return jax.vmap(over_batch, in_axes=(None, None, 0))(model, batch, keys)
