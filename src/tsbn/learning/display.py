"""A progress bar for training, as a callback: the engine itself prints nothing."""

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from tsbn.learning.engine import Report
from tsbn.progress import bars


class ProgressBar:
    """Shows steps, the bound and the time left. Use as a context manager around the training.

    `show`: None shows it on a terminal only.
    """

    def __init__(self, steps: int, title: str = "training", show: bool | None = None):
        figures = TextColumn("{task.fields[figures]}")
        self._bar = bars(
            TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), figures, show=show
        )
        self._task = self._bar.add_task(title, total=steps, figures="compiling")

    def __enter__(self) -> "ProgressBar":
        self._bar.start()
        return self

    def __exit__(self, *_) -> None:
        self._bar.stop()

    def __call__(self, report: Report) -> None:
        row = report.row
        figures = f"bound {row['bound']:.2f}"
        if "validation" in row:
            figures += f", validation {row['validation']:.2f}, best {report.progress.best_bound:.2f}"
        self._bar.update(self._task, completed=row["step"], figures=figures)
