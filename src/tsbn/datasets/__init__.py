"""Data sets by name: `load` one, list their `names`, or ask `about` the home and terms of one."""

from __future__ import annotations

from typing import Any

from tsbn.data.nearest import nearest
from tsbn.datasets import balls, books, mit, mocap2, mocap10, music, sotu, teacher, walkers, weather
from tsbn.datasets.figures import Figure
from tsbn.datasets.folders import load_motion
from tsbn.datasets.registry import DataSet, Parts, load_options

# A new data set is one file that makes a DataSet, and its name here.
_DATASETS = {
    dataset.name: dataset
    for dataset in (
        mocap2.DATASET,
        mocap10.DATASET,
        weather.DATASET,
        books.DATASET,
        music.JSB,
        music.NOTTINGHAM,
        music.PIANO,
        music.MUSE,
        mit.DATASET,
        sotu.DATASET,
        walkers.DATASET,
        balls.DATASET,
        teacher.DATASET,
    )
}


def names() -> list[str]:
    """The names of all data sets.

    >>> "jsb" in names()
    True
    """
    return list(_DATASETS)


def about(name: str) -> DataSet:
    """What is known of a data set: home, terms, citation, files, options.

    >>> about("weather").files[0].path
    'weather/NA-1990-2002-Monthly.csv'
    """
    if name not in _DATASETS:
        raise ValueError(f"there is no data set {name!r}: {nearest(name, names())}")
    return _DATASETS[name]


def load(name: str, **options: Any) -> Parts:
    """A data set, ready for a model: `Parts` with `train` and, where they exist, `valid`, `test` and more.

    The options are those of the data set's own ``load``. What has to be fetched is fetched once; with the
    environment variable ``TSBN_DATA`` set, files are read from the folder it names.

    >>> load("balls", sequences=3, test=1, frames=10, size=8).train[0].shape
    (10, 64)
    """
    return load_options(about(name), options)


__all__ = ["DataSet", "Figure", "Parts", "about", "load", "load_motion", "names"]
