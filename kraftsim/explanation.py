"""Explains an event of a run or of a running cluster: its causes, in sentences with their times."""

from collections.abc import Sequence

from kraftsim.scenarios.running.beside_rows import BesideRows
from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.sentences import sentence
from kraftsim.scenarios.running.story import times_text
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
    return [
        f"{times_text(row.t_us, None if begins_us is None else row.t_us - begins_us)}  "
        f"{sentence([row], beside)}"
        for row in causes
    ]
