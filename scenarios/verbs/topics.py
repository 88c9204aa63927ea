"""Verbs of an admin on topics that exist: delete, grow, elect leaders, reassign, configure.

An effect is a reply with the expected result, as of the other verbs of an admin (`admin.py`).
"""

from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.core import rpc
from kraftsim.controller.core.configs.alteration import DELETE, SET
from kraftsim.controller.core.configs.resources import RESOURCES, wire_name
from kraftsim.controller.core.node_id import numbers_of
from kraftsim.controller.core.partitions.elect_leaders import ELECTIONS

from ..conditions.occurrences import ErrorName
from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .admin import send_requests
from .verb import Verb

PARTITIONS_MAX = 10_000  # the controller refuses more in one request
Partition = Annotated[int, Between(0, PARTITIONS_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTopic(Verb, word="topic.delete"):
    """Deletes a topic."""

    name: str
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        request = rpc.DeleteTopicsRequest(topics=(rpc.DeleteTopicState(name=self.name),))
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTopic(Verb, word="topic.alter"):
    """Adds partitions to a topic until it has `partitions` of them."""

    name: str
    partitions: Partition
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        topic = rpc.CreatePartitionsTopic(name=self.name, count=self.partitions)
        return send_requests(
            stage, rpc.CreatePartitionsRequest(topics=(topic,)), refused=self.refused
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectLeaders(Verb, word="topic.elect_leaders"):
    """Elects the preferred leader of a partition; with `election: unclean`, any live replica."""

    name: str
    partition: Partition = 0
    election: Annotated[str, OneOf(tuple(ELECTIONS))] = "preferred"
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        partitions = rpc.ElectedTopicPartitions(topic=self.name, partitions=(self.partition,))
        request = rpc.ElectLeadersRequest(
            election_type=ELECTIONS[self.election], topic_partitions=(partitions,)
        )
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartReassignment(Verb, word="reassignment.start"):
    """Begins to give a partition the replicas `to`, of which the first is the preferred leader."""

    name: str
    partition: Partition = 0
    to: Selector
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        replicas = numbers_of(stage.targets(self.to))
        request = _reassignment(self.name, self.partition, replicas)
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelReassignment(Verb, word="reassignment.cancel"):
    """Cancels the reassignment of a partition."""

    name: str
    partition: Partition = 0
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        request = _reassignment(self.name, self.partition, None)
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetConfig(Verb, word="config.set"):
    """Sets `key` of a topic, broker, group or client metrics to `value`; without it, deletes `key`.

    The broker named `default` stands for all brokers.
    """

    resource: Annotated[str, OneOf(tuple(RESOURCES))] = "topic"
    name: str
    key: str
    value: str | None = None
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        operation = DELETE if self.value is None else SET
        change = rpc.AlterableConfig(name=self.key, config_operation=operation, value=self.value)
        resource = rpc.IncrementalAlterConfigsResource(
            resource_type=RESOURCES[self.resource],
            resource_name=wire_name(self.resource, self.name),
            configs=(change,),
        )
        request = rpc.IncrementalAlterConfigsRequest(resources=(resource,))
        return send_requests(stage, request, refused=self.refused)


def _reassignment(
    name: str, partition: int, replicas: tuple[int, ...] | None
) -> rpc.AlterPartitionReassignmentsRequest:
    """Returns the request that reassigns a partition; no replicas cancel its reassignment."""
    moved = rpc.ReassignablePartition(partition_index=partition, replicas=replicas)
    topic = rpc.ReassignableTopic(name=name, partitions=(moved,))
    return rpc.AlterPartitionReassignmentsRequest(topics=(topic,))
