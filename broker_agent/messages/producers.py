"""InitProducerId (22) without transactions, and DescribeProducers (61) (rules B3.50-B3.60)."""

from collections.abc import Callable
from functools import partial

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.refusals import answered, code_of
from kraftsim.controller.core.rpc import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from kraftsim.controller.core.rpc.transactions import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.protocol import Reply

from ..log.log import Instant
from .replicas import NOT_LEADER, UNKNOWN, Replicas

NO_HOST = "This server does not host this topic-partition."
Respond = Callable[[InitProducerIdResponse], None]
Allocate = Callable[[Callable[[Reply], None]], None]


class ProducerIds:
    """The producer ids that one process of a broker hands out, a block at a time.

    `allocate(reply_to)` asks the active controller for a block. Requests wait for it: Kafka answers
    COORDINATOR_LOAD_IN_PROGRESS meanwhile, and clients ask again.
    """

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._ids = range(0)
        self._waiting: list[Respond] = []

    def clear(self) -> None:
        """Forgets the block, as a new process does."""
        self._ids = range(0)
        self._waiting.clear()

    def answer(self, request: InitProducerIdRequest, reply_to: Respond) -> None:
        """Replies with a new id, once there is one."""
        if (request.producer_id == -1) != (
            request.producer_epoch == -1
        ) or request.transactional_id == "":  # B3.50
            reply_to(_refused(ErrorCode.INVALID_REQUEST))
        else:
            self._hand_out(reply_to)

    def _hand_out(self, reply_to: Respond) -> None:
        if self._ids:
            number, self._ids = self._ids[0], self._ids[1:]
            reply_to(
                InitProducerIdResponse(
                    error_code=ErrorCode.NONE, producer_id=number, producer_epoch=0
                )
            )
            return
        self._waiting.append(reply_to)
        if len(self._waiting) == 1:
            self._allocate(partial(self._allocated, self._waiting))

    def _allocated(self, asked: list[Respond], reply: Reply) -> None:
        if asked is not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        response = answered(AllocateProducerIdsRequest(broker_id=-1, broker_epoch=-1), reply)
        if code_of(response) or not isinstance(response, AllocateProducerIdsResponse):
            for reply_to in waiting:
                reply_to(_refused(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS))
            return
        first = response.producer_id_start
        self._ids = range(first, first + response.producer_id_len)
        for reply_to in waiting:
            self._hand_out(reply_to)


def _refused(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=-1, producer_epoch=-1)


def describe_producers(
    replicas: Replicas, request: DescribeProducersRequest, at: Instant
) -> DescribeProducersResponse:
    """Returns the producers of partitions; any replica knows them (B3.60)."""
    return DescribeProducersResponse(
        topics=tuple(
            TopicResponse(
                name=topic.name,
                partitions=tuple(
                    _producers(replicas, topic.name, index, at) for index in topic.partition_indexes
                ),
            )
            for topic in request.topics
        )
    )


def _producers(replicas: Replicas, name: str, index: int, at: Instant) -> PartitionResponse:
    try:
        topic = replicas.topic(name, ZERO_UUID, by_id=False)
    except ApiError as error:
        return PartitionResponse(
            partition_index=index, error_code=error.code, error_message=NO_HOST
        )
    try:
        replica = replicas.find(topic, index, at)
    except ApiError as error:
        is_plain = error.code in (UNKNOWN, NOT_LEADER)
        return PartitionResponse(
            partition_index=index,
            error_code=error.code,
            error_message=None if is_plain else error.message,
        )
    return PartitionResponse(
        partition_index=index,
        error_code=ErrorCode.NONE,
        active_producers=tuple(
            ProducerState(
                producer_id=known.producer_id,
                producer_epoch=known.epoch,
                last_sequence=known.last_sequence,
                last_timestamp=known.last_timestamp,
                coordinator_epoch=-1,
                current_txn_start_offset=-1,
            )
            for known in replica.log.producers
        ),
    )
