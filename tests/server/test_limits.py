"""What a client that sends too much, or half of it, costs the others (docs/security.md)."""

import asyncio
from collections.abc import Callable

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server import idleness, kafka_listener, large_requests, unread_bytes
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.turns import REQUESTS_PER_VISIT
from kraftsim.controller.wire.frames import encode_request
from tests.server.kafka_client import API_VERSIONS
from tests.server.wires import Wire, listening, world

REQUEST = encode_request(18, 3, 1, "x", API_VERSIONS)
TOPICS = tuple(CreatableTopic(name=f"t{number}", num_partitions=1) for number in range(200))
LARGE = encode_request(19, 7, 1, "x", CreateTopicsRequest(topics=TOPICS))


def connected(listener: KafkaListener, address: str = "127.0.0.1") -> tuple[KafkaConnection, Wire]:
    wire, connection = Wire(address), KafkaConnection(listener)
    connection.connection_made(wire)
    return connection, wire


async def passes(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.slow
async def test_a_burst_of_one_client_is_interrupted_for_a_request_of_another() -> None:
    listener = listening(world())
    greedy, full = connected(listener)
    modest, served = connected(listener)

    greedy.data_received(REQUEST * 10_000)
    await passes(3)
    modest.data_received(REQUEST)
    await passes(3)

    reply = len(served.written)
    assert reply > 0
    assert reply <= len(full.written) < 10_000 * reply
    await passes(10_000)
    assert len(full.written) == 10_000 * reply


async def test_bursts_of_many_clients_take_turns() -> None:
    listener = listening(world())
    wires = [connected(listener) for _ in range(50)]
    for connection, _ in wires:
        connection.data_received(REQUEST * 200)

    await passes(500)

    shares = [len(wire.written) for _, wire in wires]
    assert max(shares) <= REQUESTS_PER_VISIT * min(shares)
    assert max(shares) > 0


@pytest.mark.python_modules
async def test_above_the_bound_the_largest_unfinished_request_is_closed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(unread_bytes, "BUFFERED_BYTES_MAX", 1_000)
    listener = listening(world())
    half = (10_000).to_bytes(4)
    modest, served = connected(listener)
    modest.data_received(REQUEST[:-1])
    greedy = [connected(listener) for _ in range(3)]

    for connection, _ in greedy:
        connection.data_received(half + bytes(600))

    assert [wire.closing for _, wire in greedy] == [True, True, False]
    assert "unfinished requests over all connections" in caplog.text
    modest.data_received(REQUEST[-1:])
    await passes(3)
    assert len(served.written) > 0


async def test_large_requests_wait_as_bytes_until_others_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_requests, "PENDING_BYTES_MAX", len(LARGE) + 1)
    listener = listening(world())
    unanswered: list[Callable[[Reply], None]] = []
    listener.dispatch = lambda request, reply_to: unanswered.append(reply_to)
    wires = [connected(listener) for _ in range(5)]
    for connection, _ in wires:
        connection.data_received(LARGE)
    connection, small = connected(listener)
    connection.data_received(REQUEST)
    await passes(3)

    assert [connection.waits_for_room for connection, _ in wires] == [0, 0, 1, 1, 1]
    assert len(unanswered) == 2
    assert small.written
    wires[2][0].connection_lost(None)
    for reply_to in unanswered:
        reply_to(ApiError(ErrorCode.NOT_CONTROLLER, ""))
        await passes(3)
    assert [bool(wire.written) for _, wire in wires] == [True, True, False, True, True]


async def test_a_large_request_that_nobody_will_answer_makes_room_when_it_is_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_requests, "PENDING_BYTES_MAX", 1)
    requests = large_requests.LargeRequests(lambda connection: None)

    reply_to = requests.counted(1, lambda reply: None)

    assert requests.is_full
    del reply_to
    assert not requests.is_full


async def test_half_a_request_is_waited_for_in_vain_only_so_long() -> None:
    listener = listening(world())
    stuck, closed = connected(listener)
    busy, kept = connected(listener)
    stuck.data_received(REQUEST[:-1])

    for _ in range(idleness.STUCK_LOOKS):
        busy.data_received(REQUEST)
        stuck.close_if_stuck()
        busy.close_if_stuck()

    assert (closed.closing, kept.closing) == (True, False)


async def test_a_client_that_reads_no_replies_is_dropped() -> None:
    connection, wire = connected(listening(world()))
    connection.pause_writing()
    connection.data_received(REQUEST * 10)

    for _ in range(idleness.STUCK_LOOKS):
        connection.close_if_stuck()

    assert wire.closing


async def test_a_connection_without_requests_ends_after_kafkas_ten_minutes() -> None:
    connection, wire = connected(listening(world()))

    looks_ten_minutes = int(600 / kafka_listener.LOOK_S)
    for _ in range(looks_ten_minutes - 1):
        connection.close_if_stuck()
    assert not wire.closing
    connection.close_if_stuck()
    assert wire.closing


async def test_an_address_cannot_take_every_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_listener, "CONNECTIONS_PER_ADDRESS_MAX", 2)
    listener = listening(world())
    first, second, third = (connected(listener, "10.0.0.1") for _ in range(3))
    elsewhere = connected(listener, "10.0.0.2")

    assert [wire.closing for _, wire in (first, second, third, elsewhere)] == [0, 0, 1, 0]
    first[0].connection_lost(None)
    assert not connected(listener, "10.0.0.1")[1].closing
