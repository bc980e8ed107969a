"""`weather`: 17 climate variables a month from 1990 to 2002 at 25 places in North America."""

from __future__ import annotations

from typing import Literal

import numpy as np
from jaxtyping import Float

from tsbn.data.download import RemoteFile, fetch
from tsbn.data.files import from_csv
from tsbn.data.sequences import Sequences
from tsbn.data.splits import split_by_time
from tsbn.datasets.registry import DataSet, Parts

_FILE = RemoteFile(
    "weather/NA-1990-2002-Monthly.csv",
    "5feb85299b35308ce071130d34515fc11b06b32fbd9102d7b7c06d357f9fdf3e",
    (
        "https://viterbi-web.usc.edu/~liu32/data/NA-1990-2002-Monthly.csv",
        "http://www-bcf.usc.edu/~liu32/data/NA-1990-2002-Monthly.csv",
    ),
)
# All but UV, which has gaps.
_VARIABLES = (
    *("CO2", "CH4", "CO", "H2", "WET", "CLD", "VAP", "PRE", "FRS"),
    *("DTR", "TMN", "TMP", "TMX", "GLO", "ETR", "ETRN", "DIR"),
)
# South-west corners of grids of 5 x 5 places, 2.5 degrees of latitude and 7.5 of longitude apart:
# the widest that the 125 places hold, without gaps in the data.
_CORNERS = ((32.975, -117.25), (32.975, -114.75), (30.475, -114.75), (30.475, -112.25))
_STEPS = (2.5, 7.5)
_TRAINING_MONTHS = 12 * 12


def load(grid: int = 0, side: Literal["2d", "10d", "25d"] = "10d", context: int = 0) -> Parts:
    """25 places, ``[144, 17]`` for training (1990 to 2001) and ``[12, 17]`` for test (2002), a frame a month.

    - ``grid``: which of the four evenly spaced 5 x 5 grids (0 to 3);
    - ``side``: latitude and longitude as two numbers from -1 to 1 (``"2d"``), as two one-hot vectors of 5
      (``"10d"``), or one label for each place (``"25d"``);
    - ``context``: how many months before 2002 the test part begins, for a model of that order to predict
      January from.
    """
    if grid not in range(len(_CORNERS)):
        raise ValueError(f"grid is {grid!r}: expected 0 to {len(_CORNERS) - 1}")
    (path,) = fetch([_FILE])
    latitudes, longitudes = (start + step * np.arange(5) for start, step in zip(_CORNERS[grid], _STEPS, strict=True))
    names = [f"{latitude:g},{longitude:g}" for latitude in latitudes for longitude in longitudes]
    values, months = _places(path)
    data = Sequences(
        [values[months[name]] for name in names],
        names=names,
        channel_names=_VARIABLES,
        **_side(side, names, latitudes, longitudes),
    )
    train, test = split_by_time(data, _TRAINING_MONTHS, context=context)
    return Parts(train, test=test)


def _places(path) -> tuple[Float[np.ndarray, "rows 17"], dict[str, np.ndarray]]:
    """All rows, and for each place the rows of its months in order."""
    columns = ["YEAR", "MONTH", "LAT", "LONG", *_VARIABLES]
    table = np.asarray(from_csv(path, columns=columns)[0])
    places: dict[str, list[int]] = {}
    for row in np.lexsort((table[:, 1], table[:, 0])):
        places.setdefault(f"{table[row, 2]:g},{table[row, 3]:g}", []).append(row)
    return table[:, 4:], {name: np.array(rows) for name, rows in places.items()}


def _side(side: str, names: list[str], latitudes: np.ndarray, longitudes: np.ndarray) -> dict:
    if side == "25d":
        return {"side": names, "label_names": names}
    if side == "10d":
        rows = [np.concatenate([north, east]) for north in np.eye(5) for east in np.eye(5)]
        return {"side": rows, "label_names": [f"{degrees:g}" for degrees in (*latitudes, *longitudes)]}
    if side == "2d":
        ends = np.linspace(-1, 1, 5)
        rows = [np.array([north, east]) for north in ends for east in ends]
        return {"side": rows, "label_names": ["latitude", "longitude"]}
    raise ValueError(f"side is {side!r}: expected '2d', '10d' or '25d'")


DATASET = DataSet(
    name="weather",
    summary="17 climate variables, monthly 1990-2002, at 25 places; train to 2001, test 2002",
    home="https://viterbi-web.usc.edu/~liu32/data.html",
    terms="No licence stated: for your own use, never redistribute.",
    citation=(
        "Y. Liu, A. Niculescu-Mizil, A. Lozano, Y. Lu. "
        "Learning temporal causal graphs for relational time-series analysis. ICML 2010."
    ),
    load=load,
    files=(_FILE,),
    notes=(
        "The author's page has moved before. If the file is no longer there, "
        "put a copy into the folder TSBN_DATA names."
    ),
)
