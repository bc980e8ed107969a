"""The paper's tables and figures, made anew: our figures, the paper's, and plain baselines side by side.

`tsbn reproduce NAME` on the command line; `EXPERIMENTS` and `reproduce` from Python.
"""

from tsbn.reproduce.experiment import Experiment, Finding, Job
from tsbn.reproduce.experiments import EXPERIMENTS
from tsbn.reproduce.results import Row
from tsbn.reproduce.running import reproduce

__all__ = ["EXPERIMENTS", "Experiment", "Finding", "Job", "Row", "reproduce"]
