"""What the properties remember of a broker's log (S44): as far as replies told, also after a
snapshot."""

import pytest

from kraftsim.broker_agent.metadata_fetch import LogPosition
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    EpochEndOffset,
    FetchPartitionData,
    SnapshotId,
    SnapshotPartitionData,
)
from kraftsim.scenarios.oracles.broker_memory import LogMemory


def record(offset: int, epoch: int) -> Batch:
    return Batch(
        base_offset=offset, epoch=epoch, timestamp_ms=0, records=(NoOpRecord(),), versions=(0,)
    )


@pytest.mark.rule("10.34")
def test_a_truncation_after_a_snapshot_ends_in_the_epoch_of_the_snapshot():
    """Nothing of the log before the snapshot counts."""
    memory, position = LogMemory(), LogPosition()
    snapshot = SnapshotId(end_offset=100, epoch=7)

    memory.told_of_fetch(FetchPartitionData(partition_index=0, records=(record(0, 2),)))
    memory.told_of_fetch(FetchPartitionData(partition_index=0, snapshot_id=snapshot))
    memory.told_of_slice(
        SnapshotPartitionData(snapshot_id=snapshot, size=1, unaligned_records=b"x")
    )
    memory.told_of_fetch(FetchPartitionData(partition_index=0, records=(record(100, 9),)))
    memory.told_of_fetch(
        FetchPartitionData(
            partition_index=0, diverging_epoch=EpochEndOffset(epoch=8, end_offset=105)
        )
    )
    position.append([record(0, 2)])
    position.begin_at(100, 7)
    position.append([record(100, 9)])
    position.truncate(epoch=8, end_offset=105)

    assert (100, 7) == (memory.end_offset, memory.last_epoch)
    assert (100, 7) == (position.end_offset, position.last_epoch)
    assert memory.is_certain
