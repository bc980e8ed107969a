"""Continue sequences beyond their end, or from a frame on beside what really came.

Examples:
  tsbn forecast walk.tsbn --horizon 60 -o next.csv               60 frames beyond the end of each test sequence
  tsbn forecast walk.tsbn --from 100 --horizon 60 -o next.png    from frame 100 on, with the truth and scores
  tsbn forecast walk.tsbn log.csv --options sequence=who time=t -o next.npz
  tsbn forecast walk.tsbn --from 100 --path "drunk:60" -o drunk.csv         what if the style were another
  tsbn forecast place.tsbn --side 0.3,-0.5 --horizon 12 -o next.csv         side information in numbers
  tsbn forecast walk.tsbn --from 100 --quantiles 0.1 0.5 0.9 --json         scores only, for a program

Side information is what the data have for those frames, and beyond their end as it was last, unless it is given. Files
are in the units of the data: .csv has a line for each sequence, frame and channel, .npz arrays [sequences, horizon,
channels], .png, .pdf and .svg show one sequence. Scores are in the units the model works in, as those of
`tsbn evaluate`: squared error summed over channels and averaged over frames, CRPS and the share of values
within the interval.
"""

from __future__ import annotations

import json as json_text
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from tsbn import scores
from tsbn.atomic import new_file
from tsbn.baselines import plain_models
from tsbn.cli import UsageError
from tsbn.cli.arguments import Data, Flag, ModelFile, Options, Output, check_output, load_prepared, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.judged import Judged, judged_data
from tsbn.cli.steering import frames_of, side_of, steering
from tsbn.cli.tables import write_columns
from tsbn.data import Sequences
from tsbn.estimators import SequenceModel
from tsbn.estimators.results import Forecast as Continuation

HORIZON = 30
TABLES, PICTURES = (".csv", ".npz"), (".png", ".pdf", ".svg")


@dataclass(frozen=True)
class Forecast(Configurable):
    """Continue sequences."""

    file: ModelFile = ""
    """A model file."""
    data: Data = ""
    """Name of a data set, folder of motion files, or table; by default what the model was trained on (test part)."""
    output: Output = None
    """The file to write: .csv, .npz, .png, .pdf or .svg; without it only the scores are printed."""
    options: Options = ()
    """Options of the data, as for `tsbn train`."""
    start: Annotated[int | None, tyro.conf.arg(name="from", metavar="FRAME")] = None
    """How many opening frames of each sequence are given; the others are the truth to be scored on. Default: all."""
    horizon: int | None = None
    """How many frames to forecast; by default as many as the path has, or 30."""
    path: str = ""
    """The style path that the forecast follows, such as "drunk:60"."""
    side: str = ""
    """Side information of the forecast that is no styles: numbers, or a file with a row for each frame."""
    interval: float = 0.9
    """The share of outcomes that the interval should hold."""
    quantiles: tuple[float, ...] = ()
    """Levels of quantiles to write too, such as 0.1 0.5 0.9."""
    samples: int = 100
    """Sampled continuations behind each forecast."""
    sequence: int = 0
    """The number of the sequence that a picture shows."""
    seed: int = 0
    """The same seed gives the same forecast."""
    json: Flag = False
    """Print what was done and the scores as JSON."""

    def run(self) -> None:
        """Load, continue, score, write, tell."""
        self._check()
        model, preparation = load_prepared(self.file)
        judged = judged_data(preparation, self.data, self.options)
        (given, truth), own = self._cut(judged.test), self._cut(judged.own)
        asked = steering(model, self.path, self.side, self._length()) if self.path or self.side else None
        horizon = frames_of(asked) if asked is not None else self.horizon or HORIZON
        if asked is not None:
            future = [side_of(asked, model.side_)] * len(given)
        else:
            future = _expected_side(model, truth, horizon)
        found = model.forecast(given, horizon=horizon, future_side=future, samples=self.samples, seed=self.seed)
        known = None if truth is None else [array[:horizon] for array in truth]
        table = self._scores(model, judged, given, known, found, horizon) if known is not None else {}
        if self.output is not None:
            restored = [Continuation(preparation.restore(one.samples)) for one in found]
            self._write(self.output, *own, restored)
        self._tell(judged, len(given), horizon, table)

    def _check(self) -> None:
        if self.output is not None:
            check_output(self.output, (*TABLES, *PICTURES), self.overwrite)
        elif self.start is None:
            raise UsageError("what for? give -o and a file for the forecast, or --from a frame for scores, or both")
        for name, levels in (("--interval", (self.interval,)), ("--quantiles", self.quantiles)):
            if not all(0 < level < 1 for level in levels):
                raise UsageError(f"{name} is {' '.join(map(str, levels))}, expected between 0 and 1")
        for name, number, least in (
            ("--horizon", self.horizon, 1),
            ("--from", self.start, 1),
            ("--samples", self.samples, 2),
        ):
            if number is not None and number < least:
                raise UsageError(f"{name} is {number}, expected at least {least}")

    def _length(self) -> int | None:
        """Numbers that hold for all frames do not say how many there are; paths and files do."""
        plain = self.side and Path(self.side).suffix.lower() not in (".csv", ".npz")
        return self.horizon or (HORIZON if plain else None)

    def _cut(self, test: Sequences) -> tuple[Sequences, Sequences | None]:
        """What is given of each sequence that is long enough, and what comes after it (None: nothing is known)."""
        if self.start is None:
            return test, None
        long = [n for n, length in enumerate(test.lengths) if length > self.start]
        if not long:
            raise UsageError(f"--from is {self.start}, but the longest sequence has {max(test.lengths)} frames")
        begin, end = slice(0, self.start), slice(self.start, None)
        return test.pieces((n, begin) for n in long), test.pieces((n, end) for n in long)

    def _scores(
        self,
        model: SequenceModel,
        judged: Judged,
        given: Sequences,
        known: list[np.ndarray],
        found: list[Continuation],
        horizon: int,
    ) -> dict[str, dict[str, float]]:
        every = {type(model).__name__: found}
        for name, plain in plain_models(judged.train, given, model.order).items():
            every[name] = plain.forecast(given, horizon=horizon, samples=self.samples, seed=self.seed)
        return {name: _scored(known, one, self.interval) for name, one in every.items()}

    def _write(
        self,
        output: Path,
        given: Sequences,
        truth: Sequences | None,
        found: list[Continuation],
    ) -> None:
        """All in the units of the data."""
        kind = output.suffix.lower()
        known = None if truth is None else [array[: len(one.mean)] for array, one in zip(truth, found, strict=True)]
        if kind in PICTURES:
            self._draw(output, given, known, found)
            return
        low, high = (np.stack(ends) for ends in zip(*(one.interval(self.interval) for one in found), strict=True))
        mean = np.stack([one.mean for one in found])
        arrays = {"mean": mean, "std": np.stack([one.std for one in found]), "low": low, "high": high}
        for level in self.quantiles:
            arrays[f"q{level:g}"] = np.stack([one.quantile(level) for one in found])
        if known is not None:
            arrays["truth"] = np.stack([_padded(array, mean.shape[1]) for array in known])
        if kind == ".npz":
            about = {"names": given.names, "channel_names": given.channel_names, "interval": self.interval}
            arrays |= {"first_frame": given.lengths, "about": np.array(json_text.dumps(about))}
            with new_file(output, overwrite=self.overwrite) as temporary, temporary.open("wb") as stream:
                np.savez_compressed(stream, allow_pickle=False, **arrays)
            return
        sequences, horizon, channels = mean.shape
        frames = given.lengths[:, None] + np.arange(horizon)
        ids = {
            "sequence": np.repeat(np.array(given.names, dtype=object), horizon * channels),
            "frame": np.repeat(frames.ravel(), channels),
            "channel": np.tile(np.array(given.channel_names, dtype=object), sequences * horizon),
        }
        write_columns(ids | {name: array.ravel() for name, array in arrays.items()}, output, self.overwrite)

    def _draw(
        self,
        output: Path,
        given: Sequences,
        known: list[np.ndarray] | None,
        found: list[Continuation],
    ) -> None:
        from tsbn import view

        n = self.sequence
        if not 0 <= n < len(given):
            raise UsageError(f"--sequence is {n}, expected from 0 to {len(given) - 1}")
        figure = view.forecast(
            given[n],
            found[n].mean,
            found[n].interval(self.interval),
            None if known is None else known[n],
            names=given.channel_names,
            level=self.interval,
            title=str(given.names[n]),
        )
        view.save(figure, output, overwrite=self.overwrite)

    def _tell(self, judged: Judged, sequences: int, horizon: int, table: dict[str, dict[str, float]]) -> None:
        told: dict[str, Any] = {
            "file": None if self.output is None else str(self.output),
            "data": judged.told,
            "sequences": sequences,
            "horizon": horizon,
            "from": self.start,
            "interval": self.interval,
            "scores": table,
        }
        if self.json:
            print_json(told)
            return
        begin = "their end" if self.start is None else f"frame {self.start}"
        print(f"{sequences} sequences of {judged.told}, {horizon} frames from {begin} on")
        if table:
            print(f"{'':<16}{'squared error':>14}{'CRPS':>10}{f'within {self.interval:.0%}':>12}")
            for name, row in table.items():
                print(f"{name:<16}{row['squared_error']:>14.4f}{row['crps']:>10.4f}{row['coverage']:>12.1%}")
        if self.output is not None:
            print(self.output)


COMMAND = Forecast


def _expected_side(model: SequenceModel, truth: Sequences | None, horizon: int) -> list[np.ndarray] | None:
    """Side information of the frames ahead: as the data have it, and beyond their end as it was last (None: all)."""
    if model.side_.kind == "none" or truth is None or truth.side is None:
        return None
    rows = [np.atleast_2d(row) for row in truth.side]
    return [row[np.minimum(np.arange(horizon), len(row) - 1)] for row in rows]


def _scored(known: list[np.ndarray], found: list[Continuation], interval: float) -> dict[str, float]:
    pairs = [(array, Continuation(one.samples[:, : len(array)])) for array, one in zip(known, found, strict=True)]
    truth = np.concatenate([array for array, _ in pairs])
    low, high = (np.concatenate(ends) for ends in zip(*(one.interval(interval) for _, one in pairs), strict=True))
    crps = np.concatenate([scores.crps(array, one.samples) for array, one in pairs])
    return {
        "squared_error": scores.squared_error([truth], [np.concatenate([one.mean for _, one in pairs])], skip=0),
        "crps": float(np.nanmean(crps)),
        "coverage": scores.coverage(truth, low, high),
    }


def _padded(array: np.ndarray, length: int) -> np.ndarray:
    """With NaN behind, where the truth ends before the forecast."""
    return np.vstack([array, np.full((length - len(array), array.shape[1]), np.nan)])
