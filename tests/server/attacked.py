"""A cluster under attack: connections in memory, and the answers that their bytes must get."""

import asyncio
from collections.abc import Iterator
from typing import Any, NamedTuple

from kraftsim import Cluster
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, MetadataRequest
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.wire.apis.table import API_VERSIONS
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frame_reader import FrameReader
from kraftsim.controller.wire.frames import (
    REQUEST_BYTES_MAX,
    RequestHeader,
    decode_request,
    decode_response,
    encode_request,
    read_request_header,
)
from tests.server.wires import Wire
from tests.wire.hostile_frames import WAIT_MS_MAX

PRODUCE = 0  # whose client expects no answer with acks=0
PASSES = 30  # of the event loop, after which nothing is left to do at this time
STEP, STEPS = "5s", 14  # a broker forwards a request again for 60 s
PASSES_MAX = 1_000


class Expected(NamedTuple):
    """What a listener must send: answers in order, and the end of the connection if it `ends`.

    `waits_long` is true if an answer may take longer than a test waits, `is_malformed` if the
    bytes that end the connection are no request of the listener.
    """

    answers: list[RequestHeader]
    waits_long: bool
    ends: bool = False
    is_malformed: bool = False


def expected_of(stream: bytes, spoken: frozenset[tuple[int, int]]) -> Expected:
    """Returns what a listener of these APIs and versions must send for a stream of bytes."""
    reader, answers, waits_long = FrameReader(REQUEST_BYTES_MAX), [], False
    reader.feed(stream)
    try:
        while (frame := reader.take()) is not None:
            header = read_request_header(frame)
            if header[:2] in spoken:
                request = decode_request(header, frame)
                if header.api_key == PRODUCE and getattr(request, "acks", None) == 0:
                    if _has_batches(request):
                        return Expected(answers, waits_long, ends=True)
                    continue
                waits_long |= _wait_ms(request) > WAIT_MS_MAX
            elif header.api_key != API_VERSIONS:
                return Expected(answers, waits_long, ends=True, is_malformed=True)
            answers.append(header)
    except DecodeError:
        return Expected(answers, waits_long, ends=True, is_malformed=True)
    return Expected(answers, waits_long)


def _has_batches(request: Any) -> bool:
    """True if a Produce request has a partition: no drawn bytes are a batch, so it is refused."""
    return any(topic.partition_data for topic in request.topic_data)


def _wait_ms(request: Any) -> int:
    return max(getattr(request, "max_wait_ms", 0), getattr(request, "timeout_ms", 0))


class Connection:
    """A client's end of a connection in memory; its bytes arrive in pieces."""

    def __init__(self, listener: KafkaListener) -> None:
        self.wire = Wire()
        self._served = KafkaConnection(listener)
        self._served.connection_made(self.wire)
        self._is_lost = False

    async def send(self, pieces: list[bytes]) -> None:
        """Sends the pieces, each once the listener reads it, and lets the listener work."""
        for piece in pieces:
            for _ in range(PASSES_MAX):
                if self.wire.reading or self.is_closed:
                    break
                await asyncio.sleep(0)
            if self.wire.reading and not self.is_closed:
                self._deliver(piece)
        await self.settle()

    def _deliver(self, piece: bytes) -> None:
        """Passes bytes to the listener as a transport does: an exception goes to the loop."""
        try:
            self._served.data_received(piece)
        except Exception as error:
            context = {"message": "data_received raised", "exception": error}
            asyncio.get_running_loop().call_exception_handler(context)

    async def settle(self) -> None:
        """Lets the listener work, and ends a connection that it has closed."""
        for _ in range(PASSES):
            await asyncio.sleep(0)
        if self.is_closed:
            self.lose()

    def lose(self) -> None:
        """Ends the connection from the client's side."""
        if not self._is_lost:
            self._is_lost = True
            self._served.connection_lost(None)

    @property
    def is_closed(self) -> bool:
        return self.wire.closing

    def frames(self) -> Iterator[bytes]:
        """Yields the answers that have come."""
        reader = FrameReader(REQUEST_BYTES_MAX)
        reader.feed(bytes(self.wire.written))
        while (frame := reader.take()) is not None:
            yield frame

    def answers(self, asked: list[RequestHeader]) -> list[tuple[int, Any]]:
        """Returns number and response of each answer, decoded by its request."""
        return [
            _decoded(frame, header) for frame, header in zip(self.frames(), asked, strict=False)
        ]


def _decoded(frame: bytes, asked: RequestHeader) -> tuple[int, Any]:
    version = asked.api_version
    if asked.api_key == API_VERSIONS and frame[4:6] == b"\0\x23":
        version = 0  # the answer to an unsupported version
    return decode_response(asked.api_key, version, frame)


class Attacked:
    """A cluster with an attacker's connection to a listener, and another client's to each kind."""

    def __init__(self, kraft: Cluster, kind: str) -> None:
        self.kraft = kraft
        leader_id = kraft.world.controller.node.config.node_id
        controller, broker = (
            kraft._live.service.controllers[leader_id],
            kraft._live.service.brokers[1],
        )
        self.listener = {"controller": controller, "broker": broker}[kind]
        self._others = {"heartbeat": Connection(controller), "metadata": Connection(broker)}
        self.attacker = Connection(self.listener)

    async def wait_for(self, count: int) -> int:
        """Lets time pass until the attacker has `count` answers; returns how many it has."""
        for _ in range(STEPS):
            if len(list(self.attacker.frames())) >= count or self.attacker.is_closed:
                break
            await self.kraft.clock.advance(STEP)
            await self.attacker.settle()
        return len(list(self.attacker.frames()))

    async def others_are_served(self) -> list[int]:
        """Returns the error codes of a heartbeat and of a Metadata request of other clients.

        -1 stands for no answer.
        """
        broker = self.kraft.world.committed.brokers.get(1)
        epoch = broker.broker_epoch if broker is not None else 1
        beat = BrokerHeartbeatRequest(
            broker_id=1,
            broker_epoch=epoch,
            current_metadata_offset=self.kraft.world.committed_log.end_offset,
            want_fence=False,
            want_shut_down=False,
        )
        codes = []
        for name, (key, version, request) in {
            "heartbeat": (63, 1, beat),
            "metadata": (3, 12, MetadataRequest()),
        }.items():
            other = self._others[name]
            other.wire.written.clear()
            await other.send([encode_request(key, version, 42, "other", request)])
            answers = [decode_response(key, version, frame) for frame in other.frames()]
            codes.append(getattr(answers[0][1], "error_code", 0) if answers else -1)
        return codes

    @property
    def state(self) -> object:
        """Returns what malformed bytes must not change: the logs, epochs and registrations."""
        world = self.kraft.world
        nodes = [process.node for process in world.controllers.values()]
        return (
            [(node.epoch, node.leader_id, node.log.end_offset) for node in nodes],
            dict(world.committed.brokers),
            dict(world.committed.topics),
        )

    @property
    def unread_bytes(self) -> int:
        """The bytes of unfinished requests over all connections."""
        runtime = self.listener.runtime
        assert runtime is not None
        return runtime.unread.total_bytes
