"""Bad bytes close their own connection and touch nothing else; nobody grows without bound."""

import asyncio
import struct
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kraftsim import Cluster
from kraftsim.controller.core.rpc import ApiVersionsRequest
from kraftsim.controller.server.connection.outgoing import WRITE_BUFFER_BYTES_MAX
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import REQUEST_BYTES_MAX, encode_request
from tests.golden.recordings import frame as recorded
from tests.golden.recordings import frames as recordings
from tests.server.kafka_client import API_VERSIONS, connected
from tests.server.wires import Wire, listening, world

pytestmark = pytest.mark.slow


MILLION = 1_000_000


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=1, clock="virtual", seed=1, kafka_port=0, controller_port=0
    ) as cluster:
        yield cluster


def framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4) + frame


def header(key: int, version: int) -> bytes:
    flexible = b"\0" if key in APIS and APIS[key].request.is_flexible(version) else b""
    return struct.pack(">hhih", key, version, 1, 4) + b"test" + flexible


def uvarint(number: int) -> bytes:
    digits = b""
    while number > 127:
        digits += bytes([number & 127 | 128])
        number >>= 7
    return digits + bytes([number])


METADATA = recorded("4.3.1", "A6-errors", 12).data
BAD = {
    "garbage": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a TLS hello": bytes.fromhex("160301020001000000fc0303") + bytes(200),
    "zeros": b"\0" * 64,
    "a negative length": struct.pack(">i", -1),
    "the most negative length": struct.pack(">i", -(2**31)),
    "a length over the limit": struct.pack(">i", REQUEST_BYTES_MAX + 1),
    "the greatest length": struct.pack(">i", 2**31 - 1),
    "an empty frame": framed(b""),
    "a frame that ends in its header": framed(b"\0\x12\0"),
    "a client id that is longer than the frame": framed(struct.pack(">hhih", 18, 3, 1, 999)),
    "a client id of a negative length": framed(struct.pack(">hhih", 18, 3, 1, -2)),
    "a client id that is no text": framed(struct.pack(">hhih", 18, 3, 1, 2) + b"\xff\xff\0"),
    "a request that ends before its body": framed(header(18, 3)),
    "an unknown key": framed(recorded("4.3.1", "A6-errors", 13).data),
    "an unknown version": framed(recorded("4.3.1", "A6-errors", 14).data),
    "a negative key": framed(header(-1, 0)),
    "a negative version": framed(header(60, -1)),
    "a null where none may be": framed(header(18, 3) + b"\0\x02x\0"),
    "a million topics that are not there": framed(header(19, 7) + uvarint(MILLION + 1) + b"\x02x"),
    "a billion topics": framed(header(19, 7) + uvarint(2**31 - 1)),
    "a varint without an end": framed(header(19, 7) + b"\xff" * 64),
}


@pytest.mark.rule("5.2")
@pytest.mark.realtime
@pytest.mark.parametrize("where", ["controller", "broker"])
@pytest.mark.parametrize("name", BAD)
async def test_bad_bytes_close_their_own_connection_and_touch_nothing_else(
    kraft: Cluster, where: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    addresses = {"controller": kraft.bootstrap_controllers, "broker": kraft.bootstrap_servers}
    before = kraft.world.committed.brokers[1]
    async with connected(addresses[where]) as other, connected(addresses[where]) as bad:
        assert await bad.is_served()
        assert await other.is_served()
        bad.writer.write(BAD[name])

        assert await bad.ended() == b""
        assert await other.is_served()
    await kraft.clock.advance("30s")
    assert "unfenced" in kraft.brokers.states_of(1)
    assert kraft.world.committed.brokers[1] == before
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert caplog.records[0].exc_info is None
    is_http = name == "garbage"  # it begins with GET
    assert ("send HTTP to the port of the HTTP service" in caplog.text) == is_http
    assert ("got the start of a TLS connection" in caplog.text) == (name == "a TLS hello")


@pytest.mark.rule("5.2", "1.1")
@pytest.mark.realtime
@pytest.mark.parametrize(
    ("where", "key"), [("controller", 3), ("broker", 62), ("broker", 63), ("broker", 1)]
)
async def test_an_api_of_the_other_kind_of_listener_closes_the_connection(
    kraft: Cluster, where: str, key: int
) -> None:
    addresses = {"controller": kraft.bootstrap_controllers, "broker": kraft.bootstrap_servers}
    frames = {3: METADATA, 1: header(1, 17), 62: header(62, 4), 63: header(63, 1)}

    async with connected(addresses[where]) as client:
        client.writer.write(framed(frames[key]))
        assert await client.ended() == b""


@pytest.mark.realtime
async def test_a_truncated_request_waits_for_its_rest_and_holds_up_nobody(kraft: Cluster) -> None:
    async with (
        connected(kraft.bootstrap_controllers) as slow,
        connected(kraft.bootstrap_controllers) as other,
    ):
        whole = encode_request(18, 3, 7, "test", API_VERSIONS)
        slow.writer.write(whole[:-1])
        await slow.round_trips(other)
        slow.writer.write(whole[-1:])

        assert (await slow.answer(18, 3))[0] == 7


@pytest.mark.realtime
async def test_bytes_after_a_request_within_its_frame_are_ignored(kraft: Cluster) -> None:
    async with connected(kraft.bootstrap_controllers) as client:
        whole = encode_request(18, 3, 7, "test", API_VERSIONS)
        client.writer.write(framed(whole[4:] + b"and more"))

        assert (await client.answer(18, 3))[0] == 7


@pytest.mark.realtime
async def test_a_client_that_never_reads_is_not_read_from(kraft: Cluster) -> None:
    """Its answers fill what the machine takes and one bounded buffer; then it has to wait."""
    async with connected(kraft.bootstrap_controllers) as greedy:
        greedy.writer.transport.pause_reading()
        (connection,) = kraft._live.service.controllers[3000].connections
        transport = connection._transport
        assert transport is not None
        request = encode_request(18, 3, 1, "test", API_VERSIONS) * 500
        async with asyncio.timeout(60):
            while transport.is_reading():
                greedy.writer.write(request)
                await asyncio.sleep(0)

        assert transport.get_write_buffer_size() < 2 * WRITE_BUFFER_BYTES_MAX
        async with connected(kraft.bootstrap_controllers) as other:
            assert await other.is_served()


PASSES = 20  # of the event loop, in which all requests of a chunk are handled


async def sent(chunks: list[bytes]) -> tuple[KafkaConnection, Wire]:
    """Feed them as a transport does; a connection that is not read from for long gets no more."""
    wire, connection = Wire(), KafkaConnection(listening(world()))
    connection.connection_made(wire)
    for chunk in chunks:
        if not wire.closing and wire.reading:
            connection.data_received(chunk)
        for _ in range(PASSES):
            await asyncio.sleep(0)
    return connection, wire


def recorded_requests() -> list[bytes]:
    return [
        recording.data
        for recording in recordings("4.3.1", "A6-errors")
        if recording.direction == "req"
    ]


RECORDED = recorded_requests()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A frame that Kafka's client sent, with some bytes of it replaced, cut off or added."""
    frame = bytearray(draw(st.sampled_from(RECORDED)))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(frame) - 1))
        frame[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=3)) or b"\0"
    return framed(bytes(frame))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=64) | damaged(), max_size=6))
@example([b"\xff" * 200])
def test_no_bytes_whatever_make_a_connection_fail(chunks: list[bytes]) -> None:
    """What raises out of data_received would be a traceback in the log; nothing does."""

    async def feed() -> None:
        faults: list[dict[str, Any]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context))
        await sent(chunks)
        assert faults == []

    asyncio.run(feed())


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_cuts_do_not_change_what_is_answered(data: st.DataObject) -> None:
    frames = [framed(frame) for frame in data.draw(st.lists(st.sampled_from(RECORDED), max_size=5))]
    stream = b"".join(frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    edges = [0, *cuts, len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]

    async def answers(chunks: list[bytes]) -> bytes:
        _, wire = await sent(chunks)
        return bytes(wire.written)

    assert asyncio.run(answers(pieces)) == asyncio.run(answers(frames))


async def test_much_asked_at_once_is_written_before_it_piles_up() -> None:
    """One read of small requests may ask for large answers: they do not wait for each other."""
    ask = encode_request(
        18, 3, 1, "x", ApiVersionsRequest(client_software_name="a", client_software_version="1")
    )
    connection, wire = await sent([])
    largest = 0

    def wrote(data: Any) -> None:
        nonlocal largest
        largest = max(largest, len(data))
        wire.written += data

    wire.write = wrote  # it measures, and is the wire still
    connection.data_received(ask * 20_000)
    for _ in range(20_000):
        await asyncio.sleep(0)
        if wire.reading:
            break

    assert len(wire.written) > 2 * WRITE_BUFFER_BYTES_MAX
    assert largest < WRITE_BUFFER_BYTES_MAX + 10_000


async def test_a_client_that_does_not_read_is_answered_no_more_until_it_does() -> None:
    ask = encode_request(18, 3, 1, "x", API_VERSIONS)
    connection, wire = await sent([])
    connection.pause_writing()
    connection.data_received(ask * 3)
    assert (bytes(wire.written), wire.reading) == (b"", False)

    connection.resume_writing()
    for _ in range(PASSES):
        await asyncio.sleep(0)

    assert len(wire.written) > 0
    assert wire.reading
