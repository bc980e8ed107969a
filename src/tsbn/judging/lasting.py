"""Whether a long generation stays what it was: does it freeze, grow or drift away?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tsbn.judging.movement import ratio, relative, speed, spread, stretches

Frames = Float[np.ndarray, "time channels"]

# A second in which the figure moves at less than this share of the real speed counts as standing still.
STILL = 0.25


@dataclass(frozen=True)
class Lasting:
    """A long generation in thirds.

    - `spread`, `speed`: of each third, relative to real motion of the same style;
    - `shift`: how far the mean pose of the last third is from that of the first, relative to the real spread;
    - `still`, `real_still`: share of seconds that move at less than a quarter of the mean real speed, here and in the
      real motion: who walks like a cat stops now and then.
    """

    frames: int
    spread: tuple[float, float, float]
    speed: tuple[float, float, float]
    shift: float
    still: float
    real_still: float


def lasting(frames: Frames, real: Sequence[Frames], second: int) -> Lasting:
    """Judge one long sequence against real ones of its style; `second` is the number of frames of a second.

    >>> wave = np.sin(np.arange(300.0) / 5)[:, None]
    >>> found = lasting(np.concatenate([wave[:200], wave[:1].repeat(100, axis=0)]), [wave], second=20)
    >>> found.speed[2], round(found.still, 2)
    (0.0, 0.29)
    """
    third = len(frames) // 3
    thirds = [frames[n * third : (n + 1) * third] for n in range(3)]
    # A third may be longer than all there is of the real motion: it is then seen in stretches as long as that.
    length = min(third, *map(len, real))
    compared = [piece for one in real for piece in stretches(one, length)]
    pieces = [stretches(one, length) for one in thirds]
    apart = np.sqrt(np.square(thirds[2].mean(axis=0) - thirds[0].mean(axis=0)).mean())
    usual = np.sqrt(np.mean([np.square(one.std(axis=0)).mean() for one in compared]))
    slow = STILL * float(np.mean([speed(one) for one in real]))
    return Lasting(
        len(frames),
        _three(relative(spread, one, compared) for one in pieces),
        _three(relative(speed, one, compared) for one in pieces),
        ratio(float(apart), float(usual)) if apart else 0.0,
        float(np.mean(_still(frames, second, slow))),
        float(np.mean([slow_one for one in real for slow_one in _still(one, second, slow)])),
    )


def _still(frames: Frames, second: int, slow: float) -> list[bool]:
    """Of seconds that begin at any frame: few recordings are long enough to count those in a row."""
    second = max(second, 2)
    seconds = [frames[n : n + second] for n in range(max(len(frames) - second, 0) + 1)]
    return [speed(one) < slow for one in seconds]


def _three(values) -> tuple[float, float, float]:
    first, second, third = values
    return first, second, third
