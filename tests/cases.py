"""One list of small models that covers the whole family, with data that fit them: small enough to enumerate."""

import jax
import jax.numpy as jnp
import numpy as np

from tsbn.inference.piece import Piece, whole
from tsbn.model.architecture import Architecture
from tsbn.model.build import Model, build

PAPER = (("W2", "tensor"), ("W2'", "tensor"))

FAMILY = {
    "tsbn": Architecture(visible=2, hidden=(3,), weights="shared"),
    "tsbn of order 3": Architecture(visible=2, hidden=(2,), order=3, weights="shared"),
    "ctsbn": Architecture(visible=2, side=2, hidden=(2,), order=2, weights="tensor"),
    "fctsbn": Architecture(visible=2, side=2, hidden=(2,), order=2, factors=3, kinds=PAPER),
    "hidden Markov fctsbn": Architecture(
        visible=2, side=2, hidden=(2,), order=3, factors=2, kinds=PAPER, hidden_markov=True
    ),
    "binary tsbn": Architecture(visible=3, hidden=(2,), observation="bernoulli", weights="shared"),
    "binary hidden Markov ctsbn": Architecture(
        visible=2, side=2, hidden=(2,), observation="bernoulli", weights="tensor", hidden_markov=True
    ),
    "counts fctsbn": Architecture(visible=3, side=2, hidden=(2,), order=2, observation="counts", factors=2, total=5),
    "deep ctsbn": Architecture(visible=2, side=2, hidden=(2, 2), observation="bernoulli", weights="tensor"),
    "deep fctsbn": Architecture(visible=2, side=2, hidden=(2, 1), order=2, factors=2, kinds=PAPER),
    "three layers": Architecture(
        visible=2, side=2, hidden=(1, 2, 1), observation="bernoulli", factors=2, hidden_markov=True
    ),
    "deterministic middle layers": Architecture(
        visible=2, side=2, hidden=(3, 2, 2), order=2, weights="shared", deterministic=True
    ),
    "heavy tails, noise of the style alone": Architecture(
        visible=2,
        side=2,
        hidden=(2,),
        order=2,
        observation="student",
        factors=2,
        kinds=(("W2'", "none"), ("W4'", "none")),
    ),
    "recognition that sees the future": Architecture(visible=2, side=2, hidden=(2,), factors=2, future=3),
}


def random_model(architecture: Architecture, seed: int = 0, scale: float = 0.7) -> Model:
    """A model in which every number, biases included, is drawn anew: nothing is zero or small by construction."""
    leaves, structure = jax.tree.flatten(build(architecture, key=jax.random.key(0)))
    generator = np.random.default_rng(seed)
    drawn = [jnp.asarray(scale * generator.standard_normal(leaf.shape), leaf.dtype) for leaf in leaves]
    return jax.tree.unflatten(structure, drawn)


def random_frames(architecture: Architecture, time: int, seed: int = 0):
    """Frames of the right kind, `[time, visible]`."""
    generator = np.random.default_rng(seed + 1)
    shape = (time, architecture.visible)
    match architecture.observation:
        case "gaussian" | "student":
            frames = generator.standard_normal(shape)
        case "bernoulli":
            frames = generator.integers(0, 2, shape)
        case _:
            frames = generator.multinomial(architecture.total, np.ones(shape[1]) / shape[1], time)
    return jnp.asarray(frames, jnp.float32)


def random_side(architecture: Architecture, time: int, seed: int = 0):
    """Soft side information that changes at every step: `[time, side]`."""
    shares = np.random.default_rng(seed + 2).dirichlet(np.ones(architecture.side), time)
    return jnp.asarray(shares, jnp.float32)


def random_piece(architecture: Architecture, time: int, seed: int = 0, constant: bool = False) -> Piece:
    """A whole sequence with side information."""
    side = random_side(architecture, 1 if constant else time, seed)
    return whole(random_frames(architecture, time, seed), side)
