"""Requests about many partitions, which are decided in slices."""

from kraftsim.controller.core.log.records import TOPIC_RESOURCE
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    ReassignablePartition,
    ReassignableTopic,
    Request,
)
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)


def creation(count: int, partitions: int = 1, name: str = "t") -> CreateTopicsRequest:
    """A request for `count` topics, with `name` and a number as their names."""
    topics = (
        CreatableTopic(name=f"{name}{number}", num_partitions=partitions, replication_factor=3)
        for number in range(count)
    )
    return CreateTopicsRequest(topics=tuple(topics))


def growth(name: str, count: int) -> CreatePartitionsRequest:
    return CreatePartitionsRequest(topics=(CreatePartitionsTopic(name=name, count=count),))


def reassignment(name: str, count: int, *replicas: int) -> AlterPartitionReassignmentsRequest:
    """A request that gives the first `count` partitions of a topic these replicas."""
    partitions = (ReassignablePartition(partition_index=i, replicas=replicas) for i in range(count))
    topic = ReassignableTopic(name=name, partitions=tuple(partitions))
    return AlterPartitionReassignmentsRequest(topics=(topic,))


def election(*topics: tuple[str, tuple[int, ...]]) -> ElectLeadersRequest:
    """A request for preferred elections."""
    asked = (ElectedTopicPartitions(topic=name, partitions=ids) for name, ids in topics)
    return ElectLeadersRequest(election_type=0, topic_partitions=tuple(asked))


def alteration(*retentions: tuple[str, str]) -> IncrementalAlterConfigsRequest:
    """A request that gives topics a retention.ms."""
    resources = (
        IncrementalAlterConfigsResource(
            resource_type=TOPIC_RESOURCE,
            resource_name=name,
            configs=(AlterableConfig(name="retention.ms", config_operation=0, value=value),),
        )
        for name, value in retentions
    )
    return IncrementalAlterConfigsRequest(resources=tuple(resources))


def mixed() -> tuple[Request, ...]:
    """A request of each API that is decided in slices, of which Kafka accepts a part.

    There are brokers 1, 2 and 3, of which 3 is fenced, and topics "old" and "older" of six
    partitions that 1 does not lead although it is in sync.
    """
    manual = tuple(
        CreatableReplicaAssignment(partition_index=i, broker_ids=(3, 1, 2)) for i in range(5)
    )
    topics = (
        *creation(3, 4).topics,
        CreatableTopic(name="old"),
        CreatableTopic(name="manual", assignments=manual),
        CreatableTopic(name="nobody", assignments=(*manual[:1], *manual[2:])),
        *creation(2, 2, name="u").topics,
    )
    grown = (
        CreatePartitionsTopic(name="old", count=10),
        CreatePartitionsTopic(name="none", count=10),
        CreatePartitionsTopic(
            name="older", count=7, assignments=(CreatePartitionsAssignment(broker_ids=(2, 1)),)
        ),
    )
    moves = [(0, (2, 1)), (1, (2, 9)), (2, None), (2, (2,)), (9, (1,)), (3, (3, 2)), (4, (1, 3))]
    moved = tuple(ReassignablePartition(partition_index=i, replicas=to) for i, to in moves)
    return (
        CreateTopicsRequest(topics=topics),
        CreatePartitionsRequest(topics=grown),
        AlterPartitionReassignmentsRequest(
            topics=(
                ReassignableTopic(name="old", partitions=moved),
                ReassignableTopic(name="none", partitions=moved[:2]),
                ReassignableTopic(name="older", partitions=()),
                ReassignableTopic(name="older", partitions=moved[::-1]),
            )
        ),
        alteration(
            *(("none", "1"), ("older", "1000"), ("no", "1"), ("old", "x"), ("nobody", "1")),
            *(("none", "2"), ("nothing", "1"), ("nowhere", "1")),
        ),
        election(("old", (0, 5, 9, 1)), ("none", (0,)), ("older", ()), ("older", (3, 3))),
        ElectLeadersRequest(election_type=0, topic_partitions=None),
    )
