"""A follower of replica 2, what it asks, and what 2 answers."""

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchTopicData,
    LeaderIdAndEpoch,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from tests.raft.requests import begin
from tests.raft.standing import ME, standing


def answer(replicas, message, **fields):
    """What 2, who leads, answers to that fetch."""
    epoch = replicas.quorums[ME].epoch
    endpoints = fields.pop("endpoints", ())
    leader = fields.pop("leader", (2, epoch))
    usual = {
        "partition_index": 0,
        "current_leader": LeaderIdAndEpoch(leader_id=leader[0], leader_epoch=leader[1]),
        "records": (),
    }
    topic = FetchTopicData(
        topic_id=METADATA_TOPIC_ID, partitions=(FetchPartitionData(**(usual | fields)),)
    )
    replicas.answer(message, FetchResponse(responses=(topic,), node_endpoints=endpoints))


def batch(offset, epoch, count=1):
    return Batch(
        base_offset=offset,
        epoch=epoch,
        timestamp_ms=0,
        records=(NoOpRecord(),) * count,
        versions=(0,) * count,
    )


def the_fetch(replicas):
    (message,) = replicas.requests(FetchRequest, sender=ME)
    return message


def following():
    """ME follows 2 in epoch 1, has ten records of epoch 1, and its next fetch is on its way."""
    replicas = standing("unattached")
    replicas.ask(ME, begin(2, 1))
    answer(replicas, the_fetch(replicas), records=(batch(0, 1, 5), batch(5, 1, 5)))
    return replicas
