"""An operator's questions about a cluster, answered from what its nodes answer to Kafka's APIs."""

from typing import NamedTuple, cast

from kraftsim.broker_agent.configurations import properties
from kraftsim.broker_agent.descriptions import describe_topic_partitions
from kraftsim.controller.core.configs.describe_configs import describe_configs
from kraftsim.controller.core.configs.node_configs import NodeView
from kraftsim.controller.core.log.records import NO_LEADER, TOPIC_RESOURCE
from kraftsim.controller.core.rpc import (
    DescribedPartition,
    DescribeTopicPartitionsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from kraftsim.controller.core.rpc.configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from kraftsim.simulation.clients.listeners import LISTENER
from kraftsim.simulation.world import World

CONFIGS = MIN_ISR, RETENTION, POLICY = "min.insync.replicas", "retention.ms", "cleanup.policy"
PARTITIONS_MAX = 100_000
WEEK_MS = "604800000"  # retention.ms by default


class Place(NamedTuple):
    """A partition, by the name of its topic."""

    topic: str
    index: int


class Answers:
    """What a broker answers to DescribeTopicPartitions and DescribeConfigs, of every topic."""

    def __init__(self, world: World, asked: int) -> None:
        agent = world.agents[asked].agent
        request = DescribeTopicPartitionsRequest(topics=(), response_partition_limit=PARTITIONS_MAX)
        reply = describe_topic_partitions(agent.image, request, LISTENER, PARTITIONS_MAX)
        self.partitions: dict[Place, DescribedPartition] = {
            Place(topic.name or "", partition.partition_index): partition
            for topic in reply.topics
            for partition in topic.partitions
        }
        config, image = agent.config, agent.image
        view = NodeView(
            node_id=asked, profile=config.profile, image=image, static=properties(config)
        )
        resources = tuple(
            DescribeConfigsResource(
                resource_type=TOPIC_RESOURCE, resource_name=name, configuration_keys=CONFIGS
            )
            for name in sorted({place.topic for place in self.partitions})
        )
        configs = describe_configs(view, DescribeConfigsRequest(resources=resources))
        self._configs = {
            result.resource_name: {entry.name: entry.value for entry in result.configs}
            for result in cast(DescribeConfigsResponse, configs).results
        }

    def may_stop(self, broker_id: int) -> bool:
        """May I restart this broker?

        Every partition of it has a leader, and without it an ISR that accepts acks=all.
        """
        return all(
            partition.leader_id != NO_LEADER
            and len({*partition.isr_nodes} - {broker_id}) >= self._least(place)
            for place, partition in self.partitions.items()
            if broker_id in partition.replica_nodes
        )

    def may_remove(self, broker_id: int) -> bool:
        """May I remove this broker? It has no replica."""
        return not self.hosted(broker_id)

    def hosted(self, broker_id: int) -> list[Place]:
        """The partitions of which the broker has a replica."""
        known = self.partitions.items()
        return [place for place, partition in known if broker_id in partition.replica_nodes]

    def is_replicated(self, place: Place) -> bool:
        """Is the partition replicated? All its replicas are in sync."""
        partition = self.partitions[place]
        is_whole = {*partition.isr_nodes} == {*partition.replica_nodes}
        return is_whole and partition.leader_id != NO_LEADER and not partition.offline_replicas

    def keeps(self, place: Place) -> bool:
        """True if no record of the topic is deleted during a run."""
        configs = self._configs[place.topic]
        return configs[POLICY] == "delete" and configs[RETENTION] == WEEK_MS

    def _least(self, place: Place) -> int:
        """Returns the size of an ISR that accepts acks=all, and has a leader."""
        replicas = len(self.partitions[place].replica_nodes)
        configured = int(self._configs[place.topic][MIN_ISR] or "")
        return max(1, min(configured, replicas))


def reassigning(world: World) -> set[Place] | None:
    """The partitions that the active controller lists as being reassigned; None without one."""
    replies: list[object] = []
    world.dispatch(ListPartitionReassignmentsRequest(), replies.append)
    if not replies or not isinstance(replies[0], ListPartitionReassignmentsResponse):
        return None
    return {
        Place(topic.name, partition.partition_index)
        for topic in replies[0].topics
        for partition in topic.partitions
    }
