"""The events of a story as a page shows them: rows in sentences, folded by instant."""

from collections.abc import Iterator, Sequence

from kraftsim.scenarios.running.beside_rows import BesideRows
from kraftsim.scenarios.running.story import story_of
from kraftsim.simulation.event_row import EventRow

from .documents import StoryEvent


def story_events(
    rows: Sequence[EventRow], beside: BesideRows, begin_us: int | None = None
) -> Iterator[StoryEvent]:
    """Yields an event for each line of the story about `rows`."""
    by_seq = {row.seq: row for row in rows}
    for line in story_of(rows, beside, begin_us):
        first = by_seq[line.seq]
        brokers = {by_seq[seq].broker_id for seq in line.seqs} - {None}
        yield {
            "seq": line.seq,
            "lastSeq": line.seqs[-1],
            "atUs": line.t_us,
            "kind": line.kind,
            "node": first.node,
            "brokerIds": sorted(broker for broker in brokers if broker is not None),
            "causeSeq": first.cause_seq,
            "faultId": first.fault_id,
            "text": line.text,
            "say": str(first.detail.get("say", "")),
        }
