"""What the neural baselines share with the networks: `fit`, `predict` and `sample`, on data in all their forms."""

import abc
import dataclasses
from typing import Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from tsbn.arguments import seed_number, whole_number
from tsbn.baselines.neural.learning import LossOfNet, cost_of_net
from tsbn.baselines.neural.net import Net
from tsbn.baselines.persistence import held
from tsbn.choices import Choices
from tsbn.data import Sequences
from tsbn.estimators.base import NotFittedError
from tsbn.estimators.dividing import divided
from tsbn.estimators.fitting import Job, carry_out
from tsbn.estimators.inputs import as_data, as_float32, check_channels, check_observations
from tsbn.estimators.results import Predictions
from tsbn.estimators.sampling import Sampler
from tsbn.estimators.training_data import TrainingData
from tsbn.estimators.whole_sequences import over_sequences
from tsbn.inference.piece import Piece
from tsbn.learning.engine import Progress
from tsbn.learning.recipe import Recipe


@dataclasses.dataclass(eq=False, kw_only=True)
class NeuralBaseline(Sampler):
    """A model trained by gradients. A missing value counts as the last known one of its channel.

    `steps` of Adam with the learning `rate` (cosine decay), each on `batch` windows of `window` frames; every `every`
    steps the model is looked at on held-out frames, and after `patience` looks without improvement (0: never) it ends.
    """

    takes_side: ClassVar[bool] = True

    steps: int = 3000
    batch: int = 16
    window: int = 100
    every: int = 100
    rate: float = 1e-3
    patience: int = 0
    balanced: bool = False

    @abc.abstractmethod
    def _demands(self) -> tuple[str, int]:
        """The kind of data (a name of an observation), and after how many frames there is one to learn."""

    @abc.abstractmethod
    def _net(self, data: TrainingData, key: PRNGKeyArray) -> Net:
        """The model before its first step."""

    def fit(
        self,
        sequences: Any,
        side: Any = None,
        *,
        validation: float | tuple[Any, Any] = 0.1,
        seed: int = 0,
        progress: bool | None = None,
    ) -> Self:
        """Learn from sequences; the arguments are those of the networks' `fit`. An interrupted fit keeps the best."""
        names = ("steps", "batch", "window", "every", "rate", "patience", "balanced")
        recipe = Recipe(warm_up=0.0, **{name: getattr(self, name) for name in names})
        observation, order = self._demands()
        data = divided(
            sequences,
            side,
            validation,
            seed_number(seed),
            model=type(self).__name__,
            observation=observation,
            order=order,
            takes_side=self.takes_side,
        )
        data = dataclasses.replace(data, arrays=[held(array).astype(np.float32) for array in data.arrays])
        build_key, *keys = jax.random.split(jax.random.key(seed), 3)
        net = self._net(data, build_key)
        window = data.window(recipe.window, net.lead)
        corpus = data.corpus(window, recipe.balanced)
        held_out = data.held_out(window, recipe.batch) if data.holds_out else None
        self.side_, self.n_features_in_ = data.encoder, data.arrays[0].shape[1]
        self.preparation_ = None
        job = Job(net, recipe, corpus, held_out, window, {}, LossOfNet(), cost_of_net)
        carry_out(job, (keys[0], keys[1]), self._learned, callbacks=(), progress=progress, checkpoint=None)
        return self

    def predict(self, sequences: Any, side: Any = None, *, samples: int = 40, seed: int = 0) -> Predictions:
        """Mean and standard deviation of every frame given the ones before it: lists of `[time, channels]`."""
        net, data = self._fitted(), self._checked(sequences, side)
        arrays = [held(array).astype(np.float32) for array in as_float32(data)]
        found = over_sequences(_predicted, net, arrays, self.side_.encode(data), whole_number("samples", samples), seed)
        trimmed = [[x[: len(array)] for x in one] for one, array in zip(found, arrays, strict=True)]
        return Predictions(*(list(values) for values in zip(*trimmed, strict=True)))

    @property
    def parameters_(self) -> int:
        """How many numbers were learnt."""
        return sum(leaf.size for leaf in jax.tree.leaves(self._fitted()))

    def _learned(self, progress: Progress) -> None:
        self.net_, self.history_ = progress.best, list(progress.history)

    def _fitted(self) -> Net:
        if not hasattr(self, "net_"):
            raise NotFittedError(f"this {type(self).__name__} has not been fitted yet; call fit first")
        return self.net_

    def _checked(self, sequences: Any, side: Any = None, name: str = "sequences") -> Sequences:
        self._fitted()
        data = as_data(sequences, side, self.side_.label_names, name)
        check_channels(data, self.n_features_in_, name)
        check_observations(data, self._demands()[0], name)
        return data

    def _drawn(self, y: np.ndarray, opening: Piece | None, length: int, num: int, seed: int, choices: Choices):
        keys = jax.random.split(jax.random.key(seed), num)
        return _generated(self._fitted(), jnp.asarray(y), opening, keys, length, choices)


def _predicted(net: Net, piece: Piece, key: PRNGKeyArray, samples: int):
    return net.predict(piece, key, samples)


@eqx.filter_jit
def _generated(net: Net, y, opening: Piece | None, keys, length: int, choices: Choices):
    rows = jnp.broadcast_to(y, (length, y.shape[1]))

    def one(key):
        for_opening, for_rest = jax.random.split(key)

        def step(memory, now):
            y_t, k = now
            return net.draw(memory, y_t, k, choices)

        return jax.lax.scan(step, net.recall(opening, for_opening), (rows, jax.random.split(for_rest, length)))[1]

    return jax.vmap(one)(keys)
