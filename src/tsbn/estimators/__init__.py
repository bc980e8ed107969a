"""What most users touch: TSBN, CTSBN, FCTSBN, SemiSupervised."""

import os

from tsbn.estimators.base import NotFittedError, SequenceModel
from tsbn.estimators.making import Stream
from tsbn.estimators.models import CTSBN, FCTSBN, TSBN
from tsbn.estimators.results import Forecast, Inferred, LikelihoodBounds, Predictions
from tsbn.estimators.semi import SECTION, SemiSupervised
from tsbn.estimators.storage import load_model

__all__ = [
    "CTSBN",
    "FCTSBN",
    "TSBN",
    "Forecast",
    "Inferred",
    "LikelihoodBounds",
    "NotFittedError",
    "Predictions",
    "SemiSupervised",
    "SequenceModel",
    "Stream",
    "load",
]


def load(path: str | os.PathLike) -> SequenceModel | SemiSupervised:
    """Read a model file that `save` wrote. Such files hold numbers and text only; nothing in them is executed."""
    model, labels = load_model(path, {"TSBN": TSBN, "CTSBN": CTSBN, "FCTSBN": FCTSBN}, SECTION)
    return model if labels is None else SemiSupervised.restored(model, labels, path)
