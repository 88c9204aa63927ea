"""Explains an event of a run or of a running cluster: its causes, in sentences with their times.

Explains the violation of a failed run as well.
"""

from collections.abc import Sequence

from kraftsim.scenarios.explaining.breach import Breach, breach
from kraftsim.scenarios.running.beside_rows import BesideRows, beside_rows
from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.run import Run
from kraftsim.scenarios.running.sentences import sentence
from kraftsim.scenarios.running.story import times_text
from kraftsim.scenarios.running.watch import Violation
from kraftsim.simulation.event_row import EventRow

from .errors import UnknownEvent


def explanation(
    rows: Sequence[EventRow], seq: int, beside: BesideRows, begins_us: int | None = None
) -> list[str]:
    """Returns the causes of event `seq` in order, the first cause first, one line per row.

    `begins_us` is the virtual time at which the timetable of a scenario begins. Raises UnknownEvent
    if the journal does not have the event.
    """
    try:
        causes = chain(rows, seq)
    except KeyError:
        raise UnknownEvent.of(seq, [row.seq for row in rows]) from None
    return [_line(row, beside, begins_us) for row in causes]


def _line(row: EventRow, beside: BesideRows, begins_us: int | None) -> str:
    return f"{_times(row.t_us, begins_us)}  {sentence([row], beside)}"


def _times(t_us: int, begins_us: int | None) -> str:
    return times_text(t_us, None if begins_us is None else t_us - begins_us)


def explained(run: Run, violation: Violation) -> tuple[Breach, list[str]]:
    """Returns why a run failed, and its causes in lines, of which the last is the violation."""
    rows, begins_us = run.world.journal.since(0), run.stage.timetable_begins_us
    beside = beside_rows(run.world, run.stage.faults, rows)
    found = breach(run, violation, beside)
    lines = [_line(row, beside, begins_us) for row in found.causes]
    end = f"{found.event}: {found.name} is broken".removeprefix(": ")
    return found, [*lines, f"{_times(found.t_us, begins_us)}  {end}"]
