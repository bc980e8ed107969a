"""`mit`: walking captured at MIT, 49 dimensions, scaled by its authors."""

from __future__ import annotations

from tsbn.data.download import RemoteFile, fetch
from tsbn.data.sequences import Sequences
from tsbn.datasets.matlab import cells, read_mat
from tsbn.datasets.registry import DataSet, Parts

_FILE = RemoteFile(
    "mit/mit_mocap.mat",
    "d91828a48afe679eee20215b7657a0f54258654d3a2c9d6e943fec41dc7a0ddf",
    (
        "https://raw.githubusercontent.com/zhegan27/TSBN_code_NIPS2015/"
        "5e3cb6d0ad5fe45e0d1078bc687d4be83fc21a12/mocap/mit_data/mit_mocap.mat",
    ),
)


def load() -> Parts:
    """35 training sequences of 100 frames and 4 test sequences, ``[time, 49]``."""
    (path,) = fetch([_FILE])
    train, test = read_mat(path, "train_data", "test_data")
    return Parts(Sequences(cells(train)), test=Sequences(cells(test)))


DATASET = DataSet(
    name="mit",
    summary="walking captured at MIT, 49 scaled dimensions: 35 training sequences, 4 test",
    home="https://github.com/zhegan27/TSBN_code_NIPS2015",
    terms="No licence stated for the data; distributed by their authors for research.",
    citation=(
        "G. W. Taylor, G. E. Hinton, S. T. Roweis. Modeling human motion using binary latent variables. "
        "NIPS 2006. As preprocessed for: Z. Gan, C. Li, R. Henao, D. Carlson, L. Carin. "
        "Deep temporal sigmoid belief networks for sequence modeling. NIPS 2015."
    ),
    load=load,
    files=(_FILE,),
)
