"""Writes lines to a topic: `Topics.write`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.messages.lines import Line, batches_of, by_partition, line_of
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import PartitionKey, Topic
from kraftsim.controller.core.rpc import Response
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from kraftsim.scenarios.language.durations import microseconds

from ..administration.documents import WrittenPartition, WrittenRecords
from ..administration.refusals import raise_if_any_refused
from .live import Live

LEADER_LIMIT = "10s"  # an election takes 2 to 4 s; a producer of Kafka waits for two minutes
BY_NAME = 12  # the newest version of Produce that has the names of topics
ALL = -1  # acks


@dataclass(frozen=True, slots=True)
class Writing:
    """One call of `Topics.write`: it waits for the leaders, then writes."""

    live: Live
    topic: Topic
    partition: int | None

    async def write(self, texts: Sequence[str], key_separator: str | None) -> WrittenRecords:
        """Writes the lines; raises ApiError for the first batch that a leader refuses."""
        lines = [line_of(text, key_separator) for text in texts]
        wanted = list(self.topic.partitions) if self.partition is None else [self.partition]
        if not lines:
            return {"written": []}
        await self._until_any(wanted)
        groups = self._grouped(lines, wanted)
        for number in groups:
            await self._until_any([number])
        arguments = {
            "name": self.topic.name,
            "lines": list(texts),
            "partition": self.partition,
            "key_separator": key_separator,
        }
        self.live.recorder.verb("topics.write", arguments)
        with self.live.entered():
            return {"written": [*self._written(groups)]}

    async def _until_any(self, numbers: Sequence[int]) -> None:
        """Waits until a broker leads one of the partitions; raises ApiError after LEADER_LIMIT."""

        def is_led() -> bool:
            return any(self._leader(number) is not None for number in numbers)

        clock = self.live.clock
        if not is_led() and (not clock.is_standing or clock.moves_for_requests):
            await clock.until(is_led, microseconds(LEADER_LIMIT), "a leader of the partition")
        if not is_led():
            reason = "no running broker knows that it leads the partition"
            code = ErrorCode.LEADER_NOT_AVAILABLE
            refused: list[tuple[int, int, str | None]] = [
                (number, code, reason) for number in numbers
            ]
            raise_if_any_refused(self.live.world.committed, self.topic.name, refused)

    def _leader(self, number: int) -> HostedAgent | None:
        """Returns the running broker that knows that it leads a partition in the latest epoch."""
        leaders: dict[int, HostedAgent] = {}
        for host in self.live.world.agents.values():
            topic = host.agent.image.topics.get(self.topic.topic_id) if host.is_running else None
            found = None if topic is None else topic.partitions.get(number)
            if found is not None and found.leader == host.agent.config.broker_id:
                leaders[found.leader_epoch] = host
        return leaders[max(leaders)] if leaders else None

    def _grouped(self, lines: Sequence[Line], wanted: Sequence[int]) -> dict[int, list[Line]]:
        if self.partition is not None:
            return {self.partition: list(lines)}
        leaders = {number: self._leader(number) for number in wanted}
        ends = {
            number: _end_of(leader, (self.topic.topic_id, number))
            for number, leader in leaders.items()
            if leader is not None
        }
        return by_partition(lines, len(self.topic.partitions), ends)

    def _written(self, groups: dict[int, list[Line]]) -> Iterator[WrittenPartition]:
        """Writes the lines of each partition, and yields where they are."""
        for number, lines in sorted(groups.items()):
            leader = self._leader(number)
            assert leader is not None, "_until_any has found it"
            broker_id = leader.agent.config.broker_id
            apis = self.live.service.apis_of(broker_id, self.live.now.runtime)
            bases: list[int] = []
            for batch in batches_of(lines, apis.client_wall_ms):
                replies: list[Response | ApiError] = []
                apis.messages.produce(self._request(number, batch), replies.append)
                (response,) = replies
                assert isinstance(response, ProduceResponse), type(response)
                result = response.responses[0].partition_responses[0]
                refused = (number, result.error_code, result.error_message)
                raise_if_any_refused(self.live.world.committed, self.topic.name, [refused])
                bases.append(result.base_offset)
            yield {"partition": number, "baseOffset": bases[0], "records": len(lines)}

    def _request(self, number: int, batch: bytes) -> ProduceRequest:
        data = PartitionProduceData(index=number, records=batch)
        return ProduceRequest(
            acks=ALL,
            requester=Requester(version=BY_NAME),
            topic_data=(TopicProduceData(name=self.topic.name, partition_data=(data,)),),
        )


def _end_of(leader: HostedAgent, key: PartitionKey) -> int:
    log = leader.store.logs.get(key)
    return 0 if log is None else log.end_offset
