"""A story in which each setting of a controller matters: what the cluster writes and replies."""

from typing import Any

from kraftsim.broker_agent.topic_creation import TopicCreation
from kraftsim.controller.core.rpc import (
    AlterClientQuotasRequest,
    CreatableTopic,
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    DeleteTopicsRequest,
    DescribeAclsRequest,
    MetadataRequest,
    MetadataRequestTopic,
    Request,
)
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    QuotaEntityData,
    QuotaOperation,
)
from kraftsim.simulation.world import World
from tests.worlds import ask, pass_time, world_of

USUAL: dict[str, Any] = {
    "leader_imbalance_check_interval_seconds": 7,
    "unclean_leader_election_interval_ms": 9_000,
    "metadata_log_max_snapshot_interval_ms": 20_000,
    "metadata_log_max_record_bytes_between_snapshots": 3_000,
}
"""Settings that make the story short."""
SILENT_S = 12.3  # longer than a lease
RETURNED_S = 15.0
_EVERY_ACL = DescribeAclsRequest(
    resource_type_filter=1,
    resource_name_filter=None,
    principal_filter=None,
    host_filter=None,
    operation=1,
    permission_type=1,
)


def told(**settings: Any) -> str:
    """Returns the replies, the batches with their times, and the snapshots of the story."""
    world = world_of(3, controllers=3, **USUAL | settings)
    requests = [_mutation_rate(), *(_topic(f"t{number}") for number in range(12))]
    requests += [_topic("placed", num_partitions=6, replication_factor=3), _EVERY_ACL]
    requests += [DeleteTopicsRequest(topic_names=("t1",))]
    replies = [repr(ask(world, request)) for request in requests]
    for broker_id in (1, 2, 3):
        world.agents[broker_id].kill()
        pass_time(world, SILENT_S)
    for broker_id in (1, 2, 3):
        world.agents[broker_id].start()
        pass_time(world, RETURNED_S)
    replies.append(repr(ask(world, DecommissionBrokerRequest(broker_id=3, force=True))))
    leader_id = world.controller.node.config.node_id
    world.kill_controller(leader_id)
    pass_time(world, 7)
    world.start_controller(leader_id)
    pass_time(world, 5)
    batches = [
        (batch.base_offset, batch.timestamp_ms, batch.records)
        for batch in world.committed_log.batches
    ]
    snapshots = [controller.node.quorum.snapshot_id for controller in world.controllers.values()]
    return repr((replies, batches, snapshots, _topics_that_a_broker_creates(world)))


def _topics_that_a_broker_creates(world: World) -> list[object]:
    """Returns what a broker forwards when a client asks for topics that do not exist."""
    forwarded: list[object] = []
    topology = world.topology
    names = ("absent", "__consumer_offsets", "__transaction_state", "__share_group_state")
    TopicCreation(
        topology.profile,
        topology.settings,
        lambda request, _: forwarded.append(request),
        lambda: world.committed,
        print,
    ).create(MetadataRequest(topics=tuple(MetadataRequestTopic(name=name) for name in names)))
    return forwarded


def _topic(name: str, **fields: int) -> Request:
    return CreateTopicsRequest(topics=(CreatableTopic(name=name, **fields),))


def _mutation_rate() -> Request:
    of_every_user = QuotaEntityData(entity_type="user", entity_name=None)
    rate = QuotaOperation(key="controller_mutation_rate", value=1.0, remove=False)
    entry = AlterClientQuotasEntry(entity=(of_every_user,), ops=(rate,))
    return AlterClientQuotasRequest(entries=(entry,), validate_only=False)
