"""`SemiSupervised`: one model that learns to generate and to classify from partly labelled sequences."""

import dataclasses
import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tsbn.arguments import number_within, one_of, seed_number, whole_number
from tsbn.choices import AS_THE_MODEL, Choices
from tsbn.data.side import Label
from tsbn.estimators.base import NotFittedError, SequenceModel
from tsbn.estimators.calibration import Calibration
from tsbn.estimators.classifying import Recogniser
from tsbn.estimators.fitting import Job, all_callable, carry_out
from tsbn.estimators.inputs import as_float32, check_channels, check_lengths, check_observations, check_varying
from tsbn.estimators.labels import LabelledData, check_learnable, per_frame, read_labels
from tsbn.estimators.rounds import (
    Relay,
    check_files,
    check_rounds,
    files_of_rounds,
    later_round,
    with_own_labels,
    without_labels,
)
from tsbn.estimators.semi_training import Mixture, held_out_labels, held_out_lengths
from tsbn.estimators.settings import architecture_of
from tsbn.estimators.starting import first_model
from tsbn.estimators.storage import Section, save_model
from tsbn.estimators.training_data import TrainingData
from tsbn.files import FileFormatError, named_arrays, with_arrays
from tsbn.learning.checkpoint import describe_run
from tsbn.learning.engine import Callback, Progress
from tsbn.learning.gradients.estimator import GradientEstimator
from tsbn.learning.recipe import Recipe
from tsbn.learning.semi.classifiers import ClassifierName, new_classifier
from tsbn.learning.semi.model import LabelModel, LabelPrior, with_labels
from tsbn.learning.semi.objective import Sampled, Summed, Weights
from tsbn.learning.semi.watch import Keep, LabelWatch
from tsbn.model.build import Model
from tsbn.preparation import Preparation

SECTION = "labels"
MOST_SUMMED = 30


@dataclasses.dataclass(eq=False)
class SemiSupervised(Recogniser):
    """Generates and classifies, and learns both from sequences of which only some have labels.

    - `model`: what generates, e.g. `FCTSBN(order=6)`; its training choices are used.
    - `classifier`: q(y | v): "softmax" over a window of `order` + 1 frames, "mlp" or "recurrent" (of `units`).
    - `alpha`: weight of log q(y | v) of labelled windows; None is twice their number of frames.
    - `prior`: p(y): "learned", "uniform", or one probability per style.
    - `unlabelled`: "exact" sums labels out (one pass per style, needs one label per sequence), "sampled" draws them;
      None takes "exact" where it can be and there are at most 30 styles.
    - `labelled_share` of each batch's windows have labels; `balanced` draws all styles equally often.
    - `penalty` on the classifier's squared weights; `keep` the parameters that are best on held-out "labels" or by
      the whole "objective".
    - `rounds`: how often all of it is learnt, from the second time on with the labels that the model of the round
      before gives to unlabelled sequences, by classifier and generator together. Needs one label per sequence; where
      all have one already, the first round is the only one. `rounds_` tells how many came to their end.

    >>> import numpy as np, tsbn
    >>> waves = [np.sin(np.arange(40) / pace + n)[:, None] for n in range(6) for pace in (2, 6)]
    >>> model = tsbn.SemiSupervised(tsbn.FCTSBN(hidden=(8,), factors=4, order=3, steps=100))
    >>> model = model.fit(waves, ["fast", "slow"] * 2 + [None] * 8)
    >>> len(model.predict_labels(waves)), model.sample("slow", length=20).shape
    (12, (20, 1))
    """

    model: SequenceModel
    classifier: ClassifierName = "softmax"
    alpha: float | None = None
    prior: Literal["learned", "uniform"] | Sequence[float] = "learned"
    unlabelled: Literal["exact", "sampled"] | None = None
    labelled_share: float = 0.5
    balanced: bool = True
    units: int = 100
    penalty: float = 0.0
    keep: Keep = "labels"
    rounds: int = 1

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments, untouched; with `deep` also those of the model, as `model__order`."""
        params = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        inner = self.model.get_params() if deep else {}
        return params | {f"model__{name}": value for name, value in inner.items()}

    def _own_params(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params(deep=False).items() if name != "model"}

    def set_params(self, **params) -> Self:
        """Replace constructor arguments by name; those of the model as `model__order`."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"SemiSupervised has no parameter {name!r}, expected one of {', '.join(known)}")
            if name.startswith("model__"):
                self.model.set_params(**{name.removeprefix("model__"): value})
            else:
                setattr(self, name, value)
        return self

    def fit(
        self,
        sequences: Any,
        labels: Any = None,
        *,
        styles: Iterable[Label] | None = None,
        validation: float | tuple[Any, Any] = 0.1,
        seed: int = 0,
        progress: bool | None = None,
        callbacks: Iterable[Callback] = (),
        checkpoint: str | os.PathLike | None = None,
        resume: bool = False,
    ) -> Self:
        """Learn from sequences `[time, channels]` and labels: per sequence or per frame; None, NaN or -1 is unlabelled.

        `styles` names all styles, where labels do not. `validation`: share of the labelled data held out to choose the
        best parameters by (whole sequences, or the ends of sequences where a style has a single labelled one), or
        `(sequences, labels)` of your own, or 0. The rest is as for `SequenceModel.fit`, in every round: a callback that
        returns True ends them all (`patience` ends a single one), a later round that is not finished leaves the model
        of the one before it, and each has a checkpoint of its own (`run.ckpt`, `run.round2.ckpt`, ...).
        """
        self._check_settings()
        recipe, seed = dataclasses.replace(self.model.recipe(), even=True), seed_number(seed)
        relay = Relay(all_callable(callbacks))
        architecture_of(self.model)
        given = read_labels(sequences, labels, styles)
        check_learnable(given)
        check_observations(given.data, self.model.observation)
        check_lengths(given.data, self.model.order)
        check_varying(np.concatenate(given.data.values), self.model.observation)
        data = self._training_data(given, validation, seed)
        check_rounds(self.rounds, data)
        files = files_of_rounds(checkpoint, self.rounds)
        check_files(files, resume)
        self.rounds_ = 0
        learn = partial(self._learn, recipe=recipe, seed=seed, callback=relay, progress=progress)
        learn(data, 1, files[0])
        for number, file in enumerate(files[1:], start=2):
            if relay.stopped or not without_labels(data):
                break
            with later_round(self, number, file, relay, recipe):
                learn(with_own_labels(self, data, seed), number, file)
        return self

    def _learn(
        self,
        data: TrainingData,
        number: int,
        checkpoint: Path | None,
        *,
        recipe: Recipe,
        seed: int,
        callback: Callback,
        progress: bool | None,
    ) -> None:
        """One round: train, and calibrate by the labels that were held out."""
        changing = any(len(row) > 1 for row in data.sides)
        mixture = Mixture(recipe.batch, self.labelled_share, self.balanced)
        estimator = self._estimator(recipe, changing, mixture.labelled(data), data.encoder.given)
        architecture = architecture_of(self.model, data)
        window = data.window(recipe.window, architecture.order, recipe.opening)
        held_out = data.held_out(window, recipe.batch) if data.holds_out else None
        build_key, classifier_key, *keys = jax.random.split(jax.random.key(seed), 4)
        told = dataclasses.replace(data, sides=[np.nan_to_num(row) for row in data.sides])
        conditional = first_model(architecture, recipe, told, build_key)
        # A checkpoint is of one round, so that more rounds may follow.
        settings = {name: value for name, value in self._own_params().items() if name != "rounds"}
        job = Job(
            self._with_labels(conditional, classifier_key),
            recipe,
            mixture.drawn_from(data.corpus(window, balanced=False), data),
            held_out,
            window,
            describe_run(architecture, recipe, seed, data.digest()) | {"semi": settings},
            estimator,
            LabelWatch(changing, Weights(self.alpha), self.keep),
        )

        def learned(now: Progress) -> None:
            self.changing_, self.calibration_ = changing, Calibration()
            self.label_model_ = now.best
            self.generator_ = type(self.model)(**self.model.get_params())
            self.generator_._learned(architecture, data.encoder, now.best.conditional, now.history)

        carry_out(
            job,
            (keys[0], keys[1]),
            learned,
            callbacks=(callback,),
            progress=progress,
            checkpoint=checkpoint,
            title=f"round {number} of {self.rounds}" if self.rounds > 1 else "training",
        )
        held_out, known = held_out_labels(data)
        if held_out and not changing:
            self.calibrate(held_out, known, seed=seed)
        self.rounds_ = number

    def _check_settings(self) -> None:
        if not isinstance(self.model, SequenceModel):
            raise TypeError(f"model is {self.model!r:.60}, expected an FCTSBN or a CTSBN")
        if not self.model.takes_side:
            raise ValueError(f"model is a {type(self.model).__name__}, which has no styles; use FCTSBN or CTSBN")
        one_of("classifier", self.classifier, get_args(ClassifierName))
        one_of("keep", self.keep, get_args(Keep))
        whole_number("units", self.units)
        whole_number("rounds", self.rounds)
        number_within("labelled_share", self.labelled_share, 0, 1, "a share of each batch from 0 to 1")
        number_within("penalty", self.penalty, 0, 1e30, "a number of at least 0")
        if self.unlabelled is not None:
            one_of("unlabelled", self.unlabelled, ("exact", "sampled"))
        if self.alpha is not None:
            number_within("alpha", self.alpha, 0, 1e30, "a number of at least 0, or None for twice the frames")

    def _training_data(self, given: LabelledData, validation: Any, seed: int) -> TrainingData:
        arrays, rows, lengths = as_float32(given.data), given.rows, [len(array) for array in given.data]
        if isinstance(validation, tuple):
            if len(validation) != 2:
                raise ValueError(f"validation has {len(validation)} entries, expected (sequences, labels) or a share")
            extra = read_labels(*validation, given.encoder.labels, "validation labels")
            check_observations(extra.data, self.model.observation, "validation")
            check_channels(extra.data, given.data.channels, "validation")
            arrays, rows, kept = arrays + as_float32(extra.data), rows + extra.rows, lengths + [0] * len(extra.data)
        else:
            kept = held_out_lengths(rows, lengths, validation, self.model.order, seed)
        if any(len(row) > 1 for row in rows):
            rows = per_frame(rows, arrays)
        return TrainingData(arrays, rows, given.encoder, kept)

    def _estimator(self, recipe: Recipe, changing: bool, labelled: int, styles: int) -> GradientEstimator:
        weights = Weights(self.alpha, self.penalty)
        if self.unlabelled == "exact" and changing:
            raise ValueError(
                "unlabelled is 'exact', but labels change or are partly missing within sequences, where there are too "
                "many ways to sum over; expected 'sampled' or None"
            )
        summed = not changing and (self.unlabelled or ("exact" if styles <= MOST_SUMMED else "sampled")) == "exact"
        if summed:
            return Summed(recipe.estimator(), labelled, weights)
        return Sampled(recipe.estimator(), changing, weights)

    def _with_labels(self, conditional: Model, key) -> LabelModel:
        visible, styles = conditional.network.heads[0].C.shape
        classifier = new_classifier(self.classifier, visible, styles, self.model.order, units=self.units, key=key)
        if isinstance(self.prior, str):
            one_of("prior", self.prior, ("learned", "uniform"))
            return with_labels(conditional, classifier, LabelPrior(jnp.zeros(styles), self.prior == "learned"))
        chances = np.asarray(self.prior, float)
        if chances.shape != (styles,) or not (chances > 0).all() or not np.isclose(chances.sum(), 1, atol=1e-4):
            raise ValueError(f"prior is {self.prior!r:.60}, expected {styles} positive probabilities that add up to 1")
        return with_labels(conditional, classifier, LabelPrior(jnp.log(jnp.asarray(chances, jnp.float32)), False))

    # Using what was learnt ------------------------------------------------------------------------------------------

    def sample(
        self,
        style: Any = None,
        length: int | None = None,
        num: int | None = None,
        *,
        opening: Any = None,
        opening_side: Any = None,
        seed: int = 0,
        choices: Choices = AS_THE_MODEL,
    ) -> np.ndarray:
        """Draw new sequences in a style (a label, a blend, a path): see `SequenceModel.sample`.

        All else that a model can do, `generator_` does: it is a fitted model like `model`.
        """
        self._label_model()
        return self.generator_.sample(
            self.generator_.side_.encode_one(style, None, "style"),
            length,
            num,
            opening=opening,
            opening_side=opening_side,
            seed=seed,
            choices=choices,
        )

    @property
    def history_(self) -> list[dict[str, float]]:
        """One row per epoch of the last round; `label_log_prob`, `accuracy`, `held_out_bound` are of held-out data."""
        return self.generator_.history_

    @property
    def preparation_(self) -> Preparation | None:
        """How the data were prepared, where somebody said so."""
        return self.generator_.preparation_

    @preparation_.setter
    def preparation_(self, preparation: Preparation | None) -> None:
        self.generator_.preparation_ = preparation

    def save(self, path: str | os.PathLike, *, overwrite: bool = False) -> None:
        """Write the fitted model to one file; see `tsbn.load`."""
        model = self._label_model()
        section = Section(
            SECTION,
            {
                "params": self._own_params(),
                "changing": self.changing_,
                "rounds": self.rounds_,
                "calibration": self.calibration_._asdict(),
            },
            named_arrays(model.classifier, "classifier.") | named_arrays(model.prior, "prior."),
        )
        save_model(path, self.generator_, overwrite=overwrite, more=section)

    @classmethod
    def restored(cls, generator: SequenceModel, section: Section, path: str | os.PathLike) -> Self:
        """What `save` wrote."""
        try:
            model = cls(type(generator)(**generator.get_params()), **section.header["params"])
            blank = eqx.filter_eval_shape(lambda: model._with_labels(generator.model_, jax.random.key(0)))
            classifier = with_arrays(blank.classifier, section.arrays, "classifier.")
            prior = with_arrays(blank.prior, section.arrays, "prior.")
            model.changing_ = bool(section.header["changing"])
            model.rounds_ = int(section.header.get("rounds", 1))
            model.calibration_ = Calibration.read(section.header.get("calibration", {}))
        except (KeyError, TypeError, ValueError) as problem:
            raise FileFormatError(f"{path} is a damaged model file: {problem}") from None
        model.generator_ = generator
        model.label_model_ = with_labels(generator.model_, classifier, prior)
        return model

    def _label_model(self) -> LabelModel:
        if not hasattr(self, "label_model_"):
            raise NotFittedError("this SemiSupervised has not been fitted yet; call fit first")
        return self.label_model_
