"""How new frames are drawn: the choices that every way of generating shares."""

import dataclasses
from typing import Any, Literal


@dataclasses.dataclass(frozen=True)
class Choices:
    """What is drawn and what is not, when a model makes frames.

    - `observation`: `"sample"` draws each frame from its distribution; `"mean"` takes the mean of that distribution,
      given the drawn hidden units: smoother, and later frames then feel means instead of draws. `"expected"` is
      smoother still, and the choice for motion: the units of the first layer enter the frame with their probabilities,
      so that it does not jump with every unit that switches. What is remembered of them stays drawn.
    - `temperature` divides the logits of the hidden units. 1 is the model itself; below 1 they are drawn closer to
      their most probable state, at 0 they take it; above 1 they are drawn more evenly. Rectified layers have no
      randomness to change.

    >>> Choices("mean", temperature=0.5)
    Choices(observation='mean', temperature=0.5)
    """

    observation: Literal["sample", "mean", "expected"] = "sample"
    temperature: float = 1.0

    def __post_init__(self):
        if self.observation not in ("sample", "mean", "expected"):
            raise ValueError(f"observation is {self.observation!r}, expected 'sample', 'mean' or 'expected'")
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature is {self.temperature!r}, expected a number of at least 0")


AS_THE_MODEL = Choices()


def checked(given: Any) -> Choices:
    """The choices, if they are that.

    >>> checked("mean")
    Traceback (most recent call last):
    TypeError: choices is 'mean', expected tsbn.Choices, such as tsbn.Choices("mean")
    """
    if isinstance(given, Choices):
        return given
    raise TypeError(f'choices is {given!r:.60}, expected tsbn.Choices, such as tsbn.Choices("mean")')
