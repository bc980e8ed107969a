"""Whether a second layer is found where there is one: data drawn from known networks of two stochastic layers.

`python benchmarks/depth.py memory` has a few upper units that hardly ever change and decide which lower ones are on;
`coupling` has upper units that are drawn anew at every step, so that lower ones go together with little past to tell
which. Students of one and of two layers learn from a thousand sequences; printed are their bounds on new ones, in nats
a frame, and the squared errors of their one-step predictions, beside those of the network that drew the data.
"""

import argparse
from typing import NamedTuple, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from rich.console import Console

import tsbn
from tsbn.baselines import squared_errors
from tsbn.data import Sequences
from tsbn.inference.generation import generate
from tsbn.inference.particles import particle_filter
from tsbn.inference.piece import whole
from tsbn.learning.recipe import GradientName
from tsbn.model.architecture import Architecture
from tsbn.model.build import Model, build

TRAINING, HELD_OUT, FRAMES = 1000, 100, 60
PARTICLES = 64
OF_TEACHER = 2000
"""Particles that judge the network itself, which has no recognition model to propose good ones."""


class Kind(NamedTuple):
    """Sizes of the network, and how strongly its upper units keep their state."""

    visible: int
    hidden: int
    upper: int
    keep: float


KINDS = {"memory": Kind(12, 20, 4, 8.0), "coupling": Kind(30, 40, 5, 0.0)}


def teacher(kind: Kind, seed: int = 0) -> Model:
    """A network whose upper layer matters: arrows down are much stronger than those from the past."""
    architecture = Architecture(kind.visible, hidden=(kind.hidden, kind.upper), weights="shared")
    model = build(architecture, key=jax.random.key(seed))
    generator = np.random.default_rng(seed)

    def drawn(scale: float, weights) -> Float[Array, "1 target source"]:
        return jnp.asarray(scale * generator.standard_normal(weights.W.shape), jnp.float32)

    (lower, upper), (mean, spread) = model.network.layers, model.network.heads
    down = drawn(4.0, lower.W5)
    new = {
        lambda n: n.layers[0].W1.W: drawn(0.3, lower.W1),
        lambda n: n.layers[0].W3.W: drawn(0.1, lower.W3),
        lambda n: n.layers[0].W5.W: down,
        lambda n: n.layers[0].B: -down[0].sum(axis=1, keepdims=True) / 2,
        lambda n: n.layers[1].W1.W: kind.keep * jnp.eye(kind.upper)[None],
        lambda n: n.layers[1].W3.W: drawn(0.3, upper.W3),
        lambda n: n.layers[1].B: jnp.full_like(upper.B, -kind.keep / 2),
        lambda n: n.heads[0].W2.W: drawn(0.7, mean.W2),
        lambda n: n.heads[0].W4.W: drawn(0.05, mean.W4),
        lambda n: n.heads[1].C: jnp.full_like(spread.C, -0.5),
    }
    network = model.network
    for where, values in new.items():
        network = eqx.tree_at(where, network, values)
    return Model(network, model.recognition)


def drawn_from(model: Model, number: int, seed: int) -> Float[np.ndarray, "sequences time visible"]:
    """New sequences of a network."""
    keys = jax.random.split(jax.random.key(seed), number)
    one = jnp.ones((FRAMES, 1))
    return np.asarray(jax.jit(jax.vmap(lambda key: generate(model.network, one, key).v))(keys))


@eqx.filter_jit
def judged(model: Model, frames: Float[Array, "sequences time visible"]) -> tuple[Array, Array]:
    """Particle bound per frame and squared error of each sequence under the network that drew it."""

    def one(v):
        found = particle_filter(model, whole(v), jax.random.key(3), OF_TEACHER, "bootstrap")
        foretold = jnp.sum(jnp.exp(found.carried)[:, :, None] * found.outputs[0], axis=1)
        return jnp.mean(found.increments), jnp.mean(jnp.sum(jnp.square(v - foretold)[1:], axis=-1))

    return jax.lax.map(one, frames)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seeds", type=int, default=2, help="trainings of each student (default 2)")
    parser.add_argument("--steps", type=int, default=3000, help="steps of each training (default 3000)")
    parser.add_argument("--gradient", choices=get_args(GradientName), default="straight-through")
    options = parser.parse_args()
    kind, console = KINDS[options.kind], Console()
    known = teacher(kind)
    frames = drawn_from(known, TRAINING + HELD_OUT, seed=1)
    early, late = Sequences(list(frames[:TRAINING])), Sequences(list(frames[TRAINING:]))
    bounds, errors = judged(known, jnp.asarray(frames[TRAINING:]))
    console.print(f"the network itself: particle {bounds.mean():.2f}, error {errors.mean():.2f}")
    for hidden in ((kind.hidden,), (kind.hidden, kind.upper), (kind.hidden, kind.hidden)):
        for seed in range(options.seeds):
            student = tsbn.TSBN(
                hidden=hidden,
                gradient=options.gradient,
                steps=options.steps,
                batch=32,
                window=FRAMES,
                slips=0.0,
                warm_up=0.1,
            ).fit(early, seed=seed)
            found = student.log_likelihood(late, particles=PARTICLES)
            told = ", ".join(f"{name} {values.mean() / FRAMES:.2f}" for name, values in found._asdict().items())
            error = squared_errors(late, student.predict(late).mean, 1).mean()
            console.print(f"{hidden}, seed {seed}: {told}, error {error:.2f}", highlight=False)


if __name__ == "__main__":
    main()
