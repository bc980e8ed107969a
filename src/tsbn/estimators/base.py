"""What the estimators share: scikit-learn's conventions over the functional core."""

import dataclasses
import os
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np

from tsbn.arguments import seed_number, whole_number
from tsbn.data import Sequences
from tsbn.estimators.dividing import divided
from tsbn.estimators.fitting import Job, all_callable, carry_out, check_checkpoint
from tsbn.estimators.inputs import as_data, as_float32, check_channels, check_observations
from tsbn.estimators.making import Maker
from tsbn.estimators.results import Inferred, LikelihoodBounds, Predictions
from tsbn.estimators.settings import architecture_of
from tsbn.estimators.side import SideEncoder
from tsbn.estimators.starting import first_model
from tsbn.estimators.storage import save_model
from tsbn.estimators.training_data import TrainingData
from tsbn.estimators.whole_sequences import over_sequences
from tsbn.inference.bounds import bounds, elbo
from tsbn.inference.posterior import draw, probabilities
from tsbn.inference.prediction import predict
from tsbn.learning.checkpoint import describe_run
from tsbn.learning.engine import Callback
from tsbn.learning.recipe import GradientName, Objective, Recipe
from tsbn.learning.recipe import recipe as make_recipe
from tsbn.model.architecture import Architecture, Kind, MapKind
from tsbn.model.build import Model
from tsbn.model.observations import ObservationName
from tsbn.preparation import Preparation


class NotFittedError(ValueError, AttributeError):
    """The model was asked for something before `fit`."""


@dataclasses.dataclass(eq=False, kw_only=True)
class SequenceModel(Maker):
    """A generative model of sequences. Use one of `TSBN`, `CTSBN`, `FCTSBN`.

    Architecture: `hidden` (sizes of the layers, from the data upwards), `order` (past steps that feed the present),
    `observation` ("gaussian"; "student" with heavy tails; "bernoulli" for 0 and 1; "counts" over a vocabulary, of which
    the shares are modelled and not the total), `hidden_markov` (no arrows from past observations),
    `deterministic` (rectified middle layers), `future` (units of a recognition model that also sees what comes
    later), `kinds` (kind of single weight maps by the paper's letters, e.g. `{"W2": "factored"}`;
    "none" leaves W2' or W4' out, so that the noise does not depend on hidden units or past frames).

    Training: a `preset` ("default" or "paper"), and in place of its choices whatever is not None; see `Recipe`.
    """

    weights: ClassVar[Kind]
    default_kinds: ClassVar[dict[str, MapKind]] = {}
    takes_side: ClassVar[bool] = True

    hidden: tuple[int, ...] = (100,)
    order: int = 1
    observation: ObservationName = "gaussian"
    hidden_markov: bool = False
    deterministic: bool = False
    future: int = 0
    kinds: dict[str, MapKind] | None = None
    preset: str = "default"
    steps: int | None = None
    batch: int | None = None
    window: int | None = None
    every: int | None = None
    rate: float | None = None
    gradient: GradientName | None = None
    objective: Objective | None = None
    chains: int | None = None
    warm_up: float | None = None
    slips: float | None = None
    foresight: float | None = None
    weight_decay: float | None = None
    patience: int | None = None
    balanced: bool | None = None
    opening: int | None = None
    linear_start: bool | None = None
    silent_start: bool | None = None

    # scikit-learn's conventions -------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments, untouched."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def set_params(self, **params) -> Self:
        """Replace constructor arguments by name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}, expected one of {', '.join(known)}")
            setattr(self, name, value)
        return self

    # Learning -------------------------------------------------------------------------------------------------------

    def fit(
        self,
        sequences: Any,
        side: Any = None,
        *,
        validation: float | tuple[Any, Any] = 0.1,
        seed: int = 0,
        progress: bool | None = None,
        callbacks: Iterable[Callback] = (),
        checkpoint: str | os.PathLike | None = None,
        resume: bool = False,
    ) -> Self:
        """Learn from sequences (arrays `[time, channels]` of any lengths; NaN is missing).

        `validation`: share of the frames held out to choose the best parameters (the end of every sequence, or whole
        sequences where they are too short), or `(sequences, side)` of your own, or 0. `progress`: show a bar; by
        default on a terminal only. `checkpoint`: file to save the run to after every epoch; with `resume=True` a run
        goes on from there. An interrupted fit keeps the best parameters so far.
        """
        chosen, seed, callbacks = self.recipe(), seed_number(seed), all_callable(callbacks)
        architecture_of(self)  # settings that cannot be are found before the data are looked at
        data = self._training_data(sequences, side, validation, seed)
        check_checkpoint(checkpoint, resume)
        architecture = architecture_of(self, data)
        window = data.window(chosen.window, architecture.order, chosen.opening)
        held_out = data.held_out(window, chosen.batch) if data.holds_out else None
        build_key, *keys = jax.random.split(jax.random.key(seed), 3)
        job = Job(
            first_model(architecture, chosen, data, build_key),
            chosen,
            data.corpus(window, chosen.balanced),
            held_out,
            window,
            describe_run(architecture, chosen, seed, data.digest()),
        )
        carry_out(
            job,
            (keys[0], keys[1]),
            lambda now: self._learned(architecture, data.encoder, now.best, now.history),
            callbacks=callbacks,
            progress=progress,
            checkpoint=checkpoint,
        )
        return self

    def recipe(self) -> Recipe:
        """The training choices: those of the preset, and in their place whatever was given."""
        names = {field.name for field in dataclasses.fields(Recipe)} & set(self.get_params())
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return make_recipe(self.preset, **given)

    def _training_data(self, sequences, side, validation, seed) -> TrainingData:
        demands = {"observation": self.observation, "order": self.order, "takes_side": self.takes_side}
        return divided(sequences, side, validation, seed, model=type(self).__name__, **demands)

    def _learned(
        self, architecture: Architecture, encoder: SideEncoder, model: Model, history: Iterable[dict[str, float]]
    ) -> None:
        """Keep what has been learnt so far: after an interruption the best parameters are still there."""
        self.architecture_ = architecture
        self.side_ = encoder
        self.model_ = model
        self.history_ = list(history)
        self.n_features_in_ = architecture.visible
        # Whoever prepared the data may say how; what was said of other data no longer holds.
        self.preparation_: Preparation | None = None

    # Using what was learnt ------------------------------------------------------------------------------------------

    def score(self, sequences: Any, side: Any = None, *, samples: int = 8, seed: int = 0) -> float:
        """Lower bound on the log-likelihood (ELBO) per frame, in nats."""
        model, arrays, sides = self._given(sequences, side)
        found = over_sequences(elbo, model, arrays, sides, whole_number("samples", samples), seed)
        return float(np.sum(found) / sum(map(len, arrays)))

    def log_likelihood(
        self, sequences: Any, side: Any = None, *, particles: int = 256, seed: int = 0
    ) -> LikelihoodBounds:
        """Three lower bounds on the log-likelihood of each sequence, in nats: `elbo <= multi_sample`, `particle`."""
        model, arrays, sides = self._given(sequences, side)
        found = over_sequences(bounds, model, arrays, sides, whole_number("particles", particles), seed)
        return LikelihoodBounds(*(np.stack(values) for values in zip(*found, strict=True)))

    def predict(self, sequences: Any, side: Any = None, *, samples: int = 40, seed: int = 0) -> Predictions:
        """Mean and standard deviation of every frame given the ones before it: lists of `[time, channels]`."""
        model, arrays, sides = self._given(sequences, side)
        found = over_sequences(predict, model, arrays, sides, whole_number("samples", samples), seed)
        trimmed = [[x[: len(array)] for x in one] for one, array in zip(found, arrays, strict=True)]
        return Predictions(*(list(values) for values in zip(*trimmed, strict=True)))

    def infer(self, sequences: Any, side: Any = None, *, samples: int = 20, seed: int = 0) -> list[Inferred]:
        """Samples and means of the hidden layers given each sequence, from the recognition model."""
        model, arrays, sides = self._given(sequences, side)
        found = over_sequences(_hidden, model, arrays, sides, whole_number("samples", samples), seed)
        return [
            Inferred(tuple(x[:, : len(array)] for x in paths), tuple(x[: len(array)] for x in means))
            for (paths, means), array in zip(found, arrays, strict=True)
        ]

    def save(self, path: str | os.PathLike, *, overwrite: bool = False) -> None:
        """Write the fitted model to one file; see `tsbn.load`."""
        self._fitted()
        save_model(path, self, overwrite=overwrite)

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} has not been fitted yet; call fit first")
        return self.model_

    def _checked(self, sequences: Any, side: Any = None, name: str = "sequences") -> Sequences:
        data = as_data(sequences, side, self.side_.label_names, name)
        check_channels(data, self.n_features_in_, name)
        check_observations(data, self.observation, name)
        return data

    def _given(self, sequences: Any, side: Any) -> tuple[Model, list[np.ndarray], list[np.ndarray]]:
        model = self._fitted()
        if side is not None and self.side_.kind == "none":
            raise ValueError("side was given, but the model was fitted without side information")
        data = self._checked(sequences, side)
        return model, as_float32(data), self.side_.encode(data)


def _hidden(model, piece, key, samples):
    """Samples of the hidden layers, and the mean of the probabilities they were drawn with."""
    paths = jax.vmap(lambda k: draw(model, piece, k).hs)(jax.random.split(key, samples))
    means = jax.vmap(lambda hs: probabilities(model, piece, hs))(paths)
    return paths, tuple(jnp.mean(mean, axis=0) for mean in means)
