"""A linear transductive support vector machine, one style against the rest: the margin also avoids unlabelled cases.

    minimise  |w|^2 / 2 + C sum_labelled max(0, 1 - y f)^2 + C* sum_unlabelled exp(-3 f^2),   f(x) = w (x - m) + b

The last term is the smooth stand-in for the hinge of |f| of Chapelle and Zien (2005). As there, C* rises in steps to
its final value, and unlabelled cases (of mean m) keep the balance of the labelled ones, of which b is the mean y.
"""

from typing import Self

import numpy as np

from tsbn.data.extras import needs


class TransductiveSVM:
    """`fit` takes labelled and unlabelled cases; `predict` gives the style with the largest f.

    >>> noise = np.random.default_rng(0)
    >>> cases = np.concatenate([noise.normal(-2, 1, (50, 2)), noise.normal(2, 1, (50, 2))])
    >>> model = TransductiveSVM().fit(cases[[0, 99]], np.array([0, 1]), cases[1:99])
    >>> float(np.mean(model.predict(cases) == np.repeat([0, 1], 50)))
    1.0
    """

    def __init__(self, C: float = 0.01, unlabelled: float = 1.0, rounds: int = 6):
        """`unlabelled` is the weight of all unlabelled cases together, against that of all labelled ones."""
        self.C, self.unlabelled, self.rounds = C, unlabelled, rounds

    def fit(self, cases: np.ndarray, labels: np.ndarray, unlabelled: np.ndarray) -> Self:
        """Learn from labelled `[cases, channels]` with labels `[cases]`, and others `[unlabelled, channels]`."""
        if not len(unlabelled):
            raise ValueError("unlabelled is empty, expected cases without labels; without any take another classifier")
        labels = np.asarray(labels)
        self.styles_ = np.unique(labels)
        self.mean_ = unlabelled.mean(axis=0, dtype=float)
        signs = np.where(labels[:, None] == self.styles_, 1.0, -1.0)
        self.offsets_ = signs.mean(axis=0)
        self.weights_ = self._minimum(cases - self.mean_, signs, unlabelled - self.mean_)
        return self

    def predict(self, cases: np.ndarray) -> np.ndarray:
        """The label of each case, `[cases]`."""
        return self.styles_[np.argmax((cases - self.mean_) @ self.weights_ + self.offsets_, axis=1)]

    def _minimum(self, cases: np.ndarray, signs: np.ndarray, unlabelled: np.ndarray) -> np.ndarray:
        """Weights of all styles at once: their problems are separate, but one wide product is faster than many thin."""
        with needs("scipy", "data", "a transductive SVM"):
            from scipy.optimize import minimize
        shape = cases.shape[1], len(self.styles_)
        weights = np.zeros(shape)
        final = self.unlabelled * self.C * len(cases) / len(unlabelled)
        for weight in (0.0, *final * 2.0 ** np.arange(1 - self.rounds, 1)):

            def objective(flat, weight=weight):
                w = flat.reshape(shape)
                slack = np.maximum(0, 1 - signs * (cases @ w + self.offsets_))
                f = unlabelled @ w + self.offsets_
                crowd = np.exp(-3 * f**2)
                value = 0.5 * np.sum(w**2) + self.C * np.sum(slack**2) + weight * crowd.sum()
                slope = w - 2 * self.C * cases.T @ (signs * slack) - 6 * weight * unlabelled.T @ (crowd * f)
                return value, slope.ravel()

            weights = minimize(objective, weights.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
        return weights.reshape(shape)
