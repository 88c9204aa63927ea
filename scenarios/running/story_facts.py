"""The facts of a story's line as fields for programs, with names in lowerCamel."""

from collections.abc import Iterator, Sequence

from kraftsim.controller.core.camel_case import lower_camel
from kraftsim.simulation.event_row import EventRow

from .beside_rows import BesideRows
from .fault_words import fault_words
from .partition_changes import PartitionChange

FIELDS = ("node", "broker_id", "broker_epoch", "leader_epoch", "offset", "cause_seq", "fault_id")


def facts_of(rows: Sequence[EventRow], beside: BesideRows) -> dict[str, object]:
    """Returns the fields of the first row with its detail, and what the line has beside it."""
    row = rows[0]
    facts = {lower_camel(name): getattr(row, name) for name in FIELDS}
    facts |= {lower_camel(name): value for name, value in row.detail.items()}
    found = {name: value for name, value in facts.items() if value is not None}
    return found | dict(_beside(rows, beside))


def _beside(rows: Sequence[EventRow], beside: BesideRows) -> Iterator[tuple[str, object]]:
    row = rows[0]
    if row.kind == "partition_changed":
        yield "partitions", [_partition(change) for change in beside.changes_of(rows)]
    elif len(rows) > 1 and row.broker_id is not None:
        yield "brokers", [row.broker_id for row in rows]
    elif row.kind == "controller_stands":
        yield "elections", len(rows)
        yield "lastTUs", rows[-1].t_us
    fault = beside.fault_of(row)
    if fault is not None and row.kind in ("fault_begins", "fault_ends"):
        yield "hit", fault_words(fault)
        yield "targets", [[str(node) for node in group] for group in fault.targets]


def _partition(change: PartitionChange) -> dict[str, object]:
    before, after = change.before, change.after
    return {
        "topic": change.topic,
        "partition": change.partition,
        "leaderBefore": before.leader,
        "leader": after.leader,
        "isrBefore": before.isr,
        "isr": after.isr,
    }
