"""`teacher`: sequences drawn from a network whose weights are known (no download)."""

from __future__ import annotations

import numpy as np

from tsbn.data import Sequences
from tsbn.datasets.registry import DataSet, Parts

STRENGTH = 2.0


def teacher_model(visible: int = 6, hidden: int = 8, styles: int = 2, order: int = 1, seed: int = 0):
    """The network behind the data: an FCTSBN with weights strong enough to be worth learning.

    >>> teacher_model().network.heads[0].C.shape
    (6, 2)
    """
    import jax

    from tsbn.model.architecture import Architecture
    from tsbn.model.build import build
    from tsbn.model.weights import InitialScales

    architecture = Architecture(visible=visible, side=styles, hidden=(hidden,), order=order, factors=hidden)
    scales = InitialScales(factor=STRENGTH / np.sqrt(hidden), gain=0.5, gain_mean=1.0)
    model = build(architecture, key=jax.random.key(seed), scales=scales)

    def tamed(path, leaf):
        # Random feedback of full strength from past observations, or into the log-variance, would explode.
        name = jax.tree_util.keystr(path)
        return leaf * (0.2 if ".heads[1]" in name else 0.3 if ".W4" in name else 1.0)

    return jax.tree_util.tree_map_with_path(tamed, model)


def load(
    sequences: int = 20,
    frames: int = 100,
    test: int = 4,
    visible: int = 6,
    hidden: int = 8,
    styles: int = 2,
    order: int = 1,
    seed: int = 0,
) -> Parts:
    """Sequences of a known FCTSBN, styles in turn.

    - ``sequences`` to train on and ``test`` others, each of ``frames`` frames;
    - ``visible``, ``hidden``, ``styles``, ``order``: sizes of the network; ``seed`` fixes it and the draws.
    """
    if sequences < 1 or test < 0 or frames < 1:
        raise ValueError(f"sequences is {sequences}, test is {test}, frames is {frames}: expected one or more")
    import jax
    import jax.numpy as jnp

    from tsbn.inference.generation import generate

    model = teacher_model(visible, hidden, styles, order, seed)
    names = [f"style {1 + i % styles}" for i in range(sequences + test)]
    sides = jnp.repeat(jnp.eye(styles)[jnp.arange(sequences + test) % styles][:, None], frames, axis=1)
    keys = jax.random.split(jax.random.key(seed + 1), sequences + test)
    drawn = np.asarray(jax.jit(jax.vmap(lambda y, key: generate(model.network, y, key).v))(sides, keys))
    data = Sequences(list(drawn), names, label_names=[f"style {1 + s}" for s in range(styles)])
    return Parts(train=data[:sequences], test=data[sequences:] if test else None)


DATASET = DataSet(
    name="teacher",
    summary="sequences drawn from a known factored network in a few styles (no download)",
    home="built in",
    terms="Made by this library: free for all uses.",
    citation="",
    load=load,
)
