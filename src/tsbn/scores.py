"""How good predictions are: squared errors, and scores of whole distributions.

`truth` is `[time, channels]`, NaN where nothing is known; samples come first, `[samples, time, channels]`. Scores per
entry are NaN where the truth is (average them with `np.nanmean`). CRPS and energy score need `scoringrules`
(`pip install 'tsbn[scores]'`); they are in the units of the data, lower is better, and their mean over many cases is
lowest for the true distribution.
"""

from typing import Any, NamedTuple

import numpy as np

from tsbn.data.extras import needs

Arrays = np.ndarray | list[np.ndarray] | tuple[np.ndarray, ...]


def squared_error(truth: Arrays, predicted: Arrays, *, skip: int = 1) -> float:
    """Squared error summed over channels and averaged over frames, of one sequence or a list of them.

    The first `skip` frames of each sequence do not count: nothing came before them to predict from. A missing entry
    counts as the average error of its channel.

    >>> squared_error(np.zeros((3, 2)), np.array([[9.0, 9.0], [1.0, 2.0], [1.0, 0.0]]))
    3.0
    """
    return float(np.sum(channel_errors(truth, predicted, skip=skip)))


def channel_errors(truth: Arrays, predicted: Arrays, *, skip: int = 1) -> np.ndarray:
    """Squared error of each channel, averaged over the frames where it is known: `[channels]`."""
    pairs = list(zip(*(_listed(x) for x in (truth, predicted)), strict=True))
    for i, (true, guess) in enumerate(pairs):
        _same_shape(true, guess, f"predicted[{i}]")
    squares = np.concatenate([np.square(true - guess)[skip:] for true, guess in pairs])
    known = ~np.isnan(np.concatenate([true[skip:] for true, _ in pairs]))
    if not known.any(axis=0).all():
        raise ValueError(f"truth has no values in channels {np.flatnonzero(~known.any(axis=0)).tolist()}")
    return np.where(known, squares, 0.0).sum(axis=0) / known.sum(axis=0)


def crps(truth: Any, samples: Any) -> np.ndarray:
    """Continuous ranked probability score of every entry, `[time, channels]`, from two or more samples.

    It estimates the score of the distribution behind the samples, whatever their number.

    >>> crps(np.array([[0.0]]), np.array([[[-1.0]], [[1.0]]])).tolist()
    [[0.0]]
    """
    truth, samples = _with_samples(truth, samples)
    with needs("scoringrules", "scores", "the CRPS"):
        import scoringrules
    return np.asarray(scoringrules.crps_ensemble(truth, samples, m_axis=0, estimator="pwm", backend="numpy"))


def crps_gaussian(truth: Any, mean: Any, std: Any) -> np.ndarray:
    """The same score of Gaussian predictions, `[time, channels]`.

    >>> crps_gaussian(np.array([[0.0]]), np.array([[0.0]]), np.array([[1.0]])).round(4).tolist()
    [[0.2337]]
    """
    truth, mean, std = (np.asarray(x, float) for x in (truth, mean, std))
    _same_shape(truth, mean, "mean")
    with needs("scoringrules", "scores", "the CRPS"):
        import scoringrules
    return np.asarray(scoringrules.crps_normal(truth, mean, std, backend="numpy"))


def energy_score(truth: Any, samples: Any) -> np.ndarray:
    """The CRPS of whole frames, `[time]`: it also sees how channels go together. Unknown channels are left out.

    >>> energy_score(np.zeros((1, 2)), np.array([[[3.0, 4.0]], [[3.0, 4.0]]])).tolist()
    [5.0]
    """
    truth, samples = _with_samples(truth, samples)
    with needs("scoringrules", "scores", "the energy score"):
        import scoringrules
    known = ~np.isnan(truth)
    frames, drawn = np.where(known, truth, 0.0), np.where(known, samples, 0.0)
    score = scoringrules.es_ensemble(frames, drawn, m_axis=0, v_axis=-1, estimator="fair", backend="numpy")
    return np.where(known.any(axis=-1), np.asarray(score), np.nan)


def coverage(truth: Any, low: Any, high: Any) -> float:
    """The share of the known entries that lie within their interval: that of good intervals is what they promise.

    >>> coverage(np.array([[0.0, 5.0, np.nan]]), -np.ones((1, 3)), np.ones((1, 3)))
    0.5
    """
    truth, low, high = (np.asarray(x, float) for x in (truth, low, high))
    _same_shape(truth, low, "low")
    _same_shape(truth, high, "high")
    known = ~np.isnan(truth)
    if not known.any():
        raise ValueError("truth has no values at all, expected at least one")
    return float(np.mean(((low <= truth) & (truth <= high))[known]))


def pinball(truth: Any, quantile: Any, level: float) -> np.ndarray:
    """Pinball loss of a predicted quantile, per entry: lowest on average for the true one.

    >>> pinball(np.array([[1.0, -1.0]]), np.zeros((1, 2)), 0.9).round(2).tolist()
    [[0.9, 0.1]]
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}, expected a number between 0 and 1")
    truth, quantile = np.asarray(truth, float), np.asarray(quantile, float)
    _same_shape(truth, quantile, "quantile")
    above = truth - quantile
    return np.maximum(level * above, (level - 1) * above)


def confusion(truth: Any, guess: Any, labels: int) -> np.ndarray:
    """How often each label (a row) was taken for each (a column): `[labels, labels]`. A truth of -1 is left out.

    >>> confusion([0, 0, 1, -1], [0, 1, 1, 0], 2).tolist()
    [[1, 1], [0, 1]]
    """
    truth, guess = np.asarray(truth), np.asarray(guess)
    _same_shape(truth, guess, "guess")
    known = truth >= 0
    return np.bincount(truth[known] * labels + guess[known], minlength=labels**2).reshape(labels, labels)


class Reliability(NamedTuple):
    """Cases by the probability of their most probable label, in equal steps from 0 to 1: `[bins]` each.

    `confidence` is the mean of those probabilities, `accuracy` the share that was right; NaN without any cases.
    """

    cases: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray


def reliability(probabilities: Any, truth: Any, *, bins: int = 10) -> Reliability:
    """How often the most probable label is right, by how probable it was said to be. A truth of -1 is left out.

    >>> reliability([[0.95, 0.05], [0.85, 0.15], [0.4, 0.6]], [0, 1, 1], bins=5).accuracy[2:].tolist()
    [1.0, nan, 0.5]
    """
    probabilities, truth = np.asarray(probabilities, float), np.asarray(truth)
    if probabilities.ndim != 2 or len(probabilities) != len(truth):
        raise ValueError(f"probabilities has shape {probabilities.shape}, expected [{len(truth)}, labels]")
    if not np.any(truth >= 0):
        raise ValueError("truth has no labels at all, expected at least one")
    probabilities, truth = probabilities[truth >= 0], truth[truth >= 0]
    said, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    # A probability on an edge belongs below it, as 1 belongs to the last bin.
    place = np.clip(np.ceil(said * bins).astype(int) - 1, 0, bins - 1)
    cases = np.bincount(place, minlength=bins)
    amounts = np.where(cases, cases, np.nan)
    return Reliability(
        cases,
        np.bincount(place, weights=said, minlength=bins) / amounts,
        np.bincount(place, weights=right, minlength=bins) / amounts,
    )


def expected_calibration_error(probabilities: Any, truth: Any, *, bins: int = 10) -> float:
    """How far what probabilities promise is from what comes true, on average over cases: 0 is perfectly calibrated.

    >>> round(expected_calibration_error([[0.9, 0.1], [0.9, 0.1]], [0, 1]), 3)
    0.4
    """
    found = reliability(probabilities, truth, bins=bins)
    return float(np.nansum(found.cases * np.abs(found.confidence - found.accuracy)) / found.cases.sum())


def _listed(arrays: Arrays) -> list[np.ndarray]:
    several = isinstance(arrays, list | tuple)
    return [np.asarray(array, float) for array in (arrays if several else [arrays])]


def _same_shape(truth: np.ndarray, other: np.ndarray, name: str) -> None:
    if truth.shape != other.shape:
        raise ValueError(f"{name} has shape {other.shape}, expected that of truth, {truth.shape}")


def _with_samples(truth: Any, samples: Any) -> tuple[np.ndarray, np.ndarray]:
    truth, samples = np.asarray(truth, float), np.asarray(samples, float)
    if samples.shape[1:] != truth.shape or len(samples) < 2:
        raise ValueError(
            f"samples has shape {samples.shape}, expected [two or more, {', '.join(map(str, truth.shape))}]"
        )
    return truth, samples
