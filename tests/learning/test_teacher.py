"""Data drawn from a known model: one trained on them from scratch comes to explain new data as well as that model."""

import jax
import jax.numpy as jnp
import numpy as np

from cases import random_model
from tsbn.inference.generation import generate
from tsbn.inference.particles import particle_filter
from tsbn.inference.piece import whole
from tsbn.learning.corpus import Corpus, Window
from tsbn.learning.engine import begin, train
from tsbn.learning.recipe import recipe
from tsbn.model.architecture import Architecture
from tsbn.model.build import build

TIME, TRAINING, HELD_OUT = 40, 300, 60


@jax.jit
def sequences(network, sides, key):
    """One drawn sequence per row of `sides`."""
    keys = jax.random.split(key, sides.shape[0])
    return jax.vmap(lambda y, k: generate(network, jnp.broadcast_to(y, (TIME, 2)), k).v)(sides, keys)


@jax.jit
def bounds_per_frame(model, frames, sides, key):
    """Particle bound of each sequence, per frame; with 128 particles from the prior it is nearly tight here."""

    def one(v, y, k):
        return jnp.mean(particle_filter(model, whole(v, y[None]), k, 128, "bootstrap").increments)

    return jax.vmap(one)(frames, sides, jax.random.split(key, frames.shape[0]))


def test_a_student_reaches_its_teachers_likelihood(optimising):
    architecture = Architecture(visible=6, side=2, hidden=(3,), observation="bernoulli", weights="tensor", order=1)
    teacher = random_model(architecture, seed=1, scale=1.2)
    sides = jax.nn.one_hot(jnp.arange(TRAINING + HELD_OUT) % 2, 2)
    frames = sequences(teacher.network, sides, jax.random.key(0))
    ours, new = frames[:TRAINING], frames[TRAINING:]
    choices = recipe("default", steps=1500, batch=16, window=TIME, gradient="flips", rate=2e-2, warm_up=0.2, every=500)
    window = Window(TIME, 1)
    corpus = Corpus(
        frames=jnp.concatenate([ours.reshape(-1, 6), jnp.zeros((TIME + 1, 6))]),
        seen=None,
        side=sides[:TRAINING, None],
        starts=TIME * jnp.arange(TRAINING, dtype=jnp.int32),
        lengths=jnp.full(TRAINING, TIME, jnp.int32),
        odds=jnp.cumsum(jnp.full(TRAINING, 1 / TRAINING)),
    )
    start = build(architecture, key=jax.random.key(1))
    progress = train(begin(start, choices, jax.random.key(2)), corpus, None, choices, window, jax.random.key(3))

    def judged(model):
        return np.asarray(bounds_per_frame(model, new, sides[TRAINING:], jax.random.key(4)))

    known, learnt, untrained = judged(teacher), judged(progress.best), judged(start)
    share = np.asarray(ours, np.float64).mean((0, 1))
    on = np.asarray(new)
    unaware = np.mean(on * np.log(share) + (1 - on) * np.log(1 - share)) * 6
    loss = np.mean(known - learnt)
    error = np.std(known - learnt) / np.sqrt(HELD_OUT)
    print(
        f"\nper frame: teacher {known.mean():.3f}, student {learnt.mean():.3f} ({loss:.3f} ± {error:.3f} below), "
        f"independent frames {unaware:.3f}, untrained {untrained.mean():.3f}"
    )
    assert known.mean() - unaware > 0.3, "there is something to learn beyond how often each channel is on"
    assert loss < 0.05, "within 0.05 nats per frame of the model that drew the data"
    assert loss > -4 * error, "and not above it, which only a mistake could explain"
