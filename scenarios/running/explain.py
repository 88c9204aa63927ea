"""Explains an event by the chain of journal rows that led to it."""

from collections.abc import Sequence

from kraftsim.simulation.event_row import EventRow

LINES_MAX = 20
# the events that users ask about
ASKED_FOR = ("broker_fenced", "broker_unfenced", "controller_elected")


def chain(rows: Sequence[EventRow], seq: int, rows_max: int = LINES_MAX) -> list[EventRow]:
    """Returns the chain of causes of the row `seq` in the order of time; that row is the last.

    Returns at most the last `rows_max` rows. The chain begins at a row whose cause is unknown or no
    longer in `rows`. Raises KeyError if `rows` has no row `seq`.
    """
    by_seq = {row.seq: row for row in rows}
    links = [by_seq[seq]]
    while len(links) < rows_max:
        cause_seq = links[-1].cause_seq
        if cause_seq is None or cause_seq not in by_seq:
            break
        links.append(by_seq[cause_seq])
    return links[::-1]
