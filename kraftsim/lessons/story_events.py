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
        waited_for = _waited_for(first, beside)
        brokers = {by_seq[seq].broker_id for seq in line.seqs} - {None}
        yield {
            "seq": line.seq,
            "lastSeq": line.seqs[-1],
            "atUs": line.t_us,
            "kind": line.kind,
            "node": first.node,
            "brokerIds": sorted(broker for broker in brokers if broker is not None),
            "causeSeq": first.cause_seq if waited_for is None else waited_for,
            "faultId": first.fault_id,
            "what": _what([by_seq[seq] for seq in line.seqs], beside),
            "text": line.text,
            "say": str(first.detail.get("say", "")),
        }


def _waited_for(row: EventRow, beside: BesideRows) -> int | None:
    """Returns the number of the row for which the step of a fault that begins waited."""
    fault = beside.fault_of(row) if row.kind == "fault_begins" else None
    return None if fault is None else fault.after_seq


def _what(rows: Sequence[EventRow], beside: BesideRows) -> str:
    """Returns the verb of a fault, the refused API, or which sets of partitions changed."""
    if rows[0].kind == "partition_changed":
        changes = beside.changes_of(rows)
        is_moved = any(change.before.replicas != change.after.replicas for change in changes)
        return "replicas" if is_moved else "in sync"
    detail = rows[0].detail
    return str(detail.get("verb", detail.get("asked", "")))
