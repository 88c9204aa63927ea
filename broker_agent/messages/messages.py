"""The answers of one listener of a broker to requests about messages."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import AllocateProducerIdsRequest, FetchRequest, Request, Response
from kraftsim.controller.core.rpc.stored_messages import (
    DeleteRecordsRequest,
    ListOffsetsRequest,
    OffsetForLeaderEpochRequest,
    ProduceRequest,
    ProduceResponse,
)
from kraftsim.controller.core.rpc.transactions import (
    DescribeProducersRequest,
    InitProducerIdRequest,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.wire.frames import Exchange

from ..agent import Agent
from ..hosted_agent import HostedAgent
from ..log.log import Instant
from ..log.periodic import RETENTION, Periodic
from ..log.waits import FetchWaits
from ..replica_store import StoredReplica
from . import offsets, producers
from .fetch import Fetching
from .fetch_sessions import FetchSessions
from .patience import PollClock
from .produce import Producing
from .quotas import PRODUCER_RATE, ByteQuotas
from .replicas import Replicas
from .short_path import ShortPath, ShortPaths
from .unacknowledged import Unacknowledged

Forward = Callable[[Request, Callable[[Reply], None]], None]
ReplyTo = Callable[[Response | ApiError], None]

SELECTOR = "replica.selector.class"
BY_RACK = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


class Messages:
    """What one broker stores, as the clients of one listener see it.

    `wall_ms(now_ms)` returns what the wall clock of clients shows now, `retention` has the times of
    looks for what is to be deleted.
    `poll_clock()` returns the clock of those who poll, `forward` sends a request to the active
    controller.
    """

    def __init__(
        self,
        hosted: HostedAgent,
        listener: str,
        waits: FetchWaits,
        *,
        wall_ms: Callable[[int], int],
        poll_clock: Callable[[], PollClock],
        forward: Forward,
        random: Callable[[], float],
        retention: Periodic = RETENTION,
    ) -> None:
        self._hosted, self._forward, self._wall_ms = hosted, forward, wall_ms
        self._waits, self._poll_clock = waits, poll_clock
        if waits.look_again not in hosted.on_replicas_change:
            hosted.on_replicas_change.append(waits.look_again)
        self._replicas = Replicas(hosted, retention)
        self._sessions = FetchSessions(random)
        self._producing = Producing(self._replicas, waits, listener)
        self._quotas = ByteQuotas(hosted)
        self._fetching = Fetching(
            self._replicas,
            waits,
            self._sessions,
            self._quotas,
            listener,
            self._now,
            poll_clock,
            selects_by_rack=hosted.agent.config.static.get(SELECTOR) == BY_RACK,
        )
        self._short_paths = ShortPaths(
            self._producing, self._fetching, self._replicas, self._quotas, self._now
        )
        self._ids = producers.ProducerIds(self._allocate)
        self._process = hosted.agent.incarnation_id

    def _now(self) -> Instant:
        now_ms = self._hosted.clock.now_ms
        return tuple.__new__(Instant, (now_ms, self._wall_ms(now_ms)))  # half of Instant(...)

    def _note_process(self) -> None:
        """Forgets what a process that has ended knew."""
        if self._process != self._hosted.agent.incarnation_id:
            self._process = self._hosted.agent.incarnation_id
            self._sessions.clear()
            self._ids.clear()

    def produce(self, request: ProduceRequest, reply_to: ReplyTo) -> None:
        """Answers Produce once its batches are on disk and acknowledged (B2.45).

        A refusal with acks=0 is an ApiError, which ends the connection.
        """
        self._hosted.disk.write(partial(self._append, self._hosted.agent, request, reply_to))

    def _append(self, agent: Agent, request: ProduceRequest, reply_to: ReplyTo) -> None:
        if agent is not self._hosted.agent or not self._hosted.is_alive:
            return  # the process ended while the disk was slow
        try:
            response = self._producing.answer(request, self._now())
        except ApiError as error:
            reply_to(error.with_traceback(None))
            return

        def reply(response: ProduceResponse) -> None:
            reply_to(self._throttled(request, response))

        if request.timeout_ms > 0 and self._producing.unacknowledged(response):
            waiting = Unacknowledged(self._producing, request, response, self._now, reply)
            waiting.wait(self._waits, self._poll_clock())
        else:
            reply(response)

    def _throttled(self, request: ProduceRequest, response: ProduceResponse) -> ProduceResponse:
        """Returns the response with the throttle time of its client."""
        limit = self._quotas.limit(PRODUCER_RATE, request.requester)
        if limit is not None:
            throttle_ms = self._quotas.note(PRODUCER_RATE, limit, request.requester.size_bytes)
            response = replace(response, throttle_time_ms=throttle_ms)
        return response

    def fetch(self, request: FetchRequest, reply_to: ReplyTo) -> None:
        """Answers Fetch, maybe later."""
        self._note_process()
        self._fetching.answer(request, reply_to)

    def shortened(self, exchange: Exchange, request: Request) -> ShortPath | None:
        """Returns the short path for requests like this one, if they have one."""
        return self._short_paths.of(exchange, request)

    def list_offsets(self, request: ListOffsetsRequest) -> Response:
        """Returns the response to ListOffsets."""
        return offsets.list_offsets(self._replicas, request, self._now())

    def ends_of_epochs(self, request: OffsetForLeaderEpochRequest) -> Response:
        """Returns the response to OffsetForLeaderEpoch."""
        return offsets.ends_of_epochs(self._replicas, request, self._now())

    def delete_records(self, request: DeleteRecordsRequest) -> Response:
        """Returns the response to DeleteRecords."""
        return offsets.delete_records(self._replicas, request, self._now())

    def describe_producers(self, request: DescribeProducersRequest) -> Response:
        """Returns the response to DescribeProducers."""
        return producers.describe_producers(self._replicas, request, self._now())

    def init_producer_id(self, request: InitProducerIdRequest, reply_to: ReplyTo) -> None:
        """Answers InitProducerId of a producer without transactions."""
        self._note_process()
        self._ids.answer(request, reply_to)

    def _allocate(self, reply_to: Callable[[Reply], None]) -> None:
        agent = self._hosted.agent
        request = AllocateProducerIdsRequest(
            broker_id=agent.config.broker_id, broker_epoch=agent.broker_epoch
        )
        self._forward(request, reply_to)

    def sizes(self, stored: Iterable[StoredReplica]) -> dict[tuple[str, int], int]:
        """Returns the bytes of each replica by topic and partition (B7.41)."""
        at, sizes = self._now(), {}
        for replica in stored:
            with suppress(ApiError):  # a replica that is not served has no size
                topic = self._replicas.topic(replica.topic, ZERO_UUID, by_id=False)
                log = self._replicas.find(topic, replica.partition, at).log
                sizes[replica.topic, replica.partition] = log.size
        return sizes
