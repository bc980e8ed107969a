"""Splits into training and test parts: by sequence, by time, or each sequence left out in turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tsbn.data.sequences import Sequences


def split_by_sequence(sequences: Sequences, *fractions: float, seed: int | None = 0) -> tuple[Sequences, ...]:
    """Whole sequences dealt out at random into parts of the given fractions; each part keeps their order.

    ``seed=None`` deals in order instead: the first sequences to the first part.
    Every part has one sequence at least.

    >>> data = Sequences([np.zeros((3, 1))] * 10)
    >>> [len(part) for part in split_by_sequence(data, 0.8, 0.2)]
    [8, 2]
    """
    if not fractions or min(fractions) <= 0 or not np.isclose(sum(fractions), 1):
        raise ValueError(f"fractions are {fractions}: expected positive numbers that sum to 1")
    count = len(sequences)
    if len(fractions) > count:
        raise ValueError(f"cannot split {count} sequences into {len(fractions)} parts")
    # Each part is owed its share; one sequence each first, then the rest to whoever is furthest behind.
    sizes = np.ones(len(fractions), dtype=int)
    for _ in range(count - len(fractions)):
        sizes[np.argmax(np.array(fractions) * count - sizes)] += 1
    order = np.arange(count) if seed is None else np.random.default_rng(seed).permutation(count)
    return tuple(sequences[np.sort(part)] for part in np.split(order, np.cumsum(sizes)[:-1]))


def split_by_time(sequences: Sequences, *cuts: int | float, context: int = 0) -> tuple[Sequences, ...]:
    """Every sequence cut at frames (int; negative counts from the end) or fractions of its length (float).

    With ``context`` the later parts begin that many frames early, so that a model of that order can predict
    their first frame. `join_in_time` puts the parts together again.

    >>> years = Sequences([np.zeros((156, 17))] * 25)
    >>> train, test = split_by_time(years, 144)
    >>> train[0].shape, test[0].shape
    ((144, 17), (12, 17))
    """
    if context < 0:
        raise ValueError(f"context is {context}: expected 0 or more frames")
    edges = [[0, *(_frame(cut, length) for cut in cuts), length] for length in sequences.lengths.tolist()]
    for name, found in zip(sequences.names, edges, strict=True):
        if sorted(set(found)) != found:
            raise ValueError(f"cuts {cuts} leave sequence {name!r} of {found[-1]} frames with an empty part")
    return tuple(
        sequences.pieces(
            (i, slice(max(0, found[k] - (context if k else 0)), found[k + 1])) for i, found in enumerate(edges)
        )
        for k in range(len(cuts) + 1)
    )


def join_in_time(*parts: Sequences, context: int = 0) -> Sequences:
    """The inverse of `split_by_time`: sequence by sequence, the parts one after another.

    >>> data = Sequences([np.arange(6.0)[:, None]])
    >>> join_in_time(*split_by_time(data, 2, 4)) == data
    True
    """
    first = parts[0]
    if any(part.names != first.names for part in parts):
        raise ValueError("the parts hold different sequences: their names differ")
    # A part's context never reaches beyond the first frame of all.
    before, values, side = np.zeros(len(first), dtype=int), [[] for _ in first], [[] for _ in first]
    for part in parts:
        for i, array in enumerate(part):
            skip = min(context, before[i])
            values[i].append(array[skip:])
            if part.side is not None:
                side[i].append(part.side[i][skip:] if part.side[i].ndim == 2 else part.side[i])
            before[i] += len(array) - skip
    return first.replace(
        values=[np.concatenate(pieces) for pieces in values],
        side=None if first.side is None else [np.concatenate(s) if s[0].ndim == 2 else s[0] for s in side],
    )


def leave_one_out(sequences: Sequences) -> Iterator[tuple[Sequences, Sequences]]:
    """Pairs (all but one sequence, that one), for every sequence in turn.

    >>> data = Sequences([np.zeros((3, 1)), np.ones((4, 1))], names=["a", "b"])
    >>> [(rest.names, one.names) for rest, one in leave_one_out(data)]
    [(('b',), ('a',)), (('a',), ('b',))]
    """
    if len(sequences) < 2:
        raise ValueError(f"leave_one_out needs two sequences at least, got {len(sequences)}")
    every = np.arange(len(sequences))
    for i in every:
        yield sequences[every != i], sequences[every == i]


def _frame(cut: int | float, length: int) -> int:
    if isinstance(cut, (float, np.floating)):
        if not 0 < cut < 1:
            raise ValueError(f"cut {cut} is not between 0 and 1: give an int for a number of frames")
        return round(cut * length)
    return int(cut) if cut >= 0 else length + int(cut)
