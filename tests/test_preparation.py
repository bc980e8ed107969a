"""A model's preparation: what it remembers of the data, and that it travels inside the model's file."""

import numpy as np
import pytest

import tsbn
from tsbn import datasets
from tsbn.data import Sequences
from tsbn.preparation import Preparation, follow
from tsbn.styles import parse


@pytest.fixture
def walks():
    return datasets.load("walker", styles=["normal", "cat"], frames=40)


def fitted(train: Sequences, preparation: Preparation) -> tsbn.SequenceModel:
    model = tsbn.FCTSBN(hidden=(4,), factors=2, steps=2, every=1, batch=2, window=10)
    model.fit(preparation.transform(train), validation=0)
    model.preparation_ = preparation
    return model


def test_a_model_file_makes_motions_alone(walks, tmp_path, optimising):
    preparation = Preparation.fit(walks.train, walks.figure)
    fitted(walks.train, preparation).save(tmp_path / "walk.tsbn")
    model = tsbn.load(tmp_path / "walk.tsbn")
    known = model.preparation_
    assert known is not None
    motion = known.motion(follow(model, parse("normal:20 >5> cat:10")))
    assert motion.frames == 30
    assert motion.frame_rate == 30
    assert motion.skeleton.names == walks.figure.skeleton.names
    np.testing.assert_array_equal(motion.skeleton.offsets, walks.figure.skeleton.offsets)
    np.testing.assert_array_equal(known.openings["cat"], preparation.openings["cat"])
    assert known.channel_names == walks.train.channel_names


def test_a_saved_preparation_prepares_alike(walks):
    preparation = Preparation.fit(walks.train, walks.figure, source={"data": "walker"})
    again = Preparation.unpack(*preparation.pack())
    assert again.transform(walks.test) == preparation.transform(walks.test)
    assert again.source == {"data": "walker"}


def test_what_was_prepared_is_restored(walks):
    preparation = Preparation.fit(walks.train)
    scaled = preparation.transform(walks.train)
    np.testing.assert_allclose(preparation.restore(scaled[0]), walks.train[0], atol=1e-12)


def test_a_file_without_preparation_still_loads(walks, tmp_path, optimising):
    preparation = Preparation.fit(walks.train)
    model = fitted(walks.train, preparation)
    model.preparation_ = None
    model.save(tmp_path / "plain.tsbn")
    assert tsbn.load(tmp_path / "plain.tsbn").preparation_ is None


def test_a_new_fit_forgets_the_preparation_of_other_data(walks, optimising):
    preparation = Preparation.fit(walks.train)
    model = fitted(walks.train, preparation)
    model.fit(preparation.transform(walks.train), validation=0)
    assert model.preparation_ is None


def test_the_opening_of_a_style_comes_from_its_middle():
    still = np.zeros((10, 1))
    data = Sequences([np.vstack([still, np.arange(1.0, 11.0)[:, None], still])], side=["walk"])
    opening = Preparation.fit(data, scale=False, opening=4).openings["walk"]
    np.testing.assert_array_equal(opening.ravel(), [4, 5, 6, 7])


def test_openings_keep_to_the_frames_of_their_label():
    data = Sequences([np.arange(8.0)[:, None]], side=[["a"] * 5 + ["b"] * 3])
    openings = Preparation.fit(data, scale=False, opening=3).openings
    assert openings["a"].ravel().tolist() == [1, 2, 3]
    assert openings["b"].ravel().tolist() == [5, 6, 7]


def test_channels_of_other_data_are_refused_by_name(walks):
    preparation = Preparation.fit(walks.train)
    names = ["forwards", *walks.train.channel_names[1:]]
    with pytest.raises(ValueError, match="channel 'forwards' where the model was trained on 'forward'"):
        preparation.transform(walks.train.replace(channel_names=names))
    with pytest.raises(ValueError, match="1 channels, the model was trained on 69"):
        preparation.transform(Sequences([np.zeros((3, 1))]))


def test_another_frame_rate_is_refused():
    data = Sequences([np.random.default_rng(0).normal(size=(20, 2))], frame_rate=30)
    preparation = Preparation.fit(data)
    assert preparation.transform(data.replace(frame_rate=29.97)).frame_rate == 29.97
    assert preparation.transform(data.replace(frame_rate=None)).frame_rate is None
    with pytest.raises(ValueError, match="the data have 60 frames a second, the model was trained on 30"):
        preparation.transform(data.replace(frame_rate=60))


def test_a_model_of_no_motions_makes_none():
    with pytest.raises(ValueError, match="no motions"):
        Preparation.fit(Sequences([np.arange(9.0)[:, None]])).motion(np.zeros((3, 1)))
