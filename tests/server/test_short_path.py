"""A request is answered alike on the short path and on the general one, and leaves the same log."""

import asyncio
import base64
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import encode_request
from kraftsim.controller.wire.json.json_form import from_json
from tests.batches import NOW_MS, batch
from tests.differential.listener.generate import draw_listener_sequence
from tests.differential.listener.replies import document_of
from tests.differential.listener.stand import Stand
from tests.differential.sequence import Ask
from tests.server.wires import Wire

pytestmark = pytest.mark.realtime

PRODUCE, FETCH, METADATA, INIT_PRODUCER_ID = 0, 1, 3, 22
KEYS = {api.name: api.key for api in APIS.values()}
REPEATED = ("Produce", "Fetch")
SEQUENCES, CONNECTIONS_MAX = 12, 12
TURNS = 8  # of the event loop, in which a request is answered


class Side:
    """A broker whose connections are in memory; `is_short` if it has the short path."""

    sent = 0

    def __init__(self, kraft: Cluster, *, is_short: bool) -> None:
        self.kraft = kraft
        self._service = kraft._live.service
        self._listener: KafkaListener = self._service.brokers[1]
        if not is_short:
            self._listener.shortened = {}
        self.connections: dict[int, tuple[KafkaConnection, Wire]] = {}
        self.answered_shortly = 0

    async def tell(self, connection_id: int, frame: bytes) -> bytes:
        """Sends a frame; returns what was written until the client is neither due nor muted."""
        reply = await self.send(connection_id, frame)
        connection, wire = self.connections[connection_id]
        if not reply and not wire.closing:
            await self.kraft.clock.advance("1s")
            reply = await self.read(connection_id)
        while connection.awaited is not None and not wire.closing:
            await self.kraft.clock.advance("10s")
            reply += await self.read(connection_id)
        return reply

    async def send(self, connection_id: int, frame: bytes) -> bytes:
        """Sends a frame, and returns what is written at once."""
        connection, _ = self._connection(connection_id)
        self.answered_shortly += self._is_short(connection, frame)
        connection.data_received(frame)
        return await self.read(connection_id)

    async def read(self, connection_id: int) -> bytes:
        """Returns what was written since the last call."""
        for _ in range(TURNS):
            await asyncio.sleep(0)
        wire = self.connections[connection_id][1]
        written = bytes(wire.written)
        wire.written.clear()
        return written

    def _connection(self, connection_id: int) -> tuple[KafkaConnection, Wire]:
        known = self.connections.get(connection_id)
        if known is None or known[1].closing:
            known = KafkaConnection(self._listener), Wire()
            known[0].connection_made(known[1])
            self.connections[connection_id] = known
        return known

    @staticmethod
    def _is_short(connection: KafkaConnection, frame: bytes) -> bool:
        short = connection._learned.short
        return short is not None and short.matches(frame)

    def rows(self) -> list[Any]:
        """The requests that the journal keeps, without the numbers of their first ones."""
        return [
            received._replace(header=received.header._replace(correlation_id=0))
            for _, received in self._service.requests.numbered
        ]

    def logs(self) -> dict[Any, Any]:
        logs = self._service._running.agents[1].store.logs
        return {
            key: (log.batches, log.start_offset, log.high_watermark, log.epochs.entries)
            for key, log in logs.items()
        }


@pytest.fixture
async def sides(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Side, Side]]:
    monkeypatch.setattr("time.time_ns", lambda: NOW_MS * 1_000_000)
    options: dict[str, Any] = {"brokers": 1, "clock": "virtual", "seed": 1, "kafka_port": 0}
    async with Cluster(**options) as one, Cluster(**options) as other:
        for kraft in (one, other):
            await kraft.clock.advance("1s")
        yield Side(one, is_short=True), Side(other, is_short=False)


@pytest.mark.slow
async def test_drawn_requests_are_answered_alike(sides: tuple[Side, Side]) -> None:
    random = Random(1)
    for number in range(SEQUENCES):
        stand = Stand(prefix=f"s{number}.", began_ms=NOW_MS)
        earlier: list[tuple[int, bytes, Ask]] = []
        for place, step in enumerate(draw_listener_sequence(1, number).every_step):
            assert isinstance(step, Ask)
            frame = frame_of(step, stand)
            connection_id = place % CONNECTIONS_MAX
            for _ in range(2 if step.api in REPEATED else 1):
                note(step, await told(sides, connection_id, frame, step), stand)
            earlier.append((connection_id, frame, step))
            if len(earlier) > 4:
                again = random.choice(earlier)
                if again[2].api in REPEATED:
                    await told(sides, *again)
            await learn_ids(sides[0], stand, step)

    short, general = sides
    assert short.answered_shortly > 50
    assert general.answered_shortly == 0


async def told(sides: tuple[Side, Side], connection_id: int, frame: bytes, step: Ask) -> bytes:
    """Sends both sides a frame, and returns the reply that both give."""
    short, general = sides
    Side.sent += 1
    frame = frame[:8] + Side.sent.to_bytes(4) + frame[12:]
    reply = await short.tell(connection_id, frame)
    other = await general.tell(connection_id, frame)

    if step.api in REPEATED:  # others may name the port of the broker
        assert other == reply, step
    assert short.rows() == general.rows()
    assert short.logs() == general.logs()

    return reply


def frame_of(step: Ask, stand: Stand) -> bytes:
    key = KEYS[step.api]
    request: Any = from_json(APIS[key].request, stand.resolve(step.body))
    return encode_request(key, step.version, 7, "judge", request)


def note(step: Ask, reply: bytes, stand: Stand) -> None:
    """Notes the ids that a reply gives out."""
    key = KEYS[step.api]
    if not reply or key not in (FETCH, INIT_PRODUCER_ID):
        return
    document = document_of(key, step.version, reply[4:])
    if key == FETCH and step.version >= 7 and document["sessionId"]:
        stand.sessions.append(document["sessionId"])
    elif key == INIT_PRODUCER_ID and document["producerId"] != -1:
        stand.producers.append(int(document["producerId"]))


async def learn_ids(side: Side, stand: Stand, step: Ask) -> None:
    if step.api not in ("CreateTopics", "Metadata"):
        return
    for topic in await side.kraft.topics.list():
        ids = stand.topic_ids[topic["name"]]
        if topic["topicId"] not in ids:
            ids.append(topic["topicId"])


PRODUCER, CONSUMER = 1, 2


def produced(data: bytes) -> bytes:
    records = {"index": 0, "records": base64.b64encode(data).decode()}
    body = {"transactionalId": None, "acks": -1, "timeoutMs": 1000}
    topics = {"topicData": [{"name": "t", "partitionData": [records]}]}
    return frame_of(Ask("Produce", 9, body | topics), Stand())


def wanted(offset: int, max_wait_ms: int = 10_000) -> bytes:
    partition = {"partition": 0, "currentLeaderEpoch": -1, "fetchOffset": offset}
    partition |= {"lastFetchedEpoch": -1, "logStartOffset": -1, "partitionMaxBytes": 2**20}
    body = {"replicaId": -1, "maxWaitMs": max_wait_ms, "minBytes": 1, "maxBytes": 2**20}
    body |= {"isolationLevel": 0, "sessionId": 0, "sessionEpoch": -1, "rackId": ""}
    topics = {"topics": [{"topic": "t", "partitions": [partition]}], "forgottenTopicsData": []}
    return frame_of(Ask("Fetch", 12, body | topics), Stand())


@pytest.fixture
async def waiting(sides: tuple[Side, Side]) -> tuple[Side, Side]:
    """Both sides, with a topic of one message, whose consumer waits for the next."""
    for side in sides:
        await side.kraft.topics.create("t")
        await side.kraft.clock.advance("1s")
        assert await side.send(PRODUCER, produced(batch(b"first")))
        assert await side.send(CONSUMER, wanted(0))
        assert await side.send(CONSUMER, wanted(1)) == b""
    assert [side.answered_shortly for side in sides] == [1, 0]
    return sides


async def answers(sides: tuple[Side, Side], connection_id: int = CONSUMER) -> bytes:
    """Returns what both sides write to the consumer."""
    reply, other = [await side.read(connection_id) for side in sides]
    assert reply == other
    return reply


@pytest.mark.rule("B4.34")
async def test_a_wait_ends_with_an_append(waiting: tuple[Side, Side]) -> None:
    for side in waiting:
        assert await side.send(PRODUCER, produced(batch(b"second")))

    assert b"second" in await answers(waiting)


@pytest.mark.rule("B4.34")
async def test_a_wait_ends_with_its_time(waiting: tuple[Side, Side]) -> None:
    for side in waiting:
        await side.kraft.clock.advance("9s")
    assert await answers(waiting) == b""

    for side in waiting:
        await side.kraft.clock.advance("1s")

    assert await answers(waiting)


async def test_a_wait_ends_when_its_topic_is_deleted(waiting: tuple[Side, Side]) -> None:
    for side in waiting:
        await side.kraft.topics.delete("t")
        await side.kraft.clock.advance("1s")

    assert await answers(waiting)


async def test_a_fault_of_requests_is_about_those_of_the_short_path(
    waiting: tuple[Side, Side],
) -> None:
    for side in waiting:
        assert await side.send(PRODUCER, produced(batch(b"second")))
    assert b"second" in await answers(waiting)

    for side in waiting:
        await side.kraft.faults.add({"rpc.error": {"api": "Fetch", "code": "NOT_CONTROLLER"}})
    replies = [await side.send(CONSUMER, wanted(0)) for side in waiting]

    assert replies[0] == replies[1]
    assert b"first" not in replies[0]


async def test_a_full_disk_is_found_on_the_short_path(waiting: tuple[Side, Side]) -> None:
    for side in waiting:
        assert await side.send(PRODUCER, produced(batch(b"second")))
        await side.kraft.faults.add({"disk.full": {"on": 1}})
        await side.send(PRODUCER, produced(batch(b"third")))

    for side in waiting:
        ((batches, *_),) = side.logs().values()
        assert len(batches) == 2


async def produced_alike(sides: tuple[Side, Side], value: bytes) -> bytes:
    """Produces a message on both sides, and returns the reply of both."""
    replies = [await side.send(PRODUCER, produced(batch(value))) for side in sides]
    assert replies[0] == replies[1]
    return replies[0]


async def test_a_changed_configuration_is_found_on_the_short_path(
    waiting: tuple[Side, Side],
) -> None:
    assert await produced_alike(waiting, b"v" * 500)

    for side in waiting:
        await side.kraft.configs.set("topic", "t", {"max.message.bytes": "200"})
        await side.kraft.clock.advance("1s")
    refused = await produced_alike(waiting, b"v" * 500)

    assert b"\0\x0a" + b"\xff" * 16 in refused  # MESSAGE_TOO_LARGE, without an offset
    assert waiting[0].logs() == waiting[1].logs()


async def test_what_retention_has_deleted_is_not_read_on_the_short_path(
    waiting: tuple[Side, Side],
) -> None:
    for side in waiting:
        await side.kraft.configs.set("topic", "t", {"retention.ms": "1000"})
        await side.kraft.clock.advance("1s")
    assert b"second" not in await produced_alike(waiting, b"second")
    assert b"second" in await answers(waiting)
    assert b"second" in (await fetched_alike(waiting, 1))

    for side in waiting:
        await side.kraft.clock.advance("20m")

    assert b"second" not in await fetched_alike(waiting, 1)
    assert waiting[0].logs() == waiting[1].logs()


async def fetched_alike(sides: tuple[Side, Side], offset: int) -> bytes:
    """Fetches on both sides, and returns the reply of both."""
    replies = [await side.send(CONSUMER, wanted(offset)) for side in sides]
    assert replies[0] == replies[1]
    return replies[0]


async def test_a_connection_that_has_ended_keeps_no_log(waiting: tuple[Side, Side]) -> None:
    connection, _ = waiting[0].connections[PRODUCER]
    assert connection._learned.short is not None

    connection.connection_lost(None)

    assert connection._learned.short is None
