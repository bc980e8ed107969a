"""Bars of work within other work stand below each other, and go when they are done."""

import io
import sys

import pytest

import tsbn.progress
from tsbn.progress import bars


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_only_the_outermost_bar_stays(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with bars() as outer, bars() as inner:
        assert (outer.live.transient, inner.live.transient) == (False, True)
    with bars() as alone:
        assert not alone.live.transient


def test_where_nobody_watches_nothing_is_shown(capsys):
    with bars() as outer:
        outer.add_task("outer work", total=1)
        with bars(show=True) as inner:
            inner.add_task("inner work", total=1)
            assert not inner.live.transient  # nothing stands above it
    told = capsys.readouterr()
    assert told.out == ""
    assert "outer work" not in told.err
    assert "inner work" in told.err
    assert tsbn.progress._started == []


@pytest.mark.parametrize("recent", [30.0, float("inf")])
def test_the_time_left_of_slow_work_is_told_by_all_of_it(recent):
    now = iter(range(0, 100_000, 100))
    with bars(show=False, recent=recent) as shown:
        shown.get_time = lambda: float(next(now))
        task = shown.add_task("slow work", total=10)
        for _ in range(4):
            shown.advance(task, 1)
        left = shown.tasks[0].time_remaining
    assert left == (pytest.approx(600, rel=0.2) if recent > 30 else None)
