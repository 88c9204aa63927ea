"""Three brokers, a topic on them, and a network that a test cuts or slows."""

from dataclasses import dataclass, field
from functools import partial as bound
from typing import Any

from kraftsim.broker_agent.log.log import Log
from kraftsim.controller.core.log.records import BROKER_RESOURCE, TOPIC_RESOURCE
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.core.rpc.stored_messages import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.batches import batch
from tests.broker_agent.test_log_histories import messages_of
from tests.worlds import ask, create_topic, node, partition, pass_time, world_of

LEADER, FOLLOWER, OTHER = 1, 2, 3
ALL, ONE = -1, 1
LATEST = -1
LAG_S = 30  # replica.lag.time.max.ms; a turn of isr-expiration is half of it
WAIT_S = 600


@dataclass
class Cluster:
    """Three brokers, and a topic on them or on two of them."""

    replicas: tuple[int, ...] = (LEADER, FOLLOWER)
    world: Any = field(default_factory=bound(world_of, 3))

    def __post_init__(self) -> None:
        create_topic(self.world, "t", self.replicas)
        pass_time(self.world, 2)
        self.messages = {number: messages_of(self.world, number) for number in (1, 2, 3)}

    def write(
        self, value: bytes, *, acks: int = ONE, at: int = LEADER, topic: str = "t"
    ) -> list[Any]:
        """Returns a list that gets the result as soon as the broker replies."""
        data = PartitionProduceData(
            index=0, records=batch(value, at_ms=self.world.timeline.wall_ms)
        )
        topic_id = self.world.committed.topic_ids[topic]
        written = TopicProduceData(name=topic, topic_id=topic_id, partition_data=(data,))
        request = ProduceRequest(
            acks=acks,
            timeout_ms=WAIT_S * 1000,
            requester=Requester(version=13),
            topic_data=(written,),
        )
        results: list[Any] = []

        def reply(response: Any) -> None:
            results.append(response.responses[0].partition_responses[0])

        self.messages[at].produce(request, reply)
        return results

    def end_for_clients(self, version: int, *, at: int = LEADER) -> tuple[int, int]:
        """Error and offset with which ListOffsets says where the committed records end."""
        latest = ListOffsetsPartition(partition_index=0, timestamp=-1)
        topic = ListOffsetsTopic(name="t", partitions=(latest,))
        request = ListOffsetsRequest(
            replica_id=-1, requester=Requester(version=version), topics=(topic,)
        )
        (found,) = self.messages[at].list_offsets(request).topics[0].partitions
        return found.error_code, found.offset

    def log(self, broker_id: int) -> Log:
        return self.world.agents[broker_id].store.logs[self.world.committed.topic_ids["t"], 0]

    def end_of_log(self, broker_id: int) -> int:
        """The end of a broker's log; 0 if it has none."""
        key = (self.world.committed.topic_ids["t"], 0)
        log = self.world.agents[broker_id].store.logs.get(key)
        return 0 if log is None else log.end_offset

    def reassign(self, *replicas: int) -> None:
        """Asks for other replicas of the partition."""
        target = ReassignablePartition(partition_index=0, replicas=replicas)
        topic = ReassignableTopic(name="t", partitions=(target,))
        ask(self.world, AlterPartitionReassignmentsRequest(topics=(topic,)))
        pass_time(self.world, 1)

    def committed(self) -> int:
        """The high watermark, as a client sees it at the leader."""
        wanted = ListOffsetsPartition(partition_index=0, timestamp=LATEST)
        topics = (ListOffsetsTopic(name="t", partitions=(wanted,)),)
        response: Any = self.messages[LEADER].list_offsets(
            ListOffsetsRequest(replica_id=-1, topics=topics)
        )
        return int(response.topics[0].partitions[0].offset)

    def isr(self) -> tuple[int, ...]:
        return partition(self.world, "t").isr

    def cut(self, broker_id: int) -> None:
        """Cuts the broker's links to other brokers, and keeps those to the controller."""
        self.world.network.isolate(node(broker_id), [node(number) for number in (1, 2, 3)])

    def configure(self, name: str, value: str) -> None:
        """Sets a configuration of the topic."""
        self._configure(TOPIC_RESOURCE, "t", name, value)

    def configure_broker(self, broker_id: int, name: str, value: str) -> None:
        self._configure(BROKER_RESOURCE, str(broker_id), name, value)

    def _configure(self, resource_type: int, resource_name: str, name: str, value: str) -> None:
        config = AlterableConfig(name=name, config_operation=0, value=value)
        resource = IncrementalAlterConfigsResource(
            resource_type=resource_type, resource_name=resource_name, configs=(config,)
        )
        ask(self.world, IncrementalAlterConfigsRequest(resources=(resource,)))
        pass_time(self.world, 1)

    def truncations(self) -> list[tuple[int | None, dict[str, Any]]]:
        rows = self.world.journal.since(0)
        return [(row.broker_id, row.detail) for row in rows if row.kind == "records_truncated"]
