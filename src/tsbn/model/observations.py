"""What is seen at a step, given the network's outputs: real values, binary values, or counts.

Every kind answers the same questions: how many outputs (`heads`) it needs, the log-probability of a frame, its mean and
variance, and how to draw one, with `noise` that may be made long before the outputs are known. An entry that was not
observed (`seen` is False there) drops out of the log-probability; its value must be finite, so missing entries are
stored as zero.
"""

import abc
from typing import Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tsbn.model.bernoulli import softplus

ObservationName = Literal["gaussian", "student", "bernoulli", "counts"]
REAL: tuple[ObservationName, ...] = ("gaussian", "student")
"""Those of real values."""
Heads = tuple[Float[Array, "*time visible"], ...]
Frames = Float[Array, "*time visible"]
Seen = Bool[Array, "*time visible"] | None


class Observation(eqx.Module):
    """How the outputs of the network become a distribution over one frame."""

    @property
    @abc.abstractmethod
    def heads(self) -> int:
        """How many outputs of the network it needs."""

    @abc.abstractmethod
    def log_prob(self, v: Frames, heads: Heads, seen: Seen = None) -> Float[Array, "*time"]:
        """Log-probability of each frame, without terms that depend on the data alone (see `log_base`)."""

    @abc.abstractmethod
    def mean(self, heads: Heads) -> Frames: ...

    @abc.abstractmethod
    def variance(self, heads: Heads) -> Frames: ...

    @abc.abstractmethod
    def noise(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Array:
        """All the randomness that drawing frames of this shape needs, `[*time, visible]` or one key a frame."""

    @abc.abstractmethod
    def draw(self, heads: Heads, noise: Array) -> Frames:
        """The frames that this noise makes of the outputs."""

    def sample(self, heads: Heads, key: PRNGKeyArray) -> Frames:
        """Draw frames."""
        return self.draw(heads, self.noise(key, heads[0].shape))

    @abc.abstractmethod
    def first_biases(self, mean: Float[Array, "*any visible"], variance: Float[Array, "*any visible"]) -> Heads:
        """Outputs under which a frame has roughly this mean and variance: where training starts."""

    def log_base(self, v: Frames, seen: Seen = None) -> Float[Array, "*time"]:
        """The part of the true log-likelihood that no parameter changes; zero for most kinds."""
        return jnp.zeros(v.shape[:-1], v.dtype)

    @property
    def doubtful(self) -> "Observation":
        """The kind to ask whether frames are from this network at all: it does not rule out what lies far off."""
        return self

    def fill(self, v: Frames, heads: Heads, seen: Bool[Array, "*time visible"], key: PRNGKeyArray) -> Frames:
        """Draw the unseen entries from the model's own conditional."""
        return jnp.where(seen, v, self.sample(heads, key))


def _total(terms: Frames, seen: Seen) -> Float[Array, "*time"]:
    return jnp.sum(terms if seen is None else jnp.where(seen, terms, 0.0), axis=-1)


class Gaussian(Observation):
    """Real values, with a mean and a log-variance from the network.

    The log-variance is bounded by `limit * tanh(. / limit)`: smooth, close to the identity where data live, and the
    precision `exp(-log_variance)` cannot overflow.
    """

    limit: float = eqx.field(static=True, default=12.0)

    @property
    def heads(self):
        return 2

    def log_variance(self, heads):
        return self.limit * jnp.tanh(heads[1] / self.limit)

    def log_prob(self, v, heads, seen=None):
        log_variance = self.log_variance(heads)
        squares = jnp.square(v - heads[0]) * jnp.exp(-log_variance)
        return -0.5 * _total(squares + log_variance + jnp.log(2 * jnp.pi), seen)

    def mean(self, heads):
        return heads[0]

    def variance(self, heads):
        return jnp.exp(self.log_variance(heads))

    def noise(self, key, shape):
        return jax.random.normal(key, shape)

    def draw(self, heads, noise):
        return heads[0] + jnp.exp(0.5 * self.log_variance(heads)) * noise

    def first_biases(self, mean, variance):
        bounded = jnp.clip(jnp.log(jnp.maximum(variance, 1e-4)) / self.limit, -0.99, 0.99)
        return mean, self.limit * jnp.arctanh(bounded)

    @property
    def doubtful(self):
        return Student(self.limit)


class Student(Gaussian):
    """Student's t with 3 degrees of freedom, about the same mean and with the same scale.

    For data with jumps and glitches, and to ask a Gaussian model what it makes of stray values: under a normal
    distribution one value ten standard deviations off weighs as much as a hundred that are one off; here
    as much as twelve.
    """

    freedom: float = eqx.field(static=True, default=3.0)

    @property
    def doubtful(self):
        return self

    def log_prob(self, v, heads, seen=None):
        log_variance, n = self.log_variance(heads), self.freedom
        squares = jnp.square(v - heads[0]) * jnp.exp(-log_variance)
        base = 2 * (gammaln(n / 2) - gammaln((n + 1) / 2)) + jnp.log(n * jnp.pi)
        return -0.5 * _total((n + 1) * jnp.log1p(squares / n) + log_variance + base, seen)

    def variance(self, heads):
        return jnp.exp(self.log_variance(heads)) * self.freedom / (self.freedom - 2)

    def noise(self, key, shape):
        return jax.random.t(key, self.freedom, shape)

    def first_biases(self, mean, variance):
        return super().first_biases(mean, variance * (self.freedom - 2) / self.freedom)


class Bernoulli(Observation):
    """Binary values, with a logit from the network."""

    @property
    def heads(self):
        return 1

    def log_prob(self, v, heads, seen=None):
        return _total(v * heads[0] - softplus(heads[0]), seen)

    def mean(self, heads):
        return jax.nn.sigmoid(heads[0])

    def variance(self, heads):
        return jax.nn.sigmoid(heads[0]) * jax.nn.sigmoid(-heads[0])

    def noise(self, key, shape):
        return jax.random.logistic(key, shape)

    def draw(self, heads, noise):
        return (noise < heads[0]).astype(heads[0].dtype)

    def first_biases(self, mean, variance):
        kept = jnp.clip(mean, 0.005, 0.995)
        return (jnp.log(kept) - jnp.log1p(-kept),)


class Counts(Observation):
    """Counts over a vocabulary: a softmax raised to the counts, given the frame's total.

    Totals are not modelled. Given data bring their own; frames that are drawn have `total` counts. Where some entries
    are unseen, the seen ones are scored given their own total.
    """

    total: int = eqx.field(static=True, default=100)

    @property
    def heads(self):
        return 1

    def log_prob(self, v, heads, seen=None):
        logits = heads[0] if seen is None else jnp.where(seen, heads[0], -1e30)
        return _total(v * jax.nn.log_softmax(logits), seen)

    def mean(self, heads):
        return self.total * jax.nn.softmax(heads[0])

    def variance(self, heads):
        share = jax.nn.softmax(heads[0])
        return self.total * share * (1 - share)

    def noise(self, key, shape):
        return jax.random.split(key, shape[:-1])

    def draw(self, heads, noise):
        total = jnp.asarray(self.total, heads[0].dtype)
        one = jnp.vectorize(lambda k, share: jax.random.multinomial(k, total, share), signature="(),(v)->(v)")
        return one(noise, jax.nn.softmax(heads[0]))

    def first_biases(self, mean, variance):
        share = mean / jnp.maximum(jnp.sum(mean, axis=-1, keepdims=True), 1e-6)
        return (jnp.log(share + 1e-3 / share.shape[-1]),)

    def log_base(self, v, seen=None):
        whole = _total(v, seen)
        return gammaln(whole + 1) - _total(gammaln(v + 1), seen)

    def fill(self, v, heads, seen, key):
        """The unseen entries share what is left of `total`."""
        left = jnp.maximum(self.total - _total(v, seen), 0.0)
        share = jax.nn.softmax(jnp.where(seen, -1e30, heads[0]))
        return jnp.where(seen, v, jax.random.multinomial(key, left, share))


def new_observation(kind: str, total: int) -> Observation:
    """The observation of the named kind."""
    match kind:
        case "gaussian":
            return Gaussian()
        case "student":
            return Student()
        case "bernoulli":
            return Bernoulli()
        case "counts":
            return Counts(total)
    raise ValueError(f"observation is {kind!r}, expected one of {', '.join(map(repr, get_args(ObservationName)))}")
