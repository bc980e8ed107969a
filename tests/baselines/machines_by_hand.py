"""Small Boltzmann machines in float64 NumPy: their energy as it is defined, summed over all hidden states."""

import itertools

import numpy as np
from scipy.special import logsumexp


class ByHand:
    """One frame of a machine: all hidden states `[2^hidden, hidden]`, Gaussian integrals in closed form."""

    def __init__(self, machine, frame: int):
        take = lambda x: np.asarray(x, np.float64)  # noqa: E731
        self.a, self.b = take(machine.visible_bias)[frame], take(machine.hidden_bias)[frame]
        gain = take(machine.gain)[frame if len(machine.gain) > 1 else 0]
        self.weights = take(machine.left) * gain
        if machine.right is not None:
            self.weights = self.weights @ take(machine.right).T
        self.precision = np.exp(-2 * take(machine.log_std))
        self.slab = None if machine.slab is None else (take(machine.slab.mean), take(machine.slab.precision))
        self.states = np.array(list(itertools.product([0.0, 1.0], repeat=len(self.b))))

    def energy(self, v, h, s):
        """As it is defined; without slabs `s` is one."""
        found = 0.5 * np.sum((v - self.a) ** 2 * self.precision) - self.b @ h
        found -= ((v * self.precision) @ self.weights) @ (s * h)
        if self.slab is not None:
            mu, alpha = self.slab
            found += 0.5 * np.sum(alpha * (s**2 - 2 * mu * s * h + mu**2 * h))
        return found

    def log_weights(self, v):
        """log of the integral over s of exp(-E(v, h, s)) for every h, the integrals by the trapezoidal rule."""
        if self.slab is None:
            return np.array([-self.energy(v, h, np.ones_like(h)) for h in self.states])
        grid = np.linspace(-60, 60, 40001)
        still = np.zeros(len(self.b))
        found = []
        for h in self.states:
            total = -self.energy(v, h, still)
            for j in range(len(h)):
                # The energy is a sum over slabs: each is integrated by itself.
                along = np.array([self._slab_energy(v, h, j, grid)])
                total += np.log(np.trapezoid(np.exp(-along), grid)).item()
            found.append(total)
        return np.array(found)

    def _slab_energy(self, v, h, j, grid):
        mu, alpha = self.slab
        x = ((v * self.precision) @ self.weights)[j]
        return -x * grid * h[j] + 0.5 * alpha[j] * (grid**2 - 2 * mu[j] * grid * h[j])

    def gaussians(self):
        """p(v) as a mixture, one component per h: log-weights (not normalised), means and covariances."""
        P = np.diag(self.precision)
        parts = []
        for h in self.states:
            on = P @ self.weights[:, h == 1]
            precision, linear = P.copy(), self.precision * self.a
            if self.slab is None:
                linear = linear + on.sum(axis=1)
            else:
                mu, alpha = (part[h == 1] for part in self.slab)
                precision = P - (on / alpha) @ on.T
                linear = linear + on @ mu
            covariance = np.linalg.inv(precision)
            size = 0.5 * linear @ covariance @ linear + 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
            parts.append(
                (self.b @ h + size - 0.5 * np.sum(self.a**2 * self.precision), covariance @ linear, covariance)
            )
        return tuple(np.array(column) for column in zip(*parts, strict=True))

    def log_prob(self, v):
        """log p(v), normalised."""
        log_weights, means, covariances = self.gaussians()
        log_weights = log_weights - logsumexp(log_weights)
        off = v - means
        squares = np.einsum("hi,hij,hj->h", off, np.linalg.inv(covariances), off)
        return logsumexp(log_weights - 0.5 * squares - 0.5 * np.linalg.slogdet(2 * np.pi * covariances)[1])

    def moments(self):
        """Mean and covariance of p(v)."""
        log_weights, means, covariances = self.gaussians()
        share = np.exp(log_weights - logsumexp(log_weights))
        mean = share @ means
        off = means - mean
        return mean, np.einsum("h,hij->ij", share, covariances) + np.einsum("h,hi,hj->ij", share, off, off)
