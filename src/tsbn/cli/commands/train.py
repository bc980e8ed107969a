"""Train a model on a data set, a folder of motion files, or a table.

Examples:
  tsbn train walker -o walk.tsbn                           ten ways to walk, built in
  tsbn train walker --order 12 --hidden-markov --steps 2000 -o walk.tsbn
  tsbn train walker --options walkers=4 styles=normal,drunk -o two.tsbn
  tsbn train walks/ --options frame_rate=30 -o mine.tsbn   BVH or AMC files, one folder a style
  tsbn train log.csv --options sequence=who time=t side=gait -o log.tsbn
  tsbn train jsb --model tsbn --hidden 100 50 -o music.tsbn
  tsbn train mocap2 --semi --labels 1 -o two.tsbn          one labelled sequence a style, the others without
  tsbn train walker --save-config run.toml -o walk.tsbn    keep the settings; later:
  tsbn train --config run.toml --seed 2 -o second.tsbn

Ctrl-C ends the training early and keeps the best model so far (exit code 130).
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tsbn.cli import STOPPED, UsageError
from tsbn.cli.arguments import Data, Flag, Options, Output, check_output, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.labels import labelled, with_labels
from tsbn.cli.sources import Source
from tsbn.data import Sequences, looped
from tsbn.estimators import CTSBN, FCTSBN, TSBN, SemiSupervised, SequenceModel
from tsbn.learning.engine import TrainingDiverged
from tsbn.learning.recipe import GradientName, Objective
from tsbn.learning.semi.classifiers import ClassifierName
from tsbn.model.observations import REAL, ObservationName
from tsbn.preparation import OPENING, Preparation

MODELS: dict[str, type[SequenceModel]] = {"tsbn": TSBN, "ctsbn": CTSBN, "fctsbn": FCTSBN}


@dataclass(frozen=True)
class Train(Configurable):
    """Train a model.

    What is left out is chosen by the preset.
    """

    data: Data = ""
    """Name of a data set (`tsbn data list`), folder of motion files, or table: .csv, .parquet, .npz."""
    output: Output = None
    """The model file to write, such as walk.tsbn."""
    model: Literal["tsbn", "ctsbn", "fctsbn"] = "fctsbn"
    """Without styles, with a weight matrix per style, or with factors that styles share."""
    options: Options = ()
    """Options of the data: of a data set (`tsbn data describe NAME`), of a folder (frame_rate, skip, rotation, up,
    styles), of a table (sequence, time, columns, side, gaps, delimiter)."""
    semi: Flag = False
    """Also learn to recognise styles, from labels of which some are missing (see `tsbn classify`)."""
    labels: str = ""
    """With --semi: how many sequences of each style keep their label, or a CSV file with columns sequence, label."""
    classifier: ClassifierName = "softmax"
    """With --semi: what recognises styles."""
    alpha: float | None = None
    """With --semi: weight of recognition; without it twice the frames of a window."""
    rounds: int = 1
    """With --semi: how often to learn, from the second time on with the labels that the model found itself."""
    hidden: tuple[int, ...] = (100,)
    """Sizes of the hidden layers, from the data upwards."""
    factors: int = 100
    """Factors that the styles of an fctsbn share."""
    order: int = 1
    """Past frames that feed the present one."""
    observation: ObservationName | None = None
    """Kind of the values; without it bernoulli where all are 0 or 1, otherwise gaussian; student for real
    values with jumps and glitches; counts for how the total of a frame is shared out (the total is not modelled)."""
    hidden_markov: Flag = False
    """No arrows from past frames: steadier long motions, worse one-step predictions."""
    deterministic: Flag = False
    """Rectified middle layers."""
    future: int = 0
    """Units of a recognition model that also sees what comes later."""
    preset: Literal["default", "paper"] = "default"
    """Where the choices below come from if they are not made."""
    steps: int | None = None
    """Steps of training."""
    batch: int | None = None
    """Windows in a step."""
    window: int | None = None
    """Frames in a window."""
    every: int | None = None
    """Steps from one validation to the next."""
    rate: float | None = None
    """Learning rate."""
    gradient: GradientName | None = None
    """Estimator of the gradient: straight-through with the default preset, nvil with the paper's."""
    objective: Objective | None = None
    """The bound to raise."""
    chains: int | None = None
    """Samples per window."""
    warm_up: float | None = None
    """Share of the steps over which the hidden units' own term is faded in."""
    slips: float | None = None
    """Share of past hidden units that the model sees flipped while it learns, so that it recovers from mistakes."""
    foresight: float | None = None
    """Weight of foretelling each frame from the ones before it, beside the bound: for predictions, try 0.5 with
    --gradient nvil, --warm-up 0.2 and some --weight-decay."""
    weight_decay: float | None = None
    """How fast weights shrink that the data do not hold up: for large models of few sequences."""
    patience: int | None = None
    """Validations without improvement that end the training; 0 for never."""
    balanced: Flag = False
    """Pick every style equally often, whatever its amount of data."""
    opening: int | None = None
    """Frames at the start of every sequence that are given and not learnt."""
    linear_start: Flag = False
    """Start real-valued frames at a linear autoregression, and learn what it leaves over."""
    silent_start: Flag = False
    """Begin a deep model as if it were shallow, its upper layers without a say in the first; one layer is as it is."""
    loop: int = 0
    """Let each sequence go on for so many frames, from a moment in its last fifth back to where it was most alike: for
    cyclic motion."""
    validation: float = 0.1
    """Share of the frames held out to choose the best parameters, where the data bring no validation part."""
    seed: int = 0
    """The same seed gives the same model."""
    checkpoint: Path | None = None
    """File to save the run to on the way, so that it can go on after a power cut."""
    resume: Flag = False
    """Go on from the checkpoint; without one yet, begin and say so."""
    json: Flag = False
    """Print what came of it as JSON."""

    def run(self) -> int:
        """Load, prepare, train, save."""
        output = self._check()
        source = Source.parse(self.data, self.options)
        parts = source.load()
        generator = self._model(parts.train)
        model = self._semi(generator) if self.semi else generator
        train = parts.train if generator.takes_side else parts.train.replace(side=None, label_names=None)
        train = with_labels(train, self.labels)
        if self.labels and not self.json:
            print(f"{labelled(train)} of {len(train)} sequences keep their labels")
        preparation = Preparation.fit(
            train,
            parts.figure,
            scale=generator.observation in REAL,
            opening=max(OPENING, self.order),
            source=dataclasses.asdict(source),
        )
        held_out = self.validation if parts.valid is None else (preparation.transform(parts.valid), None)
        code = 0
        try:
            model.fit(
                preparation.transform(looped(train, self.loop) if self.loop else train),
                validation=held_out,
                seed=self.seed,
                progress=False if self.json else None,
                checkpoint=self.checkpoint,
                resume=self.resume,
            )
        except KeyboardInterrupt:
            code = STOPPED
        except TrainingDiverged as problem:
            print(f"tsbn: {problem}", file=sys.stderr)
            code = 1
        if not getattr(model, "history_", None):
            print("tsbn: stopped before the first validation; there is no model to keep", file=sys.stderr)
            return code
        model.preparation_ = preparation
        model.save(output, overwrite=self.overwrite)
        self._tell(model, output, complete=code == 0)
        return code

    def _check(self) -> Path:
        if not self.data:
            raise UsageError("train on what? give DATA, such as: tsbn train walker -o walk.tsbn")
        if self.output is None:
            raise UsageError(f"where to? give a model file, such as: tsbn train {self.data} -o walk.tsbn")
        output = check_output(self.output, (".tsbn",), self.overwrite)
        if self.labels and not self.semi:
            raise UsageError("--labels leaves labels out, which only --semi can learn from: give both")
        if not self.semi and (self.alpha is not None or self.classifier != "softmax" or self.rounds != 1):
            raise UsageError(
                "--classifier, --alpha and --rounds say how styles are recognised, which only --semi learns: add it"
            )
        if self.semi and not MODELS[self.model].takes_side:
            raise UsageError(f"--semi learns styles, which a {self.model} has not: give --model fctsbn or ctsbn")
        if self.loop < 0:
            raise UsageError(f"--loop is {self.loop}, expected a number of frames, or 0 for none")
        if self.resume and self.checkpoint is None:
            raise UsageError("--resume needs --checkpoint FILE, the run to go on with")
        if self.checkpoint is not None and self.checkpoint.exists() and not self.resume:
            raise UsageError(f"the checkpoint {self.checkpoint} exists already; --resume goes on with that run")
        if self.checkpoint is not None and not self.checkpoint.exists() and self.resume:
            print(f"tsbn: there is no checkpoint {self.checkpoint} yet, so the run begins anew", file=sys.stderr)
        return output

    def _semi(self, generator: SequenceModel) -> SemiSupervised:
        return SemiSupervised(generator, self.classifier, self.alpha, rounds=self.rounds)

    def _model(self, train: Sequences) -> SequenceModel:
        kind = MODELS[self.model]
        if kind.takes_side and train.side is None:
            raise UsageError(f"{self.data} has no styles, which a {self.model} needs: --model tsbn")
        params = {field.name for field in dataclasses.fields(kind)} & set(vars(self))
        chosen = {name: getattr(self, name) for name in params - {"observation"}}
        yes_or_preset = ("balanced", "linear_start", "silent_start")  # what is not asked for, a preset may have
        chosen |= {name: chosen[name] or None for name in yes_or_preset}
        binary = all(bool(((array == 0) | (array == 1) | (array != array)).all()) for array in train)
        observation = self.observation or ("bernoulli" if binary else "gaussian")
        return kind(**chosen, observation=observation)

    def _tell(self, model: SequenceModel | SemiSupervised, output: Path, complete: bool) -> None:
        last = model.history_[-1]
        watched = "validation" if "validation" in last else "bound"
        # Without validation data the last parameters are the ones that are kept.
        best = max(model.history_, key=lambda row: row[watched]) if watched == "validation" else last
        if self.json:
            rounds = {"rounds": model.rounds_} if isinstance(model, SemiSupervised) else {}
            print_json({"file": str(output), "complete": complete, "best": best, "steps": last["step"]} | rounds)
            return
        began = "done" if complete else f"stopped after step {last['step']}, the best model so far is kept"
        if isinstance(model, SemiSupervised) and self.rounds > 1 and (finished := model.rounds_):
            began = f"{'done' if complete else 'stopped'} after {finished} of {self.rounds} rounds"
        if self.semi and "accuracy" in best:
            right = f"{best['accuracy']:.1%} of held-out labels right at step {best['step']}"
            print(f"{began}: {right}, bound {best['held_out_bound']:.3f} per frame, in {output}")
            return
        name = "validation bound" if watched == "validation" else "bound"
        print(f"{began}: {name} {best[watched]:.3f} per frame at step {best['step']}, in {output}")


COMMAND = Train
