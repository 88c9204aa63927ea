"""Why something happened: the rows that led to it, one from the other, and nothing but rows."""

from collections.abc import Sequence

from kraftsim.simulation.event_row import EventRow

LINES_MAX = 20
ASKED_FOR = ("broker_fenced", "broker_unfenced", "controller_elected")  # what people ask about


def chain(rows: Sequence[EventRow], seq: int) -> list[EventRow]:
    """What led to row `seq`, the first cause first, and that row itself. The nearest ones where
    there are many; it ends where a cause is not known, or no longer kept. KeyError: no such row."""
    by_seq = {row.seq: row for row in rows}
    links = [by_seq[seq]]
    while len(links) < LINES_MAX:
        cause_seq = links[-1].cause_seq
        if cause_seq is None or cause_seq not in by_seq:
            break
        links.append(by_seq[cause_seq])
    return links[::-1]
