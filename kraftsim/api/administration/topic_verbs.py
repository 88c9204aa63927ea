"""The part of `Cluster` that creates, grows and deletes topics."""

from collections.abc import Mapping, Sequence

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from kraftsim.controller.core.rpc.partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from kraftsim.controller.core.rpc.topics import CreatableTopicConfigEntry
from kraftsim.scenarios.language.suggestions import nearest

from ..controllers import ControllerVerbs, raise_if_refused
from .checks import Config, check_grown_topic, check_new_topic, check_topic, texts_of


class TopicVerbs(ControllerVerbs):
    """The methods of `Cluster` that create, grow and delete topics."""

    async def create_topic(
        self,
        name: str,
        partitions: int = -1,
        replication_factor: int = -1,
        assignments: Sequence[Sequence[int]] = (),
        config: Mapping[str, Config] | None = None,
    ) -> None:
        """Creates a topic; -1 stands for the controller's default. Raises ApiError if refused.

        `assignments` has the brokers of each partition, instead of `partitions` and
        `replication_factor`. `config` has values by configuration.
        """
        check_new_topic(name, partitions, replication_factor, assignments, config)
        topic = CreatableTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=replication_factor,
            assignments=tuple(
                CreatableReplicaAssignment(partition_index=index, broker_ids=tuple(broker_ids))
                for index, broker_ids in enumerate(assignments)
            ),
            configs=tuple(
                CreatableTopicConfigEntry(name=key, value=text)
                for key, text in texts_of("config", config).items()
            ),
        )
        reply = await self.request(CreateTopicsRequest(topics=(topic,)))
        assert isinstance(reply, CreateTopicsResponse), type(reply)
        raise_if_refused(reply.topics[0].error_code, reply.topics[0].error_message)

    async def alter_topic(
        self, name: str, partitions: int, assignments: Sequence[Sequence[int]] = ()
    ) -> None:
        """Adds partitions to a topic until it has `partitions` of them.

        `assignments` has the brokers of each new partition; without it, the controller places the
        replicas. Raises ApiError if it is refused.
        """
        check_grown_topic(name, partitions, assignments)
        placed = tuple(CreatePartitionsAssignment(broker_ids=tuple(ids)) for ids in assignments)
        topic = CreatePartitionsTopic(name=name, count=partitions, assignments=placed or None)
        reply = await self.request(CreatePartitionsRequest(topics=(topic,)))
        assert isinstance(reply, CreatePartitionsResponse), type(reply)
        result = reply.results[0]
        self._raise_if_topic_refused(name, result.error_code, result.error_message)

    async def delete_topic(self, name: str) -> None:
        """Deletes a topic. Raises ApiError if it is refused."""
        check_topic(name)
        reply = await self.request(DeleteTopicsRequest(topics=(DeleteTopicState(name=name),)))
        assert isinstance(reply, DeleteTopicsResponse), type(reply)
        result = reply.responses[0]
        self._raise_if_topic_refused(name, result.error_code, result.error_message)

    def _raise_if_topic_refused(self, name: str, code: int, message: str | None) -> None:
        """Raises ApiError unless `code` is 0; an unknown topic is refused with the nearest one."""
        if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            names = sorted(self.world.committed.topic_ids)
            known = (
                nearest(name, names, "kraftsim topic list")
                if names
                else "a topic, but the cluster has none"
            )
            raise ApiError(ErrorCode(code), f"no topic {name!r}: expected {known}")
        raise_if_refused(code, message)
