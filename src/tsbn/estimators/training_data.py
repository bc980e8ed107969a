"""Training data as the engine takes them: one corpus, each sequence with a part to learn from and a rest held out."""

import dataclasses
import hashlib
import numbers

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from tsbn.estimators.side import SideEncoder
from tsbn.learning.corpus import Corpus, Places, Window, repeated_last, rounded, tiles
from tsbn.model.build import Model


@dataclasses.dataclass(frozen=True)
class TrainingData:
    """Checked arrays `[time, channels]`, their side information `[1 or time, columns]`, and how it was encoded.

    The first `lengths[i]` frames of sequence i are learnt from, the rest is held out. A sequence that is held out whole
    has length 0.
    """

    arrays: list[np.ndarray]
    sides: list[np.ndarray]
    encoder: SideEncoder
    lengths: list[int]

    @property
    def holds_out(self) -> bool:
        return bool(self._held_out_ends())

    def window(self, size: int, order: int, opening: int = 0) -> Window:
        """Windows with a lead-in as long as the model's memory; whole sequences where they all fit."""
        for frames, part in ((self.lengths, "learn from"), (self._held_out_ends(), "hold out")):
            if opening >= max(frames, default=opening + 1):
                raise ValueError(
                    f"opening is {opening}, but the longest sequence to {part} ends after {max(frames)} frames: "
                    "none would be left"
                )
        longest = max(map(len, self.arrays))
        return Window(longest, 0, opening) if longest <= size else Window(size, order, opening)

    def corpus(self, window: Window, balanced: bool) -> Corpus:
        """All sequences end to end; `balanced` picks every style equally often, whatever its amount of data."""
        amount = sum(map(len, self.arrays))
        # A window cut anywhere, also a held-out one, stays inside the array.
        tail = rounded(amount + 2 * window.size + window.context) - amount
        frames = np.concatenate([*self.arrays, np.zeros((tail, self.arrays[0].shape[1]), np.float32)])
        seen = ~np.isnan(frames)
        frames[~seen] = 0.0
        if all(len(side) == 1 for side in self.sides):
            rows = repeated_last(np.stack(self.sides))
        else:
            rows = np.concatenate([*self._side_per_frame(), np.zeros((tail, self.sides[0].shape[1]), np.float32)])
        odds = np.array(self.lengths, float)
        if balanced:
            style = np.array([side.mean(axis=0).argmax() for side in self.sides])
            odds /= np.maximum(np.bincount(style, weights=odds), 1)[style]
        return Corpus(
            frames=jnp.asarray(frames),
            seen=None if seen.all() else jnp.asarray(seen),
            side=jnp.asarray(rows),
            starts=jnp.asarray(repeated_last(np.cumsum([0, *map(len, self.arrays[:-1])])), jnp.int32),
            lengths=jnp.asarray(repeated_last(np.array(self.lengths)), jnp.int32),
            odds=jnp.asarray(repeated_last(np.cumsum(odds / odds.sum())), jnp.float32),
        )

    def held_out(self, window: Window, batch: int) -> tuple[Places, Window]:
        """Windows that count every held-out frame once, each led in by up to a training window of what came before."""
        if all(np.isnan(array[length:]).all() for array, length in zip(self.arrays, self.lengths, strict=True)):
            raise ValueError(
                "validation: all frames to hold out are missing, so that they cannot choose the best parameters; "
                "give (sequences, side) of your own, another share, or 0"
            )
        ends = np.array([len(array) for array in self.arrays])
        size = min(window.size, int(np.max(ends - self.lengths)))
        return tiles(np.array(self.lengths), ends, size, batch), Window(size, window.size, window.opening)

    def _held_out_ends(self) -> list[int]:
        """Where the sequences end of which a part, or all, is held out."""
        return [len(array) for array, length in zip(self.arrays, self.lengths, strict=True) if length < len(array)]

    def digest(self) -> str:
        """A fingerprint, so that a checkpoint is not continued on other data."""
        content = hashlib.sha256(str(self.lengths).encode())
        for array in (*self.arrays, *self.sides):
            content.update(str(array.shape).encode())
            content.update(np.ascontiguousarray(array).tobytes())
        return content.hexdigest()[:16]

    def learnt_from(self) -> tuple[np.ndarray, np.ndarray]:
        """Frames and side information of the training part, end to end."""
        frames, side = map(np.concatenate, zip(*self.each_learnt_from(), strict=True))
        return frames, side

    def each_learnt_from(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Frames and side information of the training part of each sequence."""
        return [(v[:n], y[:n]) for v, y, n in zip(self.arrays, self._side_per_frame(), self.lengths, strict=True)]

    def _side_per_frame(self) -> list[np.ndarray]:
        return [
            np.broadcast_to(side, (len(array), side.shape[1]))
            for side, array in zip(self.sides, self.arrays, strict=True)
        ]


def training_lengths(lengths: list[int], held_out: float, order: int, seed: int) -> list[int]:
    """How much of each sequence to learn from: all but its end, or all or nothing where sequences are short.

    The end of every sequence keeps every style in both parts; it is used where each can spare at least one frame.
    """
    if not isinstance(held_out, numbers.Real) or not 0 <= held_out < 1:
        raise ValueError(f"validation is {held_out!r:.60}, expected a share from 0 to below 1, or (sequences, side)")
    if not held_out:
        return list(lengths)
    kept = [length - int(held_out * length) for length in lengths]
    if all(order < keep < length for keep, length in zip(kept, lengths, strict=True)):
        return kept
    if len(lengths) < 2:
        raise ValueError(
            f"validation is {held_out}, but the only sequence has {lengths[0]} frames, too few to hold any out; "
            "pass validation=0"
        )
    count = min(max(round(held_out * len(lengths)), 1), len(lengths) - 1)
    chosen = set(np.random.default_rng(seed).choice(len(lengths), count, replace=False).tolist())
    return [0 if i in chosen else length for i, length in enumerate(lengths)]


def with_first_biases(model: Model, data: TrainingData, constant: bool) -> Model:
    """Start the observation's biases at the mean and variance of each style's frames (at the common ones behind a
    constant column), so that hidden units need not learn them."""
    everything = [
        (frames, np.column_stack([np.ones(len(frames)), shares_of_styles(side, constant)]))
        for frames, side in data.each_learnt_from()
    ]
    means, variances = moments(everything)  # the first column is that of all frames alike
    told_of = np.sum([shares.sum(axis=0) for _, shares in everything], axis=0) > 1
    means, variances = (np.where(told_of[:, None], found, found[0])[1:] for found in (means, variances))
    biases = model.network.observation.first_biases(jnp.asarray(means), jnp.asarray(variances))
    if constant:
        biases = tuple(bias.at[:-1].set(0.0) for bias in biases)
    return eqx.tree_at(
        lambda m: [head.C for head in m.network.heads], model, [bias.T.astype(jnp.float32) for bias in biases]
    )


def shares_of_styles(side: np.ndarray, constant: bool) -> np.ndarray:
    """How much each frame tells of each side column, `[time, columns]`: of the constant one alone, if there is one."""
    if constant:
        return np.broadcast_to(np.eye(side.shape[1])[-1], side.shape)
    return np.maximum(side, 0)


def moments(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of every channel, over what was seen, under each column of shares: `[columns, channels]`.

    The parts, frames and their shares `[time, columns]`, are taken one by one: in double precision the frames of all
    sequences at once, and what is computed with them, would need ten times the memory of the data.
    """
    total, sums, squares = np.zeros((3, parts[0][1].shape[1], parts[0][0].shape[1]))
    for frames, shares in parts:
        total += shares.T.astype(float) @ ~np.isnan(frames)
        sums += shares.T @ np.nan_to_num(frames.astype(float))
    mean = sums / np.maximum(total, 1e-9)
    for frames, shares in parts:
        for column in np.flatnonzero(shares.any(axis=0)):
            squares[column] += shares[:, column] @ np.nan_to_num(np.square(frames - mean[column]))
    return mean, squares / np.maximum(total, 1e-9)
