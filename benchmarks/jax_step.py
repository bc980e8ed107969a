"""The library's own training, timed: whole compiled epochs as `fit` runs them, with NVIL and RMSprop."""

import time
from functools import cache

import jax
import numpy as np

from configurations import Configuration, draw_batch
from tsbn.data import Sequences
from tsbn.estimators.side import fit_side
from tsbn.estimators.training_data import TrainingData
from tsbn.learning.engine import begin, epoch
from tsbn.learning.recipe import recipe
from tsbn.model.architecture import Architecture
from tsbn.model.build import build

FRAMES_AT_ONCE = 60_000


def jax_frames_per_second(configuration: Configuration) -> float:
    """Frames per second of one epoch, after it has been compiled and has run once."""
    run, steps = compiled_epoch(configuration)
    started = time.perf_counter()
    jax.block_until_ready(run())
    return steps * configuration.frames / (time.perf_counter() - started)


@cache
def compiled_epoch(configuration: Configuration):
    """A function that trains one epoch, compiled and warmed up, and its number of steps."""
    frames, styles = draw_batch(configuration)
    data = Sequences(list(frames.swapaxes(0, 1)), [f"style {style}" for style in styles])
    factored = configuration.factors is not None
    encoder = fit_side(data if factored else data.replace(side=None, label_names=None))
    training = TrainingData(list(data.values), encoder.encode(data), encoder, [len(array) for array in data])
    architecture = Architecture(
        visible=configuration.visible,
        side=encoder.columns,
        hidden=(configuration.hidden,),
        order=configuration.order,
        weights="factored" if factored else "shared",
        kinds=(("W2", "tensor"), ("W2'", "tensor")) if factored else (),
        factors=configuration.factors or 1,
    )
    chosen = recipe("paper", batch=configuration.batch, window=configuration.time, rate=1e-4)
    window = training.window(chosen.window, configuration.order)
    corpus = training.corpus(window, balanced=False)
    model = build(architecture, key=jax.random.key(0), scales=chosen.scales)
    state = begin(model, chosen, jax.random.key(1)).state
    steps = int(np.ceil(FRAMES_AT_ONCE / configuration.frames))

    def run():
        return epoch(state, corpus, jax.random.key(2), chosen.estimator(), chosen, window, steps)

    jax.block_until_ready(run())
    return run, steps
