"""Conditional generative models of sequences built from sigmoid belief networks.

>>> import tsbn
>>> model = tsbn.FCTSBN(hidden=(100,), factors=50, order=2)
"""

# ruff: noqa: E402  (the compiler's flags must be set before anything is compiled)
from importlib.metadata import version

from tsbn.compiler import avoid_wrong_fusions

avoid_wrong_fusions()

from tsbn import datasets, styles
from tsbn.choices import Choices
from tsbn.data import Sequences
from tsbn.datasets import load_motion
from tsbn.estimators import (
    CTSBN,
    FCTSBN,
    TSBN,
    Forecast,
    Inferred,
    LikelihoodBounds,
    NotFittedError,
    Predictions,
    SemiSupervised,
    SequenceModel,
    Stream,
    load,
)
from tsbn.files import FileFormatError
from tsbn.learning.engine import TrainingDiverged
from tsbn.learning.recipe import Recipe
from tsbn.model.architecture import Architecture
from tsbn.model.build import Model, build

__version__ = version("tsbn")
__all__ = [
    "CTSBN",
    "FCTSBN",
    "TSBN",
    "Architecture",
    "Choices",
    "FileFormatError",
    "Forecast",
    "Inferred",
    "LikelihoodBounds",
    "Model",
    "NotFittedError",
    "Predictions",
    "Recipe",
    "SemiSupervised",
    "SequenceModel",
    "Sequences",
    "Stream",
    "TrainingDiverged",
    "build",
    "datasets",
    "load",
    "load_motion",
    "styles",
]
