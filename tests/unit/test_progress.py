"""The progress line is silent on short fits, redraws on terminals and keeps a log elsewhere."""

import io
from types import SimpleNamespace

import pytest

from widemargin.progress import ProgressLine, duration


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


def state(iteration, violation):
    return SimpleNamespace(
        iteration=iteration,
        violation=violation,
        objective=1.0,
        active_size=40,
        kernel_evaluations=900,
        seconds=0.0,
    )


def feed(line, clock, states):
    for clock.seconds, iteration, violation in states:
        assert line(state(iteration, violation)) is None
    line.close()


def test_short_fits_show_nothing():
    stream, clock = Terminal(), Clock()
    feed(ProgressLine(1e-3, stream, clock=clock), clock, [(0.1, 5, 1.0), (0.4, 9, 1e-3)])
    assert stream.getvalue() == ""


def test_a_terminal_gets_one_line_redrawn_and_ended(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    stream, clock = Terminal(), Clock()
    feed(ProgressLine(1e-3, stream, clock=clock), clock, [(0.6, 5, 1.0), (0.7, 6, 0.5), (0.9, 2000, 0.01)])
    assert stream.getvalue().count("\r") == 2
    assert stream.getvalue().count("\n") == 1
    assert "iteration 2,000" in stream.getvalue()


def test_a_log_gets_plain_lines_now_and_then():
    stream, clock = io.StringIO(), Clock()
    feed(ProgressLine(1e-3, stream, clock=clock), clock, [(k / 2, k + 1, 1.0) for k in range(50)])
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert all("violation 1.0e+00" in line and "active 40" in line for line in lines)
    assert "\r" not in stream.getvalue()


@pytest.mark.parametrize(("violation", "filled"), [(10.0, 0), (0.1, 5), (1e-3, 10), (1e-5, 10)])
def test_the_bar_fills_with_the_logarithm_of_the_violation(violation, filled):
    stream, clock = io.StringIO(), Clock()
    line = ProgressLine(1e-3, stream, delay=0.0, period=0.0, clock=clock)
    feed(line, clock, [(0.0, 1, 10.0), (1.0, 2, violation)])
    assert stream.getvalue().splitlines()[-1].count("#") == filled


def test_the_bar_never_goes_back():
    stream, clock = io.StringIO(), Clock()
    line = ProgressLine(1e-3, stream, delay=0.0, period=0.0, clock=clock)
    feed(line, clock, [(0.0, 1, 10.0), (1.0, 2, 0.1), (2.0, 3, 5.0)])
    *_, last = stream.getvalue().splitlines()
    assert last.count("#") == 5 and "violation 5.0e+00" in last


@pytest.mark.parametrize("columns", [60, 80, 100, 120])
def test_a_narrow_terminal_gets_whole_numbers(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    stream, clock = Terminal(), Clock()
    line = ProgressLine(1e-3, stream, delay=0.0, clock=clock)
    feed(line, clock, [(1.0, 123456, 1.0)])
    shown = stream.getvalue().removeprefix("\r\x1b[K").rstrip()
    assert len(shown) < columns
    assert line.sentence(state(123456, 1.0), 1.0).startswith(shown)
    assert shown.split()[-1] in ("1e-03", "123,456", "40", "9.0e+02")


def test_the_bar_starts_again_with_the_next_problem():
    stream, clock = io.StringIO(), Clock()
    line = ProgressLine(1e-3, stream, delay=0.0, period=0.0, clock=clock)
    feed(line, clock, [(0.0, 1, 10.0), (1.0, 9, 1e-3), (2.0, 1, 5.0)])
    assert [text.count("#") for text in stream.getvalue().splitlines()] == [0, 10, 0]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (60, "1 m 00 s"), (3599.4, "59 m 59 s"), (7265, "2 h 01 m")],
)
def test_durations_read_as_a_person_says_them(seconds, words):
    assert duration(seconds) == words
