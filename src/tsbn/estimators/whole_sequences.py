"""Apply a function to whole sequences of any lengths, in padded batches of similar length."""

from collections.abc import Callable, Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tsbn.arguments import seed_number
from tsbn.inference.piece import Piece

FRAMES_AT_ONCE = 20_000


def over_sequences(
    function: Callable[..., Any],
    model: Any,
    arrays: list[np.ndarray],
    sides: list[np.ndarray],
    samples: int,
    seed: int,
    *others: list[np.ndarray],
) -> list[Any]:
    """Apply `function(model, piece, key, samples, *others)` to every sequence, in padded batches; results stay padded.

    `others` are lists of further arrays, one per sequence and of the same shape for all.

    Lengths are rounded up to a few sizes so that few programs are compiled, each of them once. Each sequence has a key
    of its own, so its result does not depend on the company it is in.
    """
    results: list[Any] = [None] * len(arrays)
    keys = jax.random.split(jax.random.key(seed_number(seed)), len(arrays))
    for members in _batches([len(array) for array in arrays]):
        time = _rounded(max(len(arrays[i]) for i in members))
        batch = _stacked([arrays[i] for i in members], [sides[i] for i in members], time)
        beside = [jnp.asarray(np.stack([other[i] for i in members])) for other in others]
        found = _on_batch(function, model, batch, keys[np.array(members)], samples, beside)
        found = jax.tree.map(np.asarray, found)
        for position, i in enumerate(members):
            results[i] = jax.tree.map(lambda x, position=position: x[position], found)
    return results


@eqx.filter_jit
def _on_batch(function, model, batch, keys, samples, beside):
    return jax.vmap(lambda piece, key, *others: function(model, piece, key, samples, *others))(batch, keys, *beside)


def _rounded(length: int) -> int:
    """The next of 8, 12, 16, 24, 32, 48, ..."""
    power = 8
    while power < length:
        if power * 3 // 2 >= length:
            return power * 3 // 2
        power *= 2
    return power


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Sequences of the same rounded length, as many at once as memory allows."""
    groups: dict[int, list[int]] = {}
    for i, length in enumerate(lengths):
        groups.setdefault(_rounded(length), []).append(i)
    for size, members in sorted(groups.items()):
        at_once = max(FRAMES_AT_ONCE // size, 1)
        for first in range(0, len(members), at_once):
            yield members[first : first + at_once]


def _stacked(arrays: list[np.ndarray], sides: list[np.ndarray], time: int) -> Piece:
    def padded(array, fill):
        return np.pad(array, ((0, time - len(array)), (0, 0)), constant_values=fill)

    v = np.stack([padded(array, 0.0) for array in arrays])
    seen = ~np.isnan(v)
    if any(len(side) > 1 for side in sides):
        sides = [
            padded(np.broadcast_to(side, (len(array), side.shape[1])), 0.0)
            for side, array in zip(sides, arrays, strict=True)
        ]
    valid = jnp.asarray(np.arange(time)[None] < np.array([len(array) for array in arrays])[:, None])
    return Piece(
        v=jnp.asarray(np.nan_to_num(v, nan=0.0)),
        y=jnp.asarray(np.stack(sides)),
        valid=valid,
        counted=valid,
        seen=None if seen.all() else jnp.asarray(seen),
    )
