"""A picture of a forecast: what was known, what is expected with its interval, and what came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from tsbn.view.colours import INK, QUIET, css
from tsbn.view.plots import COLOURS, Figure, new_figure, tidy


def forecast(
    before: Float[np.ndarray, "past channels"],
    mean: Float[np.ndarray, "horizon channels"],
    interval: tuple[Float[np.ndarray, "horizon channels"], Float[np.ndarray, "horizon channels"]],
    truth: Float[np.ndarray, "known channels"] | None = None,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.9,
    most: int = 6,
    title: str = "",
) -> Figure:
    """The known frames, the forecast with its interval of that `level`, and the truth as far as it is known.

    Of many channels, the `most` that vary most are shown.

    >>> waves = np.sin(np.arange(60)[:, None] / [5, 9])
    >>> figure = forecast(waves[:40], waves[40:], (waves[40:] - 0.2, waves[40:] + 0.2), waves[40:50])
    >>> len(figure.axes)
    2
    """
    low, high = interval
    for name, array in (("interval[0]", low), ("interval[1]", high)):
        if array.shape != mean.shape:
            raise ValueError(f"{name} has shape {array.shape}, expected that of mean, {mean.shape}")
    if before.shape[1] != mean.shape[1]:
        raise ValueError(f"before has {before.shape[1]} channels, the mean {mean.shape[1]}")
    names = [f"channel {n}" for n in range(mean.shape[1])] if names is None else names
    spread = np.nan_to_num(np.concatenate([before, mean])).std(axis=0)
    channels = sorted(np.argsort(-spread, kind="stable")[:most].tolist())
    figure = new_figure(7.2, 1.1 + 1.15 * len(channels))
    panels = figure.subplots(len(channels), 1, sharex=True, squeeze=False)[:, 0]
    start = len(before)
    ahead = np.arange(start, start + len(mean))
    for panel, channel in zip(panels, channels, strict=True):
        panel.axvline(start - 0.5, color=css(QUIET), linewidth=0.8)
        panel.fill_between(
            ahead,
            low[:, channel],
            high[:, channel],
            color=COLOURS[0],
            alpha=0.2,
            linewidth=0,
            label=f"{level:.0%} interval",
        )
        known = before if truth is None else np.concatenate([before, truth])
        panel.plot(np.arange(len(known)), known[:, channel], color=css(INK), linewidth=1.1, label="truth")
        panel.plot(ahead, mean[:, channel], color=COLOURS[1], linewidth=1.4, linestyle=(0, (4, 1.5)), label="forecast")
        panel.set_title(names[channel], loc="left", size=9, color=css(INK))
        tidy(panel)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3, frameon=False, fontsize=9)
    if title:
        figure.suptitle(title, x=0.01, ha="left", size=9.5, color=css(INK))
    panels[-1].set_xlabel("frame")
    return figure
