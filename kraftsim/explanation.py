"""Explains an event of a run or of a running cluster: its causes, in sentences with their times."""

from collections.abc import Sequence

from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.sentences import sentence
from kraftsim.simulation.event_row import EventRow

from .errors import UnknownEvent


def explanation(rows: Sequence[EventRow], seq: int) -> list[str]:
    """Returns the causes of event `seq` in order, the first cause first, one line per row.

    Raises UnknownEvent if the journal does not have the event.
    """
    try:
        causes = chain(rows, seq)
    except KeyError:
        raise UnknownEvent(seq, [row.seq for row in rows]) from None
    return [f"{row.t_us / 1e6:9.3f} s  {sentence([row])}" for row in causes]
