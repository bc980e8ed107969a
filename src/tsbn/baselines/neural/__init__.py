"""Other people's models of sequences, trained on the same windows: Boltzmann machines and recurrent networks."""

from tsbn.baselines.neural.fcrbm import FCRBM
from tsbn.baselines.neural.gru import GRU
from tsbn.baselines.neural.rtrbm import RTRBM, SpikeSlabRTRBM
from tsbn.baselines.neural.vrnn import VRNN

__all__ = ["FCRBM", "GRU", "RTRBM", "VRNN", "SpikeSlabRTRBM"]
