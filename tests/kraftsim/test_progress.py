"""Who waits is told how far a run has come: at a terminal, or in a log."""

import io

from kraftsim.cli import progress
from kraftsim.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def told(monkeypatch, stream, *, is_enabled=True, step_s=1):
    """What stands there after a run whose every word comes a second after the one before."""
    now_s = iter(range(0, 1000, step_s))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(now_s)))
    shown = Progress(is_enabled=is_enabled, stream=stream)
    shown.write("monkey-day seed 17: 3600 of 86400 virtual seconds")
    shown.clear()
    return stream.getvalue()


def test_a_long_run_says_how_far_it_has_come_and_clears_the_line(monkeypatch):
    lines = told(monkeypatch, Terminal()).split("\r")

    assert "monkey-day seed 17: 3600 of 86400 virtual seconds" == lines[1].strip()
    assert "" == lines[-2].strip()


def test_a_log_gets_a_line_now_and_then(monkeypatch):
    line = "monkey-day seed 17: 3600 of 86400 virtual seconds\n"

    assert "" == told(monkeypatch, io.StringIO(), step_s=29)
    assert line == told(monkeypatch, io.StringIO(), step_s=30)


def test_nothing_is_said_where_nobody_asked(monkeypatch):
    assert "" == told(monkeypatch, io.StringIO(), is_enabled=False, step_s=30)
    assert "" == told(monkeypatch, Terminal(), is_enabled=False)
