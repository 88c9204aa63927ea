"""A leader and a follower that know each other by requests and replies only."""

from dataclasses import dataclass, field
from typing import Any

from kraftsim.broker_agent.following.fetching import (
    LATEST,
    Changes,
    Fetcher,
    Led,
    Question,
)
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.messages.fetched import divergence, served
from kraftsim.broker_agent.replication.followers import Truncated
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.rpc import (
    EpochEndOffset,
    FetchPartition,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchTopicData,
)
from kraftsim.controller.core.rpc.stored_messages import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.topology import BrokerSpec, Topology, agent_config
from tests.broker_agent.message_logs import SHIPPED, instant

TOPIC_ID = Uuid(b"t" * 16)
KEY, OTHER = (TOPIC_ID, 0), (TOPIC_ID, 1)
FOLLOWER, BROKER_EPOCH = 2, 77
BACKOFF_MS = 1000


@dataclass
class Leader:
    """A leader, which answers from its logs."""

    logs: dict[PartitionKey, Log]
    refusal: ErrorCode = ErrorCode.NONE
    batches_max: int = 1000  # in a reply
    asked: list[int] = field(default_factory=list)

    def answer(self, request: Question) -> Any:
        if isinstance(request, ListOffsetsRequest):
            (topic,) = request.topics
            found = tuple(map(self._offset, topic.partitions))
            return ListOffsetsResponse(
                topics=(ListOffsetsTopicResponse(name=topic.name, partitions=found),)
            )
        (fetched,) = request.topics
        data = tuple(map(self._data, fetched.partitions))
        return FetchResponse(responses=(FetchTopicData(topic_id=TOPIC_ID, partitions=data),))

    def _offset(self, asked: ListOffsetsPartition) -> ListOffsetsPartitionResponse:
        self.asked.append(asked.timestamp)
        log = self.logs[TOPIC_ID, asked.partition_index]
        offset = log.end_offset if asked.timestamp == LATEST else log.start_offset
        return ListOffsetsPartitionResponse(
            partition_index=asked.partition_index, error_code=self.refusal, offset=offset
        )

    def _data(self, asked: FetchPartition) -> FetchPartitionData:
        log, offset = self.logs[TOPIC_ID, asked.partition], asked.fetch_offset
        try:
            diverging = divergence(log, asked.last_fetched_epoch, offset)
            if diverging is None and not log.start_offset <= offset <= log.end_offset:
                raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, "")
        except ApiError as error:
            return FetchPartitionData(partition_index=asked.partition, error_code=error.code)
        limit = asked.partition_max_bytes
        records = log.read(offset, log.end_offset, limit, reads_one=True) if not diverging else []
        return FetchPartitionData(
            partition_index=asked.partition,
            high_watermark=log.high_watermark,
            log_start_offset=log.start_offset,
            diverging_epoch=diverging or EpochEndOffset(),
            records=served(records[: self.batches_max]),
        )


class Follower:
    """A broker that follows partitions of one leader; `now_ms` is its clock."""

    def __init__(self, log: Log | None = None, *, epoch: int = 5) -> None:
        topology = Topology(cluster_id="c")
        config = agent_config(topology, BrokerSpec(broker_id=FOLLOWER, port=9092), ())
        self.logs = {} if log is None else {KEY: log}
        self.can_write = True
        self.now_ms = 0
        self.stopped: set[PartitionKey] = set()
        self.fetcher = Fetcher(config, self.logs, lambda key: SHIPPED, lambda key: self.can_write)
        self.led = {KEY: Led("t", epoch)}
        self.began = self.fetcher.follow(self.led)

    @property
    def log(self) -> Log:
        return self.logs[KEY]

    def elect(self, epoch: int) -> Changes:
        """Applies the metadata of an election."""
        self.led = {key: Led("t", epoch) for key in self.led}
        return self.fetcher.follow(self.led)

    def ask(self) -> Question | None:
        return self.fetcher.request(BROKER_EPOCH, self.now_ms, self.stopped.__contains__)

    def fetch(self) -> FetchRequest:
        request = self.ask()
        assert isinstance(request, FetchRequest)
        return request

    def hear(self, request: Question, response: Any) -> Changes:
        return self.fetcher.on_response(request, response, instant(self.now_ms))

    def hear_of(self, **data: Any) -> Changes:
        """Fetches, and gets a reply with this about the partition."""
        return self.hear(self.fetch(), reply(**data))

    def follow(self, leader: Leader) -> list[Truncated]:
        """Fetches until a reply has nothing new; returns what was given up on the way."""
        lost: list[Truncated] = []
        for _ in range(100):
            request = self.ask()
            assert request is not None
            before = self.state()
            changes = self.hear(request, leader.answer(request))
            lost += changes.truncated.values()
            if isinstance(request, FetchRequest) and self.state() == before and not self.seeks():
                return lost
        raise AssertionError("the follower does not come to an end")

    def state(self) -> object:
        log = self.logs.get(KEY)
        return log and (log.start_offset, log.end_offset, log.high_watermark, log.epochs.latest)

    def seeks(self) -> bool:
        return isinstance(self.ask(), ListOffsetsRequest)


def reply(**data: Any) -> FetchResponse:
    partition = FetchPartitionData(partition_index=0, **data)
    return FetchResponse(responses=(FetchTopicData(topic_id=TOPIC_ID, partitions=(partition,)),))
