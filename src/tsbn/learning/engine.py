"""The training engine: whole epochs in one compiled call, validation, early stopping, and exact continuation."""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tsbn.inference.terms import batch_terms
from tsbn.learning.corpus import Corpus, Places, Window, cut, random_batch
from tsbn.learning.gradients.estimator import GradientEstimator
from tsbn.learning.recipe import Recipe
from tsbn.model.build import Model


class TrainingDiverged(ArithmeticError):
    """The bound or a parameter became infinite or not a number; `model` holds the best parameters before."""

    def __init__(self, message: str, model: eqx.Module):
        super().__init__(message)
        self.model = model


class State(NamedTuple):
    """All that changes from step to step."""

    model: Any
    """A `Model`, or what else the estimator trains."""
    baseline: Any
    optimiser: Any
    statistics: Any
    step: Int[Array, ""]


class Progress(NamedTuple):
    """A run between two epochs: everything that is needed to go on as if it had never stopped."""

    state: State
    best: Any
    best_bound: float
    stale: int
    """Validations since the best one."""
    history: tuple[dict[str, float], ...]


def begin(model: eqx.Module, recipe: Recipe, key: PRNGKeyArray, estimator: GradientEstimator | None = None) -> Progress:
    """A run that has not taken a step yet, with the recipe's gradient estimator unless another is given."""
    return Progress(_first_state(model, recipe, key, estimator or recipe.estimator()), model, -float("inf"), 0, ())


@eqx.filter_jit
def _first_state(model: eqx.Module, recipe: Recipe, key: PRNGKeyArray, estimator: GradientEstimator) -> State:
    baseline, statistics = estimator.start(model, key)
    optimiser: Any = recipe.transformation().init(cast(Any, (model, baseline)))
    return State(model, baseline, optimiser, statistics, jnp.zeros((), jnp.int32))


@eqx.filter_jit
def epoch(
    state: State,
    corpus: Corpus,
    key: PRNGKeyArray,
    estimator: GradientEstimator,
    recipe: Recipe,
    window: Window,
    steps: int,
) -> tuple[State, Float[Array, ""]]:
    """Take `steps` steps on the device; gives the mean bound per frame on the way."""
    transformation = recipe.transformation()

    def step(state: State, key: PRNGKeyArray):
        for_batch, for_paths = jax.random.split(key)
        batch = random_batch(corpus, window, recipe.batch, for_batch, recipe.even)

        def loss(trained):
            model, baseline = trained
            warmth = recipe.warmth(state.step)
            result = estimator.surrogate(model, baseline, state.statistics, batch, for_paths, warmth, recipe.slips)
            return result.loss, result

        trained: Any = (state.model, state.baseline)
        gradients, result = jax.grad(loss, has_aux=True)(trained)
        updates, optimiser = transformation.update(gradients, state.optimiser, trained)
        model, baseline = cast(Any, optax.apply_updates(trained, updates))
        return State(model, baseline, optimiser, result.statistics, state.step + 1), result.bound

    state, bounds = jax.lax.scan(step, state, jax.random.split(key, steps))
    return state, jnp.mean(bounds)


class Check(NamedTuple):
    """A look at the model on held-out (or, without any, on training) windows."""

    validation: Float[Array, ""]
    """ELBO per frame; the best model is the one where it is highest."""
    divergence: Float[Array, ""]
    """log q(h) - log p(h) per frame: how much the hidden units carry."""
    active: Float[Array, ""]
    """Hidden units that are neither always on nor always off."""


@eqx.filter_jit
def check(model: Model, corpus: Corpus, places: Places, window: Window, key: PRNGKeyArray) -> Check:
    """Count every held-out frame once; the same key gives the same noise, so checks compare."""

    def one_batch(now):
        place, k = now
        batch = jax.vmap(cut, in_axes=(None, None, 0))(corpus, window, place)
        found = batch_terms(model, batch, k)
        base = model.network.observation.log_base(batch.v, batch.seen)[None]
        counted = batch.counted[None]
        carried = sum(found.posterior) - sum(found.prior)
        on = [jnp.sum(jnp.where(counted[..., None], h, 0.0), axis=(0, 1, 2)) for h in found.hs]
        return (
            jnp.sum(jnp.where(counted, found.bound + base, 0.0)),
            jnp.sum(jnp.where(counted, carried, 0.0)),
            jnp.concatenate(on),
            jnp.sum(batch.counted, dtype=found.bound.dtype),
        )

    keys = jax.random.split(key, places.first.shape[0])
    bound, divergence, on, frames = jax.tree.map(lambda x: jnp.sum(x, axis=0), jax.lax.map(one_batch, (places, keys)))
    rate = on / frames
    return Check(bound / frames, divergence / frames, jnp.sum((rate > 0.01) & (rate < 0.99)))


Watch = Callable[..., Any]
"""Looks at a model as `check` does; gives a named tuple of figures, of which `validation` picks the best model."""


class Report(NamedTuple):
    """What callbacks get after every epoch."""

    progress: Progress
    row: dict[str, float]
    """The newest row of the history."""


Callback = Callable[[Report], bool | None]
"""Called after every epoch; returning True ends the training."""


def train(
    progress: Progress,
    corpus: Corpus,
    held_out: tuple[Places, Window] | None,
    recipe: Recipe,
    window: Window,
    key: PRNGKeyArray,
    callbacks: Iterable[Callback] = (),
    estimator: GradientEstimator | None = None,
    watch: Watch = check,
) -> Progress:
    """Train to the end of the recipe, or until early stopping or a callback ends it.

    `estimator` takes the place of the recipe's, and `watch` says what is looked at on the held-out windows.

    The key of each epoch depends only on `key` and the step it starts from, so a run continued from a saved `progress`
    takes the same steps, bit for bit, as one that was never interrupted.
    """
    estimator = estimator or recipe.estimator()
    callbacks = tuple(callbacks)
    check_key, epoch_key = jax.random.split(key)
    while (done := int(progress.state.step)) < recipe.steps:
        if recipe.patience and progress.stale >= recipe.patience:
            break
        started = time.perf_counter()
        steps = min(recipe.every, recipe.steps - done)
        state, bound = epoch(
            progress.state, corpus, jax.random.fold_in(epoch_key, done), estimator, recipe, window, steps
        )
        row = {"step": done + steps, "bound": float(bound)}
        if held_out is not None:
            found = watch(state.model, corpus, *held_out, check_key)
            row |= {name: float(value) for name, value in found._asdict().items()}
        row["seconds"] = time.perf_counter() - started
        if not (np.isfinite(row["bound"]) and all_finite(state.model)):
            raise TrainingDiverged(
                f"training became unstable: after step {done + steps} the bound is {row['bound']:.4g}. The model keeps "
                f"its best parameters up to step {done}. {remedy(recipe)}",
                progress.best,
            )
        # A model may run away on held-out frames (rectified units feed on themselves) while it learns well: it is not
        # the best one then, and the next may be.
        watched = row.get("validation", row["bound"])
        if not np.isfinite(watched):
            watched = row["validation"] = -float("inf")
        progress = _judged(progress, state, row, watched, recipe)
        answers = [callback(Report(progress, row)) for callback in callbacks]
        if any(answers):
            break
    if progress.history and progress.best_bound == -float("inf"):
        raise TrainingDiverged(
            f"in {int(progress.state.step)} steps the bound on held-out frames was never a number. The model keeps the "
            f"parameters it began with. {remedy(recipe)}",
            progress.best,
        )
    return progress


def remedy(recipe: Recipe) -> str:
    """What may help where a training became unstable."""
    return f"A smaller learning rate (it is {recipe.rate:g}) or scaled data may help."


@eqx.filter_jit
def all_finite(model: eqx.Module) -> Bool[Array, ""]:
    """Whether every parameter is a number; the bound of a step cannot tell what its update did."""
    return jnp.all(
        jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(eqx.filter(model, eqx.is_array))])
    )


def _judged(progress: Progress, state: State, row: dict, watched: float, recipe: Recipe) -> Progress:
    """Note whether this is the best model so far; without validation data the last one is."""
    history = (*progress.history, row)
    if "validation" not in row or watched > progress.best_bound:
        return Progress(state, state.model, watched, 0, history)
    warm = row["step"] >= recipe.warm_up * recipe.steps
    return Progress(state, progress.best, progress.best_bound, progress.stale + warm, history)
