"""rpc.forge: replies to the fetches of controllers that no leader could send (rules 9.33, 10.34).

Which they are is drawn among those that fit the request: everything else in the reply is right.
So only the leader's replies are forged: one that claims another leader of an epoch is no reply that
Kafka survives either.
"""

from collections.abc import Iterator
from functools import partial
from random import Random

from kraftsim.controller.core import rpc
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.controller.raft.roles import Leader
from kraftsim.simulation.requests.aim import Aim
from kraftsim.simulation.requests.forging import Forge
from kraftsim.simulation.requests.rule import RequestRule
from kraftsim.simulation.world import World

from ..stage.stage import Stage
from .request_matching import Requests

GARBAGE = b"\xff" * 40


class ForgeReplies(Requests, word="rpc.forge"):
    """Answers Fetch and FetchSnapshot requests of controllers with replies that no leader sends.

    Such are batches after a gap or of a wrong epoch, a snapshot or a truncation before the high
    watermark, and slices of another snapshot. The requests are not handled. Only the leader of the
    request's epoch forges replies; other controllers handle the request.
    """

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return Forge(aim, partial(_forged, stage.world, stage.stream(f"fault/{fault_id}")))


def _forged(
    world: World, stream: Random, request: rpc.Request, receiver: NodeId
) -> rpc.Response | None:
    match request:
        case rpc.FetchRequest():
            asked = request.topics[0].partitions[0]
            leader = _leader(world, receiver, asked)
            return None if leader is None else _forged_fetch(stream, asked, leader)
        case rpc.FetchSnapshotRequest():
            slice_ = request.topics[0].partitions[0]
            leader = _leader(world, receiver, slice_)
            return None if leader is None else _forged_slice(stream, slice_, leader)
        case _:
            return None


def _leader(
    world: World, receiver: NodeId, asked: rpc.FetchPartition | rpc.SnapshotPartition
) -> rpc.LeaderIdAndEpoch | None:
    """Returns the receiver, if it is the leader of the epoch that the request names."""
    process = world.controllers.get(receiver.number)
    epoch = asked.current_leader_epoch
    if process is None or process.node.quorum.epoch != epoch:
        return None
    is_leader = isinstance(process.node.quorum.role, Leader)
    return (
        rpc.LeaderIdAndEpoch(leader_id=receiver.number, leader_epoch=epoch) if is_leader else None
    )


def _forged_fetch(
    stream: Random, asked: rpc.FetchPartition, leader: rpc.LeaderIdAndEpoch
) -> rpc.FetchResponse:
    data = stream.choice([*_impossible_data(asked, leader)])
    return rpc.FetchResponse(
        responses=(rpc.FetchTopicData(topic_id=METADATA_TOPIC_ID, partitions=(data,)),)
    )


def _forged_slice(
    stream: Random, asked: rpc.SnapshotPartition, leader: rpc.LeaderIdAndEpoch
) -> rpc.FetchSnapshotResponse:
    part = stream.choice([*_impossible_slices(asked, leader)])
    topic = rpc.SnapshotTopicData(name=METADATA_TOPIC, partitions=(part,))
    return rpc.FetchSnapshotResponse(topics=(topic,))


def _impossible_data(
    asked: rpc.FetchPartition, leader: rpc.LeaderIdAndEpoch
) -> Iterator[rpc.FetchPartitionData]:
    """Yields the data of replies to a Fetch that no leader of this epoch could send."""
    offset, epoch, known = asked.fetch_offset, leader.leader_epoch, asked.high_watermark
    data = partial(
        rpc.FetchPartitionData, partition_index=0, high_watermark=known, current_leader=leader
    )
    yield data(snapshot_id=rpc.SnapshotId(end_offset=offset + 10, epoch=epoch + 1))
    yield data(snapshot_id=rpc.SnapshotId(end_offset=0, epoch=epoch))
    if known > 1:
        yield data(snapshot_id=rpc.SnapshotId(end_offset=known - 1, epoch=epoch))
    if known > 0:
        last_epoch = asked.last_fetched_epoch
        yield data(diverging_epoch=rpc.EpochEndOffset(epoch=last_epoch, end_offset=known - 1))
    yield data(records=(_batch(offset + 1, epoch),))
    yield data(records=(_batch(offset, epoch + 1),))
    yield data(records=(_batch(offset, asked.last_fetched_epoch - 1),))


def _batch(base_offset: int, epoch: int) -> Batch:
    return Batch(
        base_offset=base_offset, epoch=epoch, timestamp_ms=0, records=(NoOpRecord(),), versions=(0,)
    )


def _impossible_slices(
    asked: rpc.SnapshotPartition, leader: rpc.LeaderIdAndEpoch
) -> Iterator[rpc.SnapshotPartitionData]:
    """Yields slices that are not the next one of the snapshot, and one that cannot be decoded."""
    wanted, at = asked.snapshot_id, asked.position
    other = rpc.SnapshotId(end_offset=wanted.end_offset + 1, epoch=wanted.epoch)
    part = partial(rpc.SnapshotPartitionData, current_leader=leader)
    size = at + len(GARBAGE)
    yield part(snapshot_id=other, size=size, position=at, unaligned_records=GARBAGE)
    yield part(snapshot_id=wanted, size=size + 1, position=at + 1, unaligned_records=GARBAGE)
    yield part(snapshot_id=wanted, size=size, position=at, unaligned_records=b"")
    yield part(snapshot_id=wanted, size=at, position=at, unaligned_records=GARBAGE)
    yield part(snapshot_id=wanted, size=size, position=at, unaligned_records=GARBAGE)
