"""Hypothesis strategies for `Sequences` of every kind."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tsbn.data import Sequences

numbers = st.floats(-1e6, 1e6, allow_subnormal=False) | st.just(float("nan"))


@st.composite
def any_sequences(draw, max_sequences=5, max_frames=12, max_channels=3, min_frames=1):
    channels = draw(st.integers(1, max_channels))
    lengths = draw(st.lists(st.integers(min_frames, max_frames), min_size=1, max_size=max_sequences))
    values = [draw(hnp.arrays(np.float64, (length, channels), elements=numbers)) for length in lengths]
    return Sequences(
        values,
        side=draw(any_side(lengths)),
        names=[f"s{i}" for i in range(len(lengths))],
        frame_rate=draw(st.none() | st.sampled_from([1.0, 30.0, 120.0])),
    )


def any_side(lengths):
    label = st.none() | st.sampled_from(["calm", "brisk", "weary"])
    number = st.floats(-5, 5, allow_subnormal=False)
    per_sequence = st.tuples(*(label for _ in lengths)).map(list)
    per_frame = st.tuples(*(st.lists(label, min_size=n, max_size=n) for n in lengths)).map(list)
    vectors = st.tuples(*(hnp.arrays(np.float64, 2, elements=number) for _ in lengths)).map(list)
    frames = st.tuples(*(hnp.arrays(np.float64, (n, 2), elements=number) for n in lengths)).map(list)
    return st.none() | per_sequence | per_frame | vectors | frames
