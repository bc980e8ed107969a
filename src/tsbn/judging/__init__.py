"""Judging generated motion: a report against real motion, style by style, the same for every generator.

>>> import tsbn
>>> from tsbn.judging import by_model, report
>>> parts = tsbn.datasets.load("walker", styles=["normal", "cat"], frames=120)
>>> scaler = tsbn.data.Scaler.fit(parts.train)
>>> model = tsbn.FCTSBN(hidden=(8,), factors=4, steps=20).fit(scaler.transform(parts.train))
>>> found = report(by_model(model, scaler), parts.train, frames=60, seeds=2, figure=parts.figure)
>>> [row.style for row in found.rows]
['normal', 'cat']
"""

from tsbn.judging.between_styles import Transition, Transitions, transitions
from tsbn.judging.generators import Generator, by_model, replay
from tsbn.judging.lasting import Lasting
from tsbn.judging.per_style import Report, Row, beside, report
from tsbn.judging.recognition import Recogniser
from tsbn.judging.tables import markdown
from tsbn.judging.yardstick import Yardstick

__all__ = [
    "Generator",
    "Lasting",
    "Recogniser",
    "Report",
    "Row",
    "Transition",
    "Transitions",
    "Yardstick",
    "beside",
    "by_model",
    "markdown",
    "replay",
    "report",
    "transitions",
]
