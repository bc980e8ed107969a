"""Plain models that every result must be compared with, with the same verbs as the networks."""

from tsbn.baselines.autoregression import Autoregression
from tsbn.baselines.comparison import one_step_errors, one_step_predictions, plain_models, squared_errors
from tsbn.baselines.last_year import LastYear
from tsbn.baselines.neural import FCRBM, GRU, RTRBM, VRNN, SpikeSlabRTRBM
from tsbn.baselines.persistence import Persistence
from tsbn.baselines.transductive_svm import TransductiveSVM

__all__ = [
    "FCRBM",
    "GRU",
    "RTRBM",
    "VRNN",
    "Autoregression",
    "LastYear",
    "Persistence",
    "SpikeSlabRTRBM",
    "TransductiveSVM",
    "one_step_errors",
    "one_step_predictions",
    "plain_models",
    "squared_errors",
]
