"""Explains an event of a run or of a running cluster: its causes, in sentences with their times."""

from collections.abc import Sequence

from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.sentences import sentence
from kraftsim.simulation.event_row import EventRow

from .errors import CommandError


def explanation(rows: Sequence[EventRow], seq: int) -> list[str]:
    """Returns the causes of event `seq` in order, the first cause first, one line per row.

    Raises CommandError if the journal does not have the event.
    """
    try:
        causes = chain(rows, seq)
    except KeyError:
        numbers = f"{rows[0].seq} to {rows[-1].seq}" if rows else "none"
        raise CommandError(
            f"no event {seq}: expected a number of an event in the journal ({numbers})"
        ) from None
    return [f"{row.t_us / 1e6:9.3f} s  {sentence([row])}" for row in causes]
