"""Writes lines to a topic: `Topics.write`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

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
ACKNOWLEDGED_MS = 30_000  # request.timeout.ms of Kafka's producer
NOT_ACKNOWLEDGED = "it is written, but a replica in sync has not fetched it"
NOT_ANSWERED = "its leader has not written it within 30 s"
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
        return {"written": [await self._write(*group) for group in sorted(groups.items())]}

    async def _until_any(self, numbers: Sequence[int]) -> None:
        """Waits until a broker leads one of the partitions; raises ApiError after LEADER_LIMIT."""

        def is_led() -> bool:
            return any(self._leader(number) is not None for number in numbers)

        if not is_led() and self._can_wait:
            clock = self.live.clock
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

    async def _write(self, number: int, lines: list[Line]) -> WrittenPartition:
        """Writes the lines of one partition, batch by batch, and returns where they are."""
        leader = self._leader(number)
        assert leader is not None, "_until_any has found it"
        apis = self.live.service.apis_of(leader.agent.config.broker_id, self.live.now.runtime)
        bases: list[int] = []
        key = (self.topic.topic_id, number)
        for batch in batches_of(lines, apis.client_wall_ms):
            replies: list[Response | ApiError] = []
            end_offset = _end_of(leader, key)
            with self.live.entered():
                apis.messages.produce(self._request(number, batch), replies.append)
            if not replies:
                limit_us = (ACKNOWLEDGED_MS + 1) * 1000
                clock = self.live.clock
                if not await clock.until(partial(bool, replies), limit_us, "acknowledgement"):
                    self._raise_late(number, is_written=_end_of(leader, key) > end_offset)
            (response,) = replies
            assert isinstance(response, ProduceResponse), type(response)
            result = response.responses[0].partition_responses[0]
            if result.error_code == ErrorCode.REQUEST_TIMED_OUT:
                self._raise_late(number, is_written=True)
            refused = (number, result.error_code, result.error_message)
            raise_if_any_refused(self.live.world.committed, self.topic.name, [refused])
            bases.append(result.base_offset)
        return {"partition": number, "baseOffset": bases[0], "records": len(lines)}

    def _raise_late(self, number: int, *, is_written: bool) -> None:
        """Raises ApiError for a batch that is not acknowledged in time."""
        reason = NOT_ACKNOWLEDGED if is_written else NOT_ANSWERED
        refused = (number, ErrorCode.REQUEST_TIMED_OUT, reason)
        raise_if_any_refused(self.live.world.committed, self.topic.name, [refused])

    @property
    def _can_wait(self) -> bool:
        """False if the clock moves on command only."""
        clock = self.live.clock
        return not clock.is_standing or clock.moves_for_requests

    def _request(self, number: int, batch: bytes) -> ProduceRequest:
        data = PartitionProduceData(index=number, records=batch)
        return ProduceRequest(
            acks=ALL,
            timeout_ms=ACKNOWLEDGED_MS if self._can_wait else 0,
            requester=Requester(version=BY_NAME),
            topic_data=(TopicProduceData(name=self.topic.name, partition_data=(data,)),),
        )


def _end_of(leader: HostedAgent, key: PartitionKey) -> int:
    log = leader.store.logs.get(key)
    return 0 if log is None else log.end_offset
