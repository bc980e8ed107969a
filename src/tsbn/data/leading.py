"""Sequences with something before their first frame, for models that look further back than that."""

from __future__ import annotations

import numpy as np

from tsbn.arguments import whole_number
from tsbn.data.sequences import Sequences


def led_in(data: Sequences, frames: int) -> Sequences:
    """Sequences that stand still at their first frame for so many frames before they begin.

    To a model of order n all that lies before a sequence is zero. Where values are real that is a jump, and the first
    n frames are predicted from it. After a lead-in of n - 1 frames the second frame has a past without one; the lead-in
    and the first frame are then only there to predict from (`opening=n` does not learn them). Whatever is given to such
    a model is led in alike: what it is fitted to, what it predicts, and the frames that drawn sequences open with. Side
    information that changes on the way stays as it begins.

    >>> led_in(Sequences([np.array([[5.0], [6.0], [8.0]])]), 2)[0].ravel()
    array([5., 5., 5., 6., 8.])

    >>> import tsbn
    >>> data = Sequences([np.sin(np.arange(30) / 3)[:, None] + 2])
    >>> led = led_in(data, 1)
    >>> model = tsbn.TSBN(hidden=(4,), order=2, opening=2, steps=20).fit(led, validation=0)
    >>> model.predict(led).mean[0][1:].shape == data[0].shape
    True
    """
    if not isinstance(data, Sequences):
        raise TypeError(f"data is a {type(data).__name__}, expected Sequences: tsbn.Sequences(arrays)")
    frames = whole_number("frames", frames, least=0)
    return data.pieces((i, np.maximum(np.arange(-frames, length), 0)) for i, length in enumerate(data.lengths))
