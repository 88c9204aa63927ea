"""The reassignments of replicas that are in progress in a cluster."""

from collections.abc import Mapping, Sequence

from kraftsim.controller.core.partitions.reassignment import list_reassignments
from kraftsim.controller.core.rpc import ListPartitionReassignmentsRequest
from kraftsim.controller.core.rpc.partitions import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)

from .administration.checks import check_partition, replicas_by_partition
from .administration.documents import ReassignmentDocument
from .administration.refusals import partitions_of, raise_if_any_refused, raise_if_refused
from .running.active_controller import ActiveController
from .running.live import Live


class Reassignments:
    """The reassignments in progress: `await kraft.reassignments.start("orders", {0: [2, 3]})`."""

    def __init__(self, live: Live, controller: ActiveController) -> None:
        self._live, self._controller = live, controller

    async def list(self) -> Sequence[ReassignmentDocument]:
        """Returns the reassignments that are in progress, by topic and partition."""
        reply = list_reassignments(self._live.world.committed, ListPartitionReassignmentsRequest())
        return [
            {
                "topic": topic.name,
                "partition": partition.partition_index,
                "replicas": [*partition.replicas],
                "addingReplicas": [*partition.adding_replicas],
                "removingReplicas": [*partition.removing_replicas],
            }
            for topic in sorted(reply.topics, key=lambda topic: topic.name)
            for partition in topic.partitions
        ]

    async def start(
        self, name: str, replicas: Mapping[int, Sequence[int]] | Mapping[str, Sequence[int]]
    ) -> None:
        """Begins to give partitions of a topic new replicas; the first one is preferred as leader.

        `replicas` has the ids of brokers by partition. A reassignment completes once the new
        replicas are in sync. Raises ApiError if that of a partition is refused; the others begin.
        """
        wanted = replicas_by_partition(name, replicas)
        await self._reassign(name, {number: tuple(ids) for number, ids in wanted.items()})

    async def cancel(self, name: str, partition: int | None = None) -> None:
        """Cancels the reassignments of a topic, or only that of `partition`.

        Raises ApiError if none is in progress.
        """
        check_partition(name, partition)
        in_progress = [
            document["partition"] for document in await self.list() if document["topic"] == name
        ]
        asked = (
            in_progress or partitions_of(self._live.world.committed, name)
            if partition is None
            else [partition]
        )
        await self._reassign(name, dict.fromkeys(asked))

    async def _reassign(self, name: str, replicas: Mapping[int, tuple[int, ...] | None]) -> None:
        partitions = tuple(
            ReassignablePartition(partition_index=number, replicas=ids)
            for number, ids in replicas.items()
        )
        topic = ReassignableTopic(name=name, partitions=partitions)
        reply = await self._controller.request(AlterPartitionReassignmentsRequest(topics=(topic,)))
        assert isinstance(reply, AlterPartitionReassignmentsResponse), type(reply)
        raise_if_refused(reply.error_code, reply.error_message)
        results = [
            (result.partition_index, result.error_code, result.error_message)
            for topic_result in reply.responses
            for result in topic_result.partitions
        ]
        raise_if_any_refused(self._live.world.committed, name, results)
