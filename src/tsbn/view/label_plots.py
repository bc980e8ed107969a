"""Pictures of how well labels are recognised: which are taken for which, and how far probabilities can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from tsbn.scores import confusion, expected_calibration_error, reliability
from tsbn.view.colours import GRID, INK, css
from tsbn.view.plots import COLOURS, new_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def confusion_matrix(
    truth: Int[np.ndarray, " cases"], guess: Int[np.ndarray, " cases"], labels: Sequence[str | int]
) -> Figure:
    """How often each label (a row) is taken for each (a column): shares in shades, numbers in the cells.

    >>> figure = confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), ["walk", "run"])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1', '1', '0', '1']
    """
    counts = confusion(truth, guess, len(labels))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    size = 1.8 + 0.42 * len(labels)
    figure = new_figure(size + 0.6, size)
    axes = figure.subplots()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [str(label) for label in labels]
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    for row, column in np.ndindex(counts.shape):
        colour = "white" if shares[row, column] > 0.6 else css(INK)
        axes.text(column, row, f"{counts[row, column]}", ha="center", va="center", size=8, color=colour)
    right = np.trace(counts) / max(counts.sum(), 1)
    axes.set(xlabel="recognised as", ylabel="true label")
    axes.set_title(f"{right:.1%} of {counts.sum()} right", loc="left", size=10, color=css(INK))
    tidy(axes, grid=False)
    return figure


def reliability_plot(
    probabilities: Float[np.ndarray, "cases labels"], truth: Int[np.ndarray, " cases"], *, bins: int = 10
) -> Figure:
    """How often the most probable label is right, against how probable it was said to be; below, how many such cases.

    >>> len(reliability_plot(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 1])).axes)
    2
    """
    found = reliability(probabilities, truth, bins=bins)
    figure = new_figure(4.6, 4.8)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    upper.plot([0, 1], [0, 1], color=css(GRID), linewidth=1.2, label="as promised")
    kept = found.cases > 0
    upper.plot(found.confidence[kept], found.accuracy[kept], "o-", color=COLOURS[0], label="as it is")
    error = expected_calibration_error(probabilities, truth, bins=bins)
    upper.set_title(f"expected calibration error {error:.3f}", loc="left", size=10, color=css(INK))
    upper.set(ylim=(0, 1.02), ylabel="share right")
    upper.legend(frameon=False, fontsize=9)
    lower.bar((np.arange(bins) + 0.5) / bins, found.cases, 0.9 / bins, color=COLOURS[0])
    lower.set(xlim=(0, 1), xlabel="probability of the recognised label", ylabel="cases")
    for panel in (upper, lower):
        tidy(panel)
    return figure


def accuracy_by_fraction(found: Mapping[str, Mapping[float, float]]) -> Figure:
    """Accuracy in percent against the share of the data that has labels, a line a model.

    >>> len(accuracy_by_fraction({"FCTSBN": {0.25: 78.3, 0.5: 85.2}, "10-NN": {0.25: 73.2, 0.5: 84.5}}).axes[0].lines)
    2
    """
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    for k, (model, values) in enumerate(found.items()):
        axes.plot(list(values), list(values.values()), "o-", color=COLOURS[k % len(COLOURS)], label=model, markersize=4)
    axes.set(xlabel="share with labels", ylabel="recognised, %")
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    tidy(axes)
    return figure
