"""Plots of training, prediction and styles; each function returns a figure, and `save` writes it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from statistics import NormalDist

import numpy as np
from jaxtyping import Float, Num, Shaped

from tsbn.atomic import new_file
from tsbn.data.extras import needs
from tsbn.styles import Path
from tsbn.view.colours import BODY, GRID, INK, QUIET, STYLE_COLOURS, css

with needs("matplotlib", "plot", "plotting"):
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = [css(colour) for colour in STYLE_COLOURS]
# Where a file format would note the time of writing: left out, so that the same figure is the same file.
TIMELESS = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}


def save(figure: Figure, path: str | os.PathLike, *, overwrite: bool = False) -> None:
    """Writes a figure as the ending of `path` says: png, pdf, svg, ...

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(style_path(np.eye(3)), FilePath(folder, "cat.svg"))
    ...     FilePath(folder, "cat.svg").read_text()[:5]
    '<?xml'
    """
    ending = FilePath(path).suffix.lower()
    known = figure.canvas.get_supported_filetypes()
    if ending.removeprefix(".") not in known:
        raise ValueError(
            f"{path} ends in {ending!r}, expected one of {', '.join(sorted('.' + kind for kind in known))}"
        )
    with new_file(path, overwrite=overwrite) as temporary:
        figure.savefig(temporary, metadata=TIMELESS.get(ending))


def training_curves(history: Sequence[Mapping[str, float]]) -> Figure:
    """The bound over the steps of training, and below it the divergence and the active units if they were watched.

    history: a fitted model's `history_`: rows with `step` and `bound`, with validation data also `validation`,
    `divergence` and `active`, with labels `held_out_bound` and `accuracy`.

    >>> training_curves([{"step": 100, "bound": -3.0}, {"step": 200, "bound": -2.0}]).axes[0].get_ylabel()
    'bound per frame'
    """
    if not history or not all("step" in row and "bound" in row for row in history):
        raise ValueError("history has no rows, or rows without 'step' and 'bound': expected a fitted model's history_")
    watched = [name for name in ("divergence", "active", "accuracy") if any(name in row for row in history)]
    heights = [2.2] + [1.0] * len(watched)
    figure = new_figure(7.2, 1.6 + sum(heights))
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    panels[0].plot(*_column(history, "bound"), color=COLOURS[0], label="training")
    # A model that also learns labels is chosen by these; the bound of what was held out is then a figure beside them.
    bound = "held_out_bound" if any("held_out_bound" in row for row in history) else "validation"
    steps, values = _column(history, bound)
    if steps:
        best = int(np.argmax(_column(history, "validation")[1]))
        panels[0].plot(steps, values, color=COLOURS[1], label="validation")
        told = f"best, {values[best]:.4g} at step {steps[best]:.0f}"
        panels[0].plot(steps[best], values[best], "o", color=COLOURS[1], markersize=6, label=told)
    figure.legend(loc="outside upper left", ncols=3, frameon=False, fontsize=9)
    names = {"divergence": "divergence", "active": "active units", "accuracy": "labels right"}
    for panel, name in zip(panels[1:], watched, strict=True):
        panel.plot(*_column(history, name), color=css(BODY))
        panel.set_ylabel(names[name])
    panels[0].set_ylabel("bound per frame")
    panels[-1].set_xlabel("step")
    for panel in panels:
        tidy(panel)
    return figure


def predictions(
    truth: Float[np.ndarray, "time channels"],
    mean: Float[np.ndarray, "time channels"],
    std: Float[np.ndarray, "time channels"] | None = None,
    *,
    channels: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    frame_rate: float | None = None,
    level: float = 0.9,
) -> Figure:
    """One-step predictions against the truth, with the interval that holds `level` of a normal with `std`.

    channels: which to show; by default the (at most) six that vary most.

    >>> waves = np.sin(np.arange(60)[:, None] / [5, 9])
    >>> len(predictions(waves, waves + 0.1, np.full_like(waves, 0.2), names=["knee", "hip"]).axes)
    2
    """
    truth, mean = np.asarray(truth), np.asarray(mean)
    for name, array in (("mean", mean), ("std", None if std is None else np.asarray(std))):
        if array is not None and array.shape != truth.shape:
            raise ValueError(f"{name} has shape {array.shape}, the truth {truth.shape}")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a share between 0 and 1")
    if channels is None:
        channels = sorted(np.argsort(-np.nanstd(truth, axis=0), kind="stable")[:6].tolist())
    names = [f"channel {n}" for n in range(truth.shape[1])] if names is None else names
    figure = new_figure(7.2, 0.9 + 1.15 * len(channels))
    panels = figure.subplots(len(channels), 1, sharex=True, squeeze=False)[:, 0]
    times = np.arange(len(truth)) / (frame_rate or 1)
    for panel, channel in zip(panels, channels, strict=True):
        if std is not None:
            half = NormalDist().inv_cdf(0.5 + level / 2) * np.asarray(std)[:, channel]
            low, high = mean[:, channel] - half, mean[:, channel] + half
            panel.fill_between(
                times, low, high, color=COLOURS[0], alpha=0.2, linewidth=0, label=f"{level:.0%} interval"
            )
        panel.plot(times, truth[:, channel], color=css(INK), linewidth=1.1, label="truth")
        panel.plot(times, mean[:, channel], color=COLOURS[1], linewidth=1.4, linestyle=(0, (4, 1.5)), label="predicted")
        panel.set_title(names[channel], loc="left", size=9, color=css(INK))
        tidy(panel)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3, frameon=False, fontsize=9)
    panels[-1].set_xlabel("seconds" if frame_rate else "frame")
    return figure


def hidden_activity(
    hidden: Shaped[np.ndarray, "time units"], *, frame_rate: float | None = None, ordered: bool = True
) -> Figure:
    """Which hidden units are on at which frame: states (0 or 1), or probabilities in shades.

    ordered: the units that are on most often come first, at the top.

    >>> hidden_activity(np.eye(5)).axes[0].get_ylabel()
    'hidden unit'
    """
    states = np.asarray(hidden, dtype=float)
    if states.ndim != 2 or not states.size:
        raise ValueError(f"hidden has shape {states.shape}, expected [time, units]")
    if not (np.isfinite(states).all() and states.min() >= 0 and states.max() <= 1):
        raise ValueError("hidden has values outside 0 to 1: expected states or probabilities")
    rates = states.mean(axis=0)
    order = np.argsort(-rates, kind="stable") if ordered else np.arange(states.shape[1])
    figure = new_figure(7.6, 3.8)
    raster, margin = figure.subplots(1, 2, width_ratios=(6, 1))
    end = len(states) / (frame_rate or 1)
    extent = (0, end, states.shape[1], 0)
    raster.imshow(states[:, order].T, cmap="Blues", vmin=0, vmax=1, aspect="auto", extent=extent, interpolation="none")
    raster.set_xlabel("seconds" if frame_rate else "frame")
    raster.set_ylabel("hidden unit" + (", the most active first" if ordered and states.shape[1] > 8 else ""))
    margin.barh(np.arange(len(order)) + 0.5, rates[order], height=1.0, color=COLOURS[0])
    margin.set(xlim=(0, 1), ylim=(states.shape[1], 0), yticks=[], xticks=[0, 1], xlabel="share on")
    for panel in (raster, margin):
        tidy(panel, grid=False)
    return figure


def style_path(
    styles: Path | Num[np.ndarray, "time styles"],
    labels: Sequence[str | int] | None = None,
    *,
    frame_rate: float | None = None,
) -> Figure:
    """The intensity of every style over time.

    >>> from tsbn.styles import parse
    >>> len(style_path(parse("normal:120 > drunk:200")).axes[0].lines)
    2
    """
    if isinstance(styles, Path):
        labels = styles.styles if labels is None else labels
        styles = styles.side(labels)
    shares = np.asarray(styles)
    if shares.ndim != 2 or (labels is not None and len(labels) != shares.shape[1]):
        expected = "styles" if labels is None else str(len(labels))
        raise ValueError(f"styles have shape {shares.shape}, expected [time, {expected}]")
    names = [str(label) for label in (range(shares.shape[1]) if labels is None else labels)]
    figure = new_figure(7.2, 2.6)
    axes = figure.subplots()
    times = np.arange(len(shares)) / (frame_rate or 1)
    seen = np.flatnonzero(shares.max(axis=0) > 0).tolist()
    for k, n in enumerate(seen):
        # Lines that lie on others, as the styles of a blend do, have gaps that show the ones below.
        below = sum(np.sum((shares[:, n] > 0) & (shares[:, n] == shares[:, m])) > 1 for m in seen[:k])
        dashes = ("solid", (0, (6, 4)), (0, (2, 4)))[min(below, 2)]
        colour = COLOURS[n % len(COLOURS)]
        axes.plot(times, shares[:, n], color=colour, linewidth=2.2, linestyle=dashes, label=names[n])
    axes.set(ylim=(-0.04, 1.08), xlim=(0, max(times[-1], 1e-9)), yticks=[0, 0.5, 1], ylabel="intensity")
    axes.set_xlabel("seconds" if frame_rate else "frame")
    figure.legend(loc="outside upper left", ncols=6, frameon=False, fontsize=9)
    tidy(axes)
    return figure


def style_errors(
    errors: Mapping[str, Mapping[str, float | Sequence[float]]], *, ylabel: str = "error per frame"
) -> Figure:
    """Bars of the error in each style, one group a style and one colour a model.

    errors: for every model and every style, one error or several (say, of several sequences or seeds); of several
    the bar is the mean, the line from one standard deviation below to one above, and the dots are all of them.

    >>> figure = style_errors({"FCTSBN": {"cat": [3.1, 2.9], "drunk": [4, 5]}, "persistence": {"cat": 9, "drunk": 8}})
    >>> [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    ['cat', 'drunk']
    """
    styles = list(dict.fromkeys(style for found in errors.values() for style in found))
    if not styles:
        raise ValueError("errors is empty: expected {model: {style: error or errors}}")
    figure = new_figure(max(4.5, 1.6 + 0.28 * len(styles) * (len(errors) + 1)), 3.2)
    axes = figure.subplots()
    width = 0.8 / len(errors)
    for n, (model, found) in enumerate(errors.items()):
        places = [k + width * (n - (len(errors) - 1) / 2) for k, style in enumerate(styles) if style in found]
        values = [np.atleast_1d(np.asarray(found[style], dtype=float)) for style in styles if style in found]
        axes.bar(places, [v.mean() for v in values], 0.9 * width, color=COLOURS[n % len(COLOURS)], label=model)
        for place, several in zip(places, values, strict=True):
            if len(several) > 1:
                axes.errorbar(place, several.mean(), several.std(ddof=1), color=css(INK), linewidth=1.2, capsize=2)
                spread = place + 0.25 * width * np.linspace(-1, 1, len(several))
                axes.plot(spread, several, ".", color=css(INK), markersize=3, alpha=0.6)
    slanted = {"rotation": 30, "ha": "right"} if len(styles) > 6 else {}
    axes.set_xticks(range(len(styles)), styles, **slanted)
    axes.set_xlim(-0.6, len(styles) - 0.4)
    axes.set_ylabel(ylabel)
    if len(errors) > 1:
        figure.legend(loc="outside upper left", ncols=6, frameon=False, fontsize=9)
    tidy(axes)
    axes.grid(visible=False, axis="x")
    return figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches."""
    # Made without pyplot: no window, no list of open figures, no state that outlives the figure.
    return Figure(figsize=(width, height), dpi=150, layout="constrained")


def tidy(axes: Axes, grid: bool = True) -> None:
    """Quiet frames and letters, as all plots here have them."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(css(GRID))
    axes.tick_params(color=css(GRID), labelcolor=css(QUIET), labelsize=8.5)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=css(INK), size=9.5)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(color=css(GRID), linewidth=0.6, alpha=0.6)


def _column(history: Sequence[Mapping[str, float]], name: str) -> tuple[list[float], list[float]]:
    rows = [row for row in history if name in row]
    return [row["step"] for row in rows], [row[name] for row in rows]
