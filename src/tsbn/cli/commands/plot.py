"""Draw a picture of a model, of its predictions, or of what it makes.

Examples:
  tsbn plot walk.tsbn -o training.png                      how the bound rose in training
  tsbn plot walk.tsbn --what predictions -o next.png       one-step predictions with intervals
  tsbn plot walk.tsbn --what hidden --sequence 3 -o h.png  which hidden units are on
  tsbn plot walk.tsbn --what errors -o errors.svg          errors in each style beside plain models
  tsbn plot walk.tsbn --what stills --path "normal:120 > drunk:200" -o stills.png
  tsbn plot walk.tsbn --what path --path "normal:120 > drunk:200" -o path.pdf
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tsbn import view
from tsbn.baselines import one_step_errors
from tsbn.cli import UsageError
from tsbn.cli.arguments import Flag, ModelFile, Options, Output, check_output, load_prepared, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.judged import Judged, by_style, judged_data
from tsbn.cli.steering import Steering, steering
from tsbn.estimators import SequenceModel
from tsbn.preparation import Preparation, follow
from tsbn.styles import Path as StylePath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Picture = Literal["training", "predictions", "hidden", "errors", "stills", "path"]
ENDINGS = (".png", ".pdf", ".svg")


@dataclass(frozen=True)
class Plot(Configurable):
    """Draw a picture."""

    file: ModelFile = ""
    """A model file."""
    output: Output = None
    """The picture to write: .png, .pdf or .svg."""
    what: Picture = "training"
    """Which picture."""
    path: str = ""
    """The style path of stills and path."""
    side: str = ""
    """Of stills: side information that is no styles, as for `tsbn generate`."""
    data: str = ""
    """The data that are predicted; by default the test part of what the model was trained on."""
    options: Options = ()
    """Options of the data, as for `tsbn train`."""
    sequence: int = 0
    """The number of the sequence that is predicted."""
    frames: int = 120
    """How many frames of it are shown (or made, where no path says so)."""
    seed: int = 0
    """The same seed gives the same picture."""
    json: Flag = False
    """Print what was drawn as JSON."""

    def run(self) -> None:
        """Load, draw, write, tell."""
        output = check_output(self.output, ENDINGS, self.overwrite)
        model, preparation = load_prepared(self.file)
        if self.what == "training":
            figure = view.training_curves(model.history_)
        elif self.what in ("stills", "path"):
            asked = steering(model, self.path, self.side, None if self.path else self.frames)
            figure = _of_path(model, preparation, self.what, asked, self.seed)
        else:
            judged = judged_data(preparation, self.data, self.options)
            figure = _of_data(model, judged, self.what, self.sequence, self.frames, self.seed)
        view.save(figure, output, overwrite=self.overwrite)
        if self.json:
            print_json({"file": str(output), "what": self.what})
        else:
            print(output)


def _of_path(model: SequenceModel, preparation: Preparation, what: Picture, path: Steering, seed: int) -> Figure:
    if what == "path":
        if not isinstance(path, StylePath):
            raise UsageError("there is no style path to draw: give --path, to a model that has styles")
        return view.style_path(path, frame_rate=preparation.frame_rate)
    if preparation.figure is None:
        raise UsageError("the model was not trained on motions, so there are no stills to draw")
    motion = preparation.motion(follow(model, path, seed=seed))
    styles = path if isinstance(path, StylePath) else None
    shown = view.take(motion, up=preparation.figure.up, styles=styles, title=str(path) if styles else "")
    return view.still_figure(shown, frames=min(12, motion.frames))


def _of_data(model: SequenceModel, judged: Judged, what: Picture, sequence: int, frames: int, seed: int) -> Figure:
    test = judged.test
    if what == "errors":
        errors = one_step_errors(model, judged.train, test, model.order, seed=seed)
        groups = by_style(test) or {"all": range(len(test))}
        found = {
            name: {style: [float(e[n]) for n in members] for style, members in groups.items()}
            for name, e in errors.items()
        }
        return view.style_errors(found, ylabel="squared error per frame")
    if not 0 <= sequence < len(test):
        raise UsageError(f"--sequence is {sequence}, expected from 0 to {len(test) - 1}: {judged.told}")
    one = test[sequence : sequence + 1]
    if what == "hidden":
        return view.hidden_activity(model.infer(one, seed=seed)[0].samples[0][0][:frames], frame_rate=test.frame_rate)
    predicted = model.predict(one, seed=seed)
    shown = slice(model.order, model.order + frames)
    return view.predictions(
        one[0][shown],
        predicted.mean[0][shown],
        predicted.std[0][shown],
        names=test.channel_names,
        frame_rate=test.frame_rate,
    )


COMMAND = Plot
