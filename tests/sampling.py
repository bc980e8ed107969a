"""How far a sampled mean may lie from the truth: everything statistical in the tests goes through here."""

import numpy as np


def assert_mean(samples, expected, errors: float = 4.0, precision: float | None = None):
    """The mean over the first axis is `expected` within so many standard errors.

    With `precision`, the standard error itself must be that small: a test too noisy to fail proves nothing.
    """
    samples = np.asarray(samples, np.float64)
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    if precision is not None:
        assert np.max(error) < precision, f"standard error {np.max(error):.4f}, wanted {precision}"
    z = (samples.mean(axis=0) - np.asarray(expected)) / np.maximum(error, 1e-7)
    worst = np.max(np.abs(z))
    assert worst < errors, f"{worst:.1f} standard errors away: {samples.mean(axis=0)} for {expected}"


def assert_frequencies(codes, chances, largest: float = 4.5):
    """Codes `0..n-1` occur with the given chances: Pearson's statistic, as a normal score (Wilson-Hilferty)."""
    codes, chances = np.asarray(codes), np.asarray(chances)
    assert np.isclose(chances.sum(), 1)
    counts, expected = np.bincount(codes, minlength=len(chances)), len(codes) * chances
    rare = expected < 5  # pooled, so that the approximation holds
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 0
    statistic = np.sum((counts[kept] - expected[kept]) ** 2 / expected[kept])
    free = kept.sum() - 1
    score = ((statistic / free) ** (1 / 3) - (1 - 2 / (9 * free))) / np.sqrt(2 / (9 * free))
    assert score < largest, f"chi-square {statistic:.1f} with {free} degrees of freedom"
