"""Other people's models of sequences, trained on the same windows: Boltzmann machines and recurrent networks."""

from tsbn.baselines.neural.fcrbm import FCRBM
from tsbn.baselines.neural.rtrbm import RTRBM, SpikeSlabRTRBM

__all__ = ["FCRBM", "RTRBM", "SpikeSlabRTRBM"]
