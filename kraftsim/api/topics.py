"""The topics of a cluster: shows, creates, grows and deletes them, and elects their leaders."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import islice

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.partitions.elect_leaders import ELECTIONS
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
    ElectedTopicPartitions,
    ElectLeadersRequest,
    ElectLeadersResponse,
)
from kraftsim.controller.core.rpc.topics import CreatableTopicConfigEntry

from .administration.checks import (
    Config,
    check_election,
    check_grown_topic,
    check_new_topic,
    check_topic,
    check_topic_read,
    check_topic_write,
    texts_of,
)
from .administration.documents import TopicDocument, TopicRecords, WrittenRecords
from .administration.refusals import (
    partitions_of,
    raise_if_any_refused,
    raise_if_refused,
    raise_if_topic_refused,
    topic_of,
)
from .argument_checks import check_topic_page, expect_text
from .running.active_controller import ActiveController
from .running.live import Live
from .views.list_pages import Page, keys_of_page
from .views.slices import in_slices
from .views.state_views import topic_view


class Topics:
    """The topics of a cluster: `await kraft.topics.create("orders", partitions=6)`.

    Raises ApiError if the controller refuses a change.
    """

    def __init__(self, live: Live, controller: ActiveController) -> None:
        self._live, self._controller = live, controller

    async def list(
        self, from_: str = "", limit: int | None = None
    ) -> Page[TopicDocument, str | None]:
        """Returns topics with their partitions, in order of name, from name `from_` on.

        Returns every such topic without a limit. The `next` of the page is the name at which the
        next page begins, None after the last topic. Raises UsageError for a limit outside 1 to
        10,000.
        """
        check_topic_page(from_, limit)
        image, agents = self._live.world.committed.copy(), self._live.world.agents
        names, following = keys_of_page(sorted(image.topic_ids), from_, limit)
        views = (topic_view(image.topics[image.topic_ids[name]], agents) for name in names)
        return Page(await in_slices(views), following)

    async def describe(self, name: str) -> TopicDocument:
        """Returns one topic. Raises UnknownTopic if there is none with this name."""
        expect_text("name", name)
        world = self._live.world
        return topic_view(topic_of(world.committed, name), world.agents)

    async def read(
        self, name: str, partition: int | None = None, from_: int = 0, limit: int = 1000
    ) -> TopicRecords:
        """Returns the records that consumers may read, at most `limit`, for a person to look at.

        They are those of the leaders' logs from offset `from_` on, of all partitions or of one.
        Raises UnknownTopic, ApiError for an unknown partition, or UsageError for a limit outside 1
        to 10,000.
        """
        check_topic_read(name, partition, from_, limit)
        topic = topic_of(self._live.world.committed, name, partition)
        world = self._live.world
        partitions = sorted(topic.partitions) if partition is None else [partition]
        module = import_module("kraftsim.api.views.record_views")  # not needed at every start
        return {"records": [*islice(module.record_views(world, topic, partitions, from_), limit)]}

    async def write(
        self,
        name: str,
        lines: Sequence[str],
        partition: int | None = None,
        key_separator: str | None = None,
    ) -> WrittenRecords:
        """Writes one record for each line, with acks=all, and returns where the records are.

        The text before the first `key_separator` of a line is the record's key. Without a
        `partition`, a key chooses it as Kafka's producer does; a record without a key goes to the
        partition with the smallest end offset. If the clock moves by itself, waits up to 10 seconds
        for leaders, and up to 30 until the replicas in sync have fetched each batch. Raises
        UnknownTopic, ApiError for an unknown partition and for a batch that is refused, or not
        fetched by then, UsageError for lines that are no texts. What was written stays.
        """
        check_topic_write(name, lines, partition, key_separator)
        topic = topic_of(self._live.world.committed, name, partition)
        module = import_module("kraftsim.api.running.writing")  # not needed at every start
        writing = module.Writing(self._live, topic, partition)
        written: WrittenRecords = await writing.write(lines, key_separator)
        return written

    async def create(
        self,
        name: str,
        partitions: int = -1,
        replication_factor: int = -1,
        assignments: Sequence[Sequence[int]] = (),
        config: Mapping[str, Config] | None = None,
    ) -> None:
        """Creates a topic; -1 stands for the controller's default.

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
        reply = await self._controller.request(CreateTopicsRequest(topics=(topic,)))
        assert isinstance(reply, CreateTopicsResponse), type(reply)
        raise_if_refused(reply.topics[0].error_code, reply.topics[0].error_message)

    async def alter(
        self, name: str, partitions: int, assignments: Sequence[Sequence[int]] = ()
    ) -> None:
        """Adds partitions to a topic until it has `partitions` of them.

        `assignments` has the brokers of each new partition; without it, the controller places the
        replicas.
        """
        check_grown_topic(name, partitions, assignments)
        placed = tuple(CreatePartitionsAssignment(broker_ids=tuple(ids)) for ids in assignments)
        topic = CreatePartitionsTopic(name=name, count=partitions, assignments=placed or None)
        reply = await self._controller.request(CreatePartitionsRequest(topics=(topic,)))
        assert isinstance(reply, CreatePartitionsResponse), type(reply)
        result = reply.results[0]
        self._raise_if_refused(name, result.error_code, result.error_message)

    async def delete(self, name: str) -> None:
        """Deletes a topic."""
        check_topic(name)
        reply = await self._controller.request(
            DeleteTopicsRequest(topics=(DeleteTopicState(name=name),))
        )
        assert isinstance(reply, DeleteTopicsResponse), type(reply)
        result = reply.responses[0]
        self._raise_if_refused(name, result.error_code, result.error_message)

    async def elect_leaders(
        self, name: str, partition: int | None = None, election: str = "preferred"
    ) -> None:
        """Elects a leader of each partition of a topic that needs one, or only of `partition`.

        A "preferred" election makes the first replica the leader, if it is in sync; an "unclean"
        one gives a partition without a leader any replica, whose data may be old. Raises ApiError
        if no such replica is available; other partitions have their leaders nevertheless.
        """
        check_election(name, partition, election)
        image = self._live.world.committed
        asked = partitions_of(image, name) if partition is None else [partition]
        request = ElectLeadersRequest(
            election_type=ELECTIONS[election],
            topic_partitions=(ElectedTopicPartitions(topic=name, partitions=tuple(asked)),),
        )
        reply = await self._controller.request(request)
        assert isinstance(reply, ElectLeadersResponse), type(reply)
        raise_if_refused(reply.error_code, None)
        results = [
            (result.partition_id, result.error_code, result.error_message)
            for topic in reply.replica_election_results
            for result in topic.partition_result
            if result.error_code != ErrorCode.ELECTION_NOT_NEEDED
        ]
        raise_if_any_refused(self._live.world.committed, name, results)

    def _raise_if_refused(self, name: str, code: int, message: str | None) -> None:
        raise_if_topic_refused(self._live.world.committed, name, code, message)
