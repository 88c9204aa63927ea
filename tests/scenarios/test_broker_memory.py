"""What the properties remember of a broker's log (S44): as far as replies told, also after a
snapshot."""

import pytest

from kraftsim.broker_agent.metadata_fetch import LogPosition
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.node_id import broker_node, controller_node
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerListener,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    EpochEndOffset,
    FetchPartition,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchTopic,
    FetchTopicData,
    SnapshotId,
    SnapshotPartition,
    SnapshotPartitionData,
    SnapshotTopic,
)
from kraftsim.scenarios.oracles.broker_memory import LogMemory
from kraftsim.scenarios.oracles.property import Broken
from kraftsim.scenarios.properties.broker_questions import BrokersAskByTheRules
from kraftsim.simulation.message import Message
from tests.scenarios.watched import watched_world

BROKER, LEADER = broker_node(1), controller_node(3000)


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


def test_the_reply_to_a_copy_of_a_repeated_fetch_tells_nothing():
    """A hunt: the broker had fetched a snapshot in between, which the leader did not have."""
    world, _ = watched_world(1, classes=())
    asks = BrokersAskByTheRules(world)
    first = FetchPartition(
        partition=0, current_leader_epoch=0, fetch_offset=0, last_fetched_epoch=0, high_watermark=0
    )
    fetch = FetchRequest(topics=(FetchTopic(partitions=(first,)),))
    snapshot = SnapshotId(end_offset=64, epoch=1)
    slice_of_it = SnapshotPartition(current_leader_epoch=0, snapshot_id=snapshot, position=0)
    download = FetchSnapshotRequest(
        topics=(SnapshotTopic(name="__cluster_metadata", partitions=(slice_of_it,)),)
    )
    newer = told_to_download(SnapshotId(end_offset=68, epoch=3))

    for request, reply in ((fetch, told_to_download(snapshot)), (download, None), (fetch, newer)):
        asks.sent(BROKER, request)
        asks.replied(answer(request, reply))
    asks.sent(BROKER, fetch)

    assert asks.exercised == 4


@pytest.fixture
def registered():
    """S44, with a broker 1 that was granted the epoch 7."""
    world, _ = watched_world(1, classes=())
    asks, spec = BrokersAskByTheRules(world), world.hosts[BROKER].spec
    registration = BrokerRegistrationRequest(
        broker_id=1,
        cluster_id=world.topology.cluster_id,
        incarnation_id=bytes(16),
        listeners=(BrokerListener(name="PLAINTEXT", host=spec.host, port=spec.port),),
        rack=spec.rack,
        log_dirs=tuple(of.directory_id for of in world.hosts[BROKER].log_dirs),
    )
    asks.sent(BROKER, registration)
    asks.replied(answer(registration, BrokerRegistrationResponse(broker_epoch=7)))
    return asks


def heartbeat(*, is_behind=True):
    return BrokerHeartbeatRequest(
        broker_id=1,
        broker_epoch=7,
        current_metadata_offset=0,
        want_fence=is_behind,
        want_shut_down=False,
    )


def answer(request, reply):
    return Message(LEADER, BROKER, request, is_reply=True, reply=reply)


def test_the_reply_to_a_copy_of_a_heartbeat_tells_nothing(registered):
    """Hunt 70: the broker had the first reply, which was that of the heartbeat before."""
    behind, caught_up = BrokerHeartbeatResponse(), BrokerHeartbeatResponse(is_caught_up=True)
    before, doubled = heartbeat(), heartbeat()

    registered.sent(BROKER, before)
    registered.replied(answer(before, behind))
    registered.sent(BROKER, doubled)
    registered.replied(answer(doubled, behind))
    registered.replied(answer(doubled, caught_up))
    registered.sent(BROKER, heartbeat())

    with pytest.raises(Broken, match="want fence no"):
        registered.sent(BROKER, heartbeat(is_behind=False))


def told_to_download(snapshot: SnapshotId) -> FetchResponse:
    data = FetchPartitionData(partition_index=0, snapshot_id=snapshot)
    return FetchResponse(responses=(FetchTopicData(partitions=(data,)),))
