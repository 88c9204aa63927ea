"""The part of `Cluster` that elects leaders and reassigns replicas."""

from collections.abc import Iterable, Mapping, Sequence

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.partitions.elect_leaders import ELECTIONS
from kraftsim.controller.core.partitions.reassignment import list_reassignments
from kraftsim.controller.core.rpc import ListPartitionReassignmentsRequest
from kraftsim.controller.core.rpc.partitions import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    ElectLeadersResponse,
    ReassignablePartition,
    ReassignableTopic,
)

from ..controllers import raise_if_refused
from .checks import check_election, check_partition, replicas_by_partition
from .config_verbs import ConfigVerbs
from .documents import ReassignmentDocument

Result = tuple[int, int, str | None]  # a partition, its error code, its message


class PartitionVerbs(ConfigVerbs):
    """The methods of `Cluster` that elect leaders and reassign replicas."""

    async def elect_leaders(
        self, name: str, partition: int | None = None, election: str = "preferred"
    ) -> None:
        """Elects a leader of each partition of a topic that needs one, or only of `partition`.

        A "preferred" election makes the first replica the leader, if it is in sync; an "unclean"
        one gives a partition without a leader any replica, whose data may be old. Raises ApiError
        if no such replica is available; other partitions have their leaders nevertheless.
        """
        check_election(name, partition, election)
        asked = self._partitions_of(name) if partition is None else (partition,)
        request = ElectLeadersRequest(
            election_type=ELECTIONS[election],
            topic_partitions=(ElectedTopicPartitions(topic=name, partitions=tuple(asked)),),
        )
        reply = await self.request(request)
        assert isinstance(reply, ElectLeadersResponse), type(reply)
        raise_if_refused(reply.error_code, None)
        results = [
            (result.partition_id, result.error_code, result.error_message)
            for topic in reply.replica_election_results
            for result in topic.partition_result
            if result.error_code != ErrorCode.ELECTION_NOT_NEEDED
        ]
        self._raise_if_any_refused(name, results)

    async def reassignments(self) -> list[ReassignmentDocument]:
        """Returns the reassignments that are in progress, by topic and partition."""
        reply = list_reassignments(self.world.committed, ListPartitionReassignmentsRequest())
        return [
            {
                "topic": topic.name,
                "partition": partition.partition_index,
                "replicas": list(partition.replicas),
                "addingReplicas": list(partition.adding_replicas),
                "removingReplicas": list(partition.removing_replicas),
            }
            for topic in sorted(reply.topics, key=lambda topic: topic.name)
            for partition in topic.partitions
        ]

    async def start_reassignment(
        self, name: str, replicas: Mapping[int, Sequence[int]] | Mapping[str, Sequence[int]]
    ) -> None:
        """Begins to give partitions of a topic new replicas; the first one is preferred as leader.

        `replicas` has the ids of brokers by partition. A reassignment completes once the new
        replicas are in sync. Raises ApiError if that of a partition is refused; the others begin.
        """
        wanted = replicas_by_partition(name, replicas)
        await self._reassign(name, {number: tuple(ids) for number, ids in wanted.items()})

    async def cancel_reassignment(self, name: str, partition: int | None = None) -> None:
        """Cancels the reassignments of a topic, or only that of `partition`.

        Raises ApiError if none is in progress.
        """
        check_partition(name, partition)
        in_progress = [
            document["partition"]
            for document in await self.reassignments()
            if document["topic"] == name
        ]
        asked = in_progress or self._partitions_of(name) if partition is None else [partition]
        await self._reassign(name, dict.fromkeys(asked))

    async def _reassign(self, name: str, replicas: Mapping[int, tuple[int, ...] | None]) -> None:
        partitions = tuple(
            ReassignablePartition(partition_index=number, replicas=ids)
            for number, ids in replicas.items()
        )
        topic = ReassignableTopic(name=name, partitions=partitions)
        reply = await self.request(AlterPartitionReassignmentsRequest(topics=(topic,)))
        assert isinstance(reply, AlterPartitionReassignmentsResponse), type(reply)
        raise_if_refused(reply.error_code, reply.error_message)
        results = [
            (result.partition_index, result.error_code, result.error_message)
            for topic_result in reply.responses
            for result in topic_result.partitions
        ]
        self._raise_if_any_refused(name, results)

    def _partitions_of(self, name: str) -> Sequence[int]:
        """Returns the partitions of a topic; 0 of an unknown one, which the controller refuses."""
        image = self.world.committed
        topic_id = image.topic_ids.get(name)
        return (0,) if topic_id is None else sorted(image.topics[topic_id].partitions)

    def _raise_if_any_refused(self, name: str, results: Iterable[Result]) -> None:
        """Raises ApiError with the code of the first refused partition, and all their messages."""
        refused = [result for result in results if result[1]]
        if not refused:
            return
        _, first, message = refused[0]
        if name not in self.world.committed.topic_ids:
            self._raise_if_topic_refused(name, first, message)
        texts = (
            f"partition {number}: {self._reason(name, code, message)}"
            for number, code, message in refused
        )
        raise ApiError(ErrorCode(first), f"topic {name!r}, {'; '.join(texts)}")

    def _reason(self, name: str, code: int, message: str | None) -> str:
        if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            return f"expected 0 to {len(self._partitions_of(name)) - 1}"
        if code == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS:
            return "expected a reassignment in progress, got none"
        return message or ErrorCode(code).name
