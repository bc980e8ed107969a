"""The configurations whose training speed is measured, and a batch of data for each."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Configuration:
    """Sizes of a one-layer model with Gaussian observations and of the batch one training step sees.

    `factors=None` is the plain TSBN (weights shared, one bias column); otherwise the FCTSBN, whose maps are
    factored but for W2, a tensor over styles. Frozen, so that it can key a cache of compiled steps.
    """

    name: str
    visible: int
    hidden: int
    factors: int | None
    styles: int
    order: int
    time: int
    batch: int

    @property
    def frames(self) -> int:
        """Frames one training step sees."""
        return self.time * self.batch


CONFIGURATIONS = (
    Configuration("A", visible=49, hidden=100, factors=50, styles=2, order=1, time=100, batch=1),
    Configuration("B", visible=49, hidden=100, factors=50, styles=2, order=1, time=100, batch=32),
    Configuration("C", visible=59, hidden=100, factors=50, styles=10, order=12, time=100, batch=32),
    Configuration("D", visible=17, hidden=100, factors=50, styles=25, order=6, time=12, batch=25),
    Configuration("tsbn-1", visible=49, hidden=100, factors=None, styles=1, order=1, time=100, batch=1),
    Configuration("tsbn-32", visible=49, hidden=100, factors=None, styles=1, order=1, time=100, batch=32),
)


def draw_batch(configuration: Configuration, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Smooth sequences of unit variance `[time, batch, visible]` and the style of each, `[batch]`.

    >>> frames, styles = draw_batch(CONFIGURATIONS[3])
    >>> frames.shape, styles.shape
    ((12, 25, 17), (25,))
    """
    random = np.random.default_rng(seed)
    shape = configuration.time, configuration.batch, configuration.visible
    noise = random.standard_normal(shape, dtype=np.float32)
    frames = np.empty_like(noise)
    frames[0] = noise[0]
    for t in range(1, configuration.time):
        frames[t] = 0.9 * frames[t - 1] + np.sqrt(1 - 0.9**2, dtype=np.float32) * noise[t]
    return frames, np.arange(configuration.batch) % configuration.styles
