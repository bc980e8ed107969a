"""Training of the neural baselines: whole epochs in one compiled call, and what did best on held-out frames is kept.

The windows, the division of the data and the optimiser are those that the networks of this library are trained with.
"""

import time
from collections.abc import Iterable
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tsbn.baselines.neural.net import Net
from tsbn.estimators.training_data import TrainingData
from tsbn.learning.corpus import Corpus, Places, Window, cut, random_batch
from tsbn.learning.engine import Callback, Progress, Report, State
from tsbn.learning.recipe import Recipe


def learn(
    net: Net, data: TrainingData, recipe: Recipe, key: PRNGKeyArray, callbacks: Iterable[Callback] = ()
) -> Progress:
    """Train to the end of the recipe, or until `patience` or a callback ends it; `best` is the net to keep.

    The recipe's `clip` limits the norm of the whole gradient. "bound" in the history is minus the loss, "validation"
    minus the cost of held-out frames, so that higher is better everywhere.
    """
    callbacks = tuple(callbacks)
    window = data.window(recipe.window, net.lead)
    corpus = data.corpus(window, recipe.balanced)
    held_out = data.held_out(window, recipe.batch) if data.holds_out else None
    cost_key, epoch_key = jax.random.split(key)
    optimiser: Any = _transformation(recipe).init(cast(Any, net))
    first = cast(Any, net)
    progress = Progress(State(first, None, optimiser, None, jnp.zeros((), jnp.int32)), first, -np.inf, 0, ())
    while (done := int(progress.state.step)) < recipe.steps and not 0 < recipe.patience <= progress.stale:
        started = time.perf_counter()
        steps = min(recipe.every, recipe.steps - done)
        state, bound, finite = _epoch(
            progress.state, corpus, jax.random.fold_in(epoch_key, done), recipe, window, steps
        )
        row = {"step": done + steps, "bound": float(bound)}
        if held_out is not None:
            row["validation"] = -float(_cost(cast(Any, state.model), corpus, *held_out, cost_key))
        row["seconds"] = time.perf_counter() - started
        watched = row.get("validation", row["bound"])
        if not (bool(finite) and np.isfinite(watched)):
            raise FloatingPointError(
                f"training became unstable before step {done + steps}; a smaller learning rate (it is {recipe.rate:g}) "
                f"or scaled data may help"
            )
        better = held_out is None or watched > progress.best_bound
        progress = Progress(
            state,
            state.model if better else progress.best,
            watched if better else progress.best_bound,
            0 if better else progress.stale + 1,
            (*progress.history, row),
        )
        answers = [callback(Report(progress, row)) for callback in callbacks]
        if any(answers):
            break
    return progress


def _transformation(recipe: Recipe) -> optax.GradientTransformation:
    clip = optax.clip_by_global_norm(recipe.clip) if recipe.clip else optax.identity()
    rate = optax.cosine_decay_schedule(recipe.rate, recipe.steps) if recipe.anneal else recipe.rate
    return optax.chain(clip, optax.adam(rate))


@eqx.filter_jit
def _epoch(
    state: State, corpus: Corpus, key: PRNGKeyArray, recipe: Recipe, window: Window, steps: int
) -> tuple[State, Float[Array, ""], Bool[Array, ""]]:
    """Take `steps` steps on the device: the new state, minus the mean loss, and whether all parameters are numbers."""
    transformation = _transformation(recipe)

    def step(state: State, key: PRNGKeyArray):
        for_batch, for_loss = jax.random.split(key)
        batch = random_batch(corpus, window, recipe.batch, for_batch)

        def loss(net):
            losses = jax.vmap(net.loss)(batch, jax.random.split(for_loss, recipe.batch))
            return _counted_mean(losses, batch.counted)

        value, gradients = jax.value_and_grad(loss)(state.model)
        updates, optimiser = transformation.update(gradients, state.optimiser, cast(Any, state.model))
        net = cast(Any, optax.apply_updates(cast(Any, state.model), updates))
        return State(net, None, optimiser, None, state.step + 1), value

    state, values = jax.lax.scan(step, state, jax.random.split(key, steps))
    finite = jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(state.model)])
    return state, -jnp.mean(values), jnp.all(finite)


@eqx.filter_jit
def _cost(net: Net, corpus: Corpus, places: Places, window: Window, key: PRNGKeyArray) -> Float[Array, ""]:
    """The mean cost of every held-out frame, counted once; the same key gives the same noise, so costs compare."""

    def one_batch(now):
        place, k = now
        batch = jax.vmap(cut, in_axes=(None, None, 0))(corpus, window, place)
        costs = jax.vmap(net.cost)(batch, jax.random.split(k, place.first.shape[0]))
        return jnp.sum(jnp.where(batch.counted, costs, 0.0)), jnp.sum(batch.counted, dtype=costs.dtype)

    total, frames = jax.lax.map(one_batch, (places, jax.random.split(key, places.first.shape[0])))
    return jnp.sum(total) / jnp.sum(frames)


def _counted_mean(values: Float[Array, "batch time"], counted: Bool[Array, "batch time"]) -> Float[Array, ""]:
    return jnp.sum(jnp.where(counted, values, 0.0)) / jnp.maximum(jnp.sum(counted, dtype=values.dtype), 1)
