"""Pictures of motions and of what models do with them: videos, stills, a page that plays in 3-D, plots."""

from tsbn.view.forecasts import forecast
from tsbn.view.label_plots import accuracy_by_fraction, confusion_matrix, reliability_plot
from tsbn.view.page import page_text, write_page
from tsbn.view.plots import (
    hidden_activity,
    predictions,
    save,
    style_errors,
    style_path,
    training_curves,
)
from tsbn.view.stills import still_figure
from tsbn.view.takes import Take, take
from tsbn.view.video import render, write_video

__all__ = [
    "Take",
    "accuracy_by_fraction",
    "confusion_matrix",
    "forecast",
    "hidden_activity",
    "page_text",
    "predictions",
    "reliability_plot",
    "render",
    "save",
    "still_figure",
    "style_errors",
    "style_path",
    "take",
    "training_curves",
    "write_page",
    "write_video",
]
