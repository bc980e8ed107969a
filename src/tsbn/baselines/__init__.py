"""Plain models that every result must be compared with, with the same verbs as the networks."""

from tsbn.baselines.autoregression import Autoregression
from tsbn.baselines.persistence import Persistence

__all__ = ["Autoregression", "Persistence"]
