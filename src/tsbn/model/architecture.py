"""The sizes and choices that define a model: all that is needed, beside the numbers, to build it again."""

import dataclasses
from typing import Literal, get_args

from tsbn.model.observations import ObservationName

Kind = Literal["shared", "tensor", "factored"]
MapKind = Kind | Literal["none"]
GENERATIVE_MAPS = ("W1", "W2", "W2'", "W3", "W4", "W4'", "W5")
RECOGNITION_MAPS = ("U1", "U2", "U3", "U4")
NOISE_MAPS = ("W2'", "W4'")
"""Those into the log-variance; without them ("none") the noise of a frame depends on the side information alone."""


def kinds_of(letter: str) -> tuple[MapKind, ...]:
    """The kinds that a map can be of, by the paper's letter."""
    return (*get_args(Kind), *(("none",) if letter in NOISE_MAPS else ()))


@dataclasses.dataclass(frozen=True)
class Architecture:
    """What a model is made of.

    - `visible`: channels of a frame; `side`: columns of the side information (1 where there is none).
    - `hidden`: sizes of the hidden layers, from the one next to the data upwards.
    - `order`: how many past steps feed the present.
    - `weights`: kind of every weight map; `kinds` overrides it by the paper's letters, e.g. `(("W2", "tensor"),)`;
      `"none"` leaves W2' or W4' out.
    - `hidden_markov`: no arrows from past observations (W3 of the first layer, W4).
    - `deterministic`: all layers but the top one are rectified units without noise (DTSBN-D).
    - `future`: units of a backward pass that lets the recognition model see what comes later; 0 for the paper's.
    - `constant`: the last side column is always 1 (real-valued side information).
    - `total`: for counts, how many make up a drawn frame.
    """

    visible: int
    side: int = 1
    hidden: tuple[int, ...] = (100,)
    order: int = 1
    observation: ObservationName = "gaussian"
    weights: Kind = "factored"
    kinds: tuple[tuple[str, MapKind], ...] = ()
    factors: int = 100
    hidden_markov: bool = False
    deterministic: bool = False
    future: int = 0
    constant: bool = False
    total: int = 100

    def __post_init__(self):
        sizes = {"visible": self.visible, "side": self.side, "order": self.order, "factors": self.factors}
        for name, size in sizes.items():
            if not isinstance(size, int) or size < 1:
                raise ValueError(f"{name} is {size!r}, expected a whole number of at least 1")
        if not self.hidden or any(not isinstance(size, int) or size < 1 for size in self.hidden):
            raise ValueError(f"hidden is {self.hidden!r}, expected one positive size per layer, e.g. (100,)")
        if self.deterministic and len(self.hidden) == 1:
            raise ValueError("deterministic middle layers need at least two layers, hidden has 1")
        known = GENERATIVE_MAPS + RECOGNITION_MAPS
        for letter, kind in self.kinds:
            if letter not in known:
                raise ValueError(f"kinds names the map {letter!r}, expected one of {', '.join(known)}")
            if kind not in kinds_of(letter):
                raise ValueError(f"kinds[{letter!r}] is {kind!r}, expected one of {', '.join(kinds_of(letter))}")

    def kind(self, letter: str) -> MapKind:
        """The kind of weights of one map, by the paper's letter."""
        return dict(self.kinds).get(letter, self.weights)

    def rectified(self, layer: int) -> bool:
        """Whether a layer (0 is next to the data) is deterministic."""
        return self.deterministic and layer < len(self.hidden) - 1
