"""The three estimators: one class of model each, by the kind of its weights."""

import dataclasses
from typing import ClassVar

from tsbn.estimators.base import SequenceModel
from tsbn.model.architecture import Kind, MapKind


@dataclasses.dataclass(eq=False, kw_only=True)
class TSBN(SequenceModel):
    """Temporal sigmoid belief network: no side information.

    >>> import numpy as np, tsbn
    >>> waves = [np.sin(np.arange(60) / 4 + start)[:, None] for start in range(5)]
    >>> model = tsbn.TSBN(hidden=(8,), steps=50).fit(waves)
    >>> model.sample(length=20, num=3).shape
    (3, 20, 1)
    """

    weights: ClassVar[Kind] = "shared"
    takes_side: ClassVar[bool] = False


@dataclasses.dataclass(eq=False, kw_only=True)
class CTSBN(SequenceModel):
    """Conditional TSBN: a weight matrix per style, mixed by the side information."""

    weights: ClassVar[Kind] = "tensor"


@dataclasses.dataclass(eq=False, kw_only=True)
class FCTSBN(SequenceModel):
    """Factored conditional TSBN: styles share `factors`, and each sets their gains.

    As in the paper, all maps are factored but W2 and W2', which stay tensors; `kinds` chooses otherwise.

    >>> import numpy as np, tsbn
    >>> slow = [np.sin(np.arange(60) / 6 + start)[:, None] for start in range(3)]
    >>> fast = [np.sin(np.arange(60) / 2 + start)[:, None] for start in range(3)]
    >>> model = tsbn.FCTSBN(hidden=(8,), factors=4, steps=50).fit(slow + fast, ["slow"] * 3 + ["fast"] * 3)
    >>> model.sample("fast", length=20).shape
    (20, 1)
    """

    weights: ClassVar[Kind] = "factored"
    default_kinds: ClassVar[dict[str, MapKind]] = {"W2": "tensor", "W2'": "tensor"}

    factors: int = 100
