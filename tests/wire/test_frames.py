"""Frames: cutting a stream, headers of both kinds, what is ignored and what is refused."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    MetadataRequest,
    UnregisterBrokerRequest,
)
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frame_reader import FrameReader
from kraftsim.controller.wire.frames import (
    REQUEST_BYTES_MAX,
    Exchange,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)


def framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4, "big") + frame


@given(st.lists(st.binary(max_size=50), max_size=20), st.lists(st.integers(0, 200), max_size=20))
def test_frames_come_out_whole_however_the_stream_is_cut(
    frames: list[bytes], cuts: list[int]
) -> None:
    stream = b"".join(framed(frame) for frame in frames)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    reader = FrameReader(REQUEST_BYTES_MAX)

    read = []
    for start, end in pairwise(places):
        reader.feed(stream[start:end])
        while (frame := reader.take()) is not None:
            read.append(frame)
    assert frames == read
    assert len(reader.data) == 0


LARGE = 100_000


@pytest.mark.parametrize("piece_bytes", [30_000, LARGE, LARGE + 7, LARGE + 20])
def test_a_large_frame_comes_out_whole_with_its_neighbours(piece_bytes: int) -> None:
    frames = [b"first", bytes(LARGE), b"second", bytes(LARGE), b"third"]
    stream = b"".join(len(frame).to_bytes(4) + frame for frame in frames)
    reader, taken, fed = FrameReader(LARGE), list[bytes](), 0
    for start in range(0, len(stream), piece_bytes):
        reader.feed(stream[start : start + piece_bytes])
        fed += len(stream[start : start + piece_bytes])
        assert reader.held_bytes <= fed
        while (frame := reader.take()) is not None:
            taken.append(frame)

    assert taken == frames
    assert reader.held_bytes == 0


@pytest.mark.parametrize("length", [-1, REQUEST_BYTES_MAX + 1, 2**31 - 1])
def test_a_length_that_no_frame_has_is_refused_before_it_is_waited_for(length: int) -> None:
    spelled = length.to_bytes(4, "big", signed=True)

    reader = FrameReader(REQUEST_BYTES_MAX)
    reader.feed(spelled[:3])
    assert reader.take() is None
    reader.feed(spelled[3:])
    with pytest.raises(DecodeError, match=f"got {length}"):
        reader.take()


def test_a_request_header_names_its_client_or_does_not() -> None:
    for client_id in ("adminclient-1", "", None, "é"):
        for version in (0, 3):
            request = ApiVersionsRequest()
            frame = encode_request(18, version, -7, client_id, request)[4:]
            header = read_request_header(frame)

            assert (18, version, -7, client_id) == header[:4]
            assert request == decode_request(header, frame)


def test_tagged_fields_of_a_request_header_are_skipped() -> None:
    plain = encode_request(60, 2, 1, "c", DescribeClusterRequest(endpoint_type=2))[4:]
    after_client_id = 11
    frame = plain[:after_client_id] + b"\x01\x00\x03abc" + plain[after_client_id + 1 :]

    request = decode_request(read_request_header(frame), frame)
    assert DescribeClusterRequest(endpoint_type=2) == request


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0\x3f\0\2\0\0\0\1",
        b"\0\x3f\0\2\0\0\0\1\0\x09abc",
        b"\0\x3f\0\2\0\0\0\1\xff\xfe",
        b"\0\x3f\0\2\0\0\0\1\0\1\xff\0",
        b"\0\x3f\0\2\0\0\0\1\xff\xff",
        b"\0\x3f\0\2\0\0\0\1\xff\xff\x01\x00\x7f",
    ],
)
def test_a_damaged_request_header_is_refused(frame: bytes) -> None:
    with pytest.raises(DecodeError, match="expected"):
        read_request_header(frame)


def test_stray_bytes_after_a_request_are_ignored() -> None:
    """librdkafka leaves a 4-byte array count where Metadata 13 wants one byte of null."""
    frame = bytes.fromhex("0003000d00000002000772646b61666b6100") + b"\0\0\0\0\1\0\0"

    request = decode_request(read_request_header(frame), frame)
    assert MetadataRequest(topics=None, allow_auto_topic_creation=False) == request


@pytest.mark.rule("5.47")
def test_an_api_versions_response_has_the_old_header_in_every_version() -> None:
    old = encode_response(18, 0, 9, ApiVersionsResponse())
    flexible = encode_response(18, 4, 9, ApiVersionsResponse())
    other = encode_response(63, 2, 9, BrokerHeartbeatResponse())

    assert framed(bytes.fromhex("00000009 0000 00000000")) == old
    assert framed(bytes.fromhex("00000009 0000 01 00000000 00")) == flexible
    assert framed(bytes.fromhex("00000009 00 00000000 0000 00 01 00 00")) == other
    assert (9, ApiVersionsResponse()) == decode_response(18, 4, flexible[4:])


def test_tagged_fields_of_a_response_header_are_skipped() -> None:
    frame = bytes.fromhex("00000009 01 05 02 abcd 00000000 004d 00 01 00 00")

    expected = BrokerHeartbeatResponse(error_code=77)
    assert (9, expected) == decode_response(63, 2, frame)


def test_an_error_code_that_nobody_knows_survives() -> None:
    frame = encode_response(63, 2, 1, BrokerHeartbeatResponse(error_code=31999))

    assert (1, BrokerHeartbeatResponse(error_code=31999)) == decode_response(63, 2, frame[4:])


@pytest.mark.parametrize("frame", [b"", b"\0\0\0", b"\0\0\0\1", b"\0\0\0\1\1"])
def test_a_damaged_response_header_is_refused(frame: bytes) -> None:
    with pytest.raises(DecodeError, match="expected"):
        decode_response(63, 2, frame)


def test_an_exchange_reads_and_spells_what_the_plain_functions_do() -> None:
    first = encode_request(60, 2, 1, "adminclient-1", DescribeClusterRequest(endpoint_type=2))[4:]
    second = encode_request(60, 2, 7, "adminclient-1", DescribeClusterRequest())[4:]
    exchange = Exchange(read_request_header(first), first, start_time_tag=False)

    assert exchange.matches(second)
    assert DescribeClusterRequest() == exchange.decode(second)
    response = DescribeClusterResponse(cluster_id="c")
    assert encode_response(60, 2, 7, response) == exchange.encode(second[4:8], response)


@pytest.mark.parametrize(
    ("key", "client_id", "request_", "is_repeated"),
    [
        (60, "a", DescribeClusterRequest(), True),
        (60, "a", DescribeClusterRequest(endpoint_type=2), False),
        (60, "b", DescribeClusterRequest(), False),
        (3, "a", DescribeClusterRequest(), False),
    ],
)
def test_an_exchange_knows_its_last_request_again_by_any_correlation_id(
    key: int, client_id: str, request_: DescribeClusterRequest, is_repeated: bool
) -> None:
    first = encode_request(60, 2, 1, "a", DescribeClusterRequest())[4:]
    exchange = Exchange(read_request_header(first), first, start_time_tag=False)
    assert exchange.repeated(first) is None
    known = exchange.decode(first)

    next_frame = encode_request(60, 2, 258, client_id, request_)[4:]
    again = exchange.repeated(key.to_bytes(2, "big") + next_frame[2:])

    assert (again is known) == is_repeated


def test_an_exchange_spells_a_kept_reply_anew_for_every_correlation_id() -> None:
    request = BrokerHeartbeatRequest(
        broker_id=1, current_metadata_offset=0, want_fence=False, want_shut_down=False
    )
    frame = encode_request(63, 2, 1, "1", request)[4:]
    exchange = Exchange(read_request_header(frame), frame, start_time_tag=False)
    kept, refused = BrokerHeartbeatResponse(is_fenced=False), BrokerHeartbeatResponse(error_code=77)

    for number in range(200):
        for reply in (kept, refused, BrokerHeartbeatResponse(error_code=number)):
            expected = encode_response(63, 2, number, reply)
            assert expected == exchange.encode(number.to_bytes(4, "big"), reply)


@pytest.mark.parametrize(
    ("key", "version", "client_id"),
    [(60, 1, "a"), (64, 0, "a"), (60, 2, "b"), (60, 2, "ab"), (60, 2, ""), (60, 2, None)],
)
def test_an_exchange_is_of_one_api_version_and_client(
    key: int, version: int, client_id: str | None
) -> None:
    first = encode_request(60, 2, 1, "a", DescribeClusterRequest())[4:]
    exchange = Exchange(read_request_header(first), first, start_time_tag=False)
    request = DescribeClusterRequest() if key == 60 else UnregisterBrokerRequest(broker_id=1)

    assert not exchange.matches(encode_request(key, version, 1, client_id, request)[4:])


def test_an_exchange_refuses_a_frame_that_is_cut_short() -> None:
    frame = encode_request(60, 2, 1, "a", DescribeClusterRequest())[4:]
    exchange = Exchange(read_request_header(frame), frame, start_time_tag=False)

    for length in range(len(frame)):
        if exchange.matches(frame[:length]):
            with pytest.raises(DecodeError):
                exchange.decode(frame[:length])


@pytest.mark.parametrize(
    "start", [b"\x16\x03\x01\x02\x00\x01\x00", b"\x15\x03\x03\x00\x02\x02\x16"]
)
def test_a_tls_connection_is_named_as_one(start: bytes) -> None:
    reader = FrameReader(REQUEST_BYTES_MAX)
    reader.feed(start)

    with pytest.raises(DecodeError, match="got the start of a TLS connection") as refused:
        reader.take()
    assert "security.protocol=PLAINTEXT" in str(refused.value)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_an_http_request_is_named_as_one(method: str) -> None:
    reader = FrameReader(REQUEST_BYTES_MAX)
    reader.feed(f"{method} / HTTP/1.1\r\n\r\n".encode())

    with pytest.raises(DecodeError, match="got an HTTP request") as refused:
        reader.take()
    assert "send HTTP to the port of the HTTP service" in str(refused.value)
