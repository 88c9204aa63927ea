"""Facts that journal rows lack: what a fault hit, and the state of a partition before a change.

Rows and their details are part of the digest of a run, so they do not have these facts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World

from ..stage.stage import Fault
from .partition_changes import PartitionChange, read_partitions


@dataclass(frozen=True, slots=True)
class BesideRows:
    """The faults of a run by their ids, and its changes of partitions by their offsets.

    `topics` has the names of topics by their ids in hexadecimal digits, `controllers` the ids of
    all controllers.
    """

    faults: Mapping[str, Fault] = field(default_factory=dict)
    changes: Mapping[int, PartitionChange] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    controllers: frozenset[int] = frozenset()

    def fault_of(self, row: EventRow) -> Fault | None:
        """Returns the fault that begins or ends with the row; None if it was forgotten."""
        return None if row.fault_id is None else self.faults.get(row.fault_id)

    def changes_of(self, rows: Sequence[EventRow]) -> list[PartitionChange]:
        """Returns the changes of partitions that these rows report."""
        offsets = (row.offset for row in rows if row.offset is not None)
        return [self.changes[offset] for offset in offsets if offset in self.changes]


def beside_rows(world: World, faults: Iterable[Fault], rows: Sequence[EventRow]) -> BesideRows:
    """Returns the facts beside the rows of a world."""
    partitions = read_partitions(world, rows)
    return BesideRows(
        faults={fault.fault_id: fault for fault in faults},
        changes=partitions.changes,
        topics={topic_id.hex(): name for topic_id, name in partitions.topics.items()},
        controllers=frozenset(world.controllers),
    )
