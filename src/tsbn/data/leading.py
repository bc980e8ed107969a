"""Sequences with something before their first frame, for models that look further back than that."""

from __future__ import annotations

import numpy as np

from tsbn.arguments import whole_number
from tsbn.data.sequences import Sequences


def led_in(data: Sequences, frames: int) -> Sequences:
    """Sequences that stand still at their first frame for so many frames before they begin.

    To a model of order n all that lies before a sequence is zero. Where values are real that is a jump, and the first
    n frames are predicted from it. A lead-in of n - 1 frames takes the jump away; as these frames say nothing, they
    should neither be learnt (`opening=n`) nor judged. Side information that changes on the way stays as it begins.

    >>> led_in(Sequences([np.array([[5.0], [6.0], [8.0]])]), 2)[0].ravel()
    array([5., 5., 5., 6., 8.])
    """
    frames = whole_number("frames", frames, least=0)
    return data.pieces((i, np.maximum(np.arange(-frames, length), 0)) for i, length in enumerate(data.lengths))
