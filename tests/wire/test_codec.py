"""What the compiled code does beyond spelling fields: tags, nulls, bounds, kept bodies."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerListener,
    BrokerRegistrationRequest,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsResponse,
    DescribeClusterBroker,
    DescribeClusterResponse,
    MetadataBroker,
    MetadataRequest,
    MetadataResponse,
)
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.compiler import decoder, encoder
from kraftsim.controller.wire.codec.encode_source import CACHED_BODIES_MAX
from kraftsim.controller.wire.codec.varints import unsigned
from kraftsim.controller.wire.errors import DecodeError

HEARTBEAT, METADATA, REGISTRATION = APIS[63], APIS[3], APIS[62]
DIRECTORY = bytes(range(16))

A_HEARTBEAT = BrokerHeartbeatRequest(
    broker_id=1,
    broker_epoch=37,
    current_metadata_offset=40,
    want_fence=False,
    want_shut_down=True,
    offline_log_dirs=(DIRECTORY,),
)
A_REGISTRATION = BrokerRegistrationRequest(
    broker_id=1,
    cluster_id="fx7zzWnTQ1eI9mS0DnvxNQ",
    incarnation_id=DIRECTORY,
    features=(),
    rack="r1",
    is_migrating_zk_broker=True,
    log_dirs=(DIRECTORY,),
    previous_broker_epoch=5,
)


def decode_heartbeat(data: bytes, version: int = 2) -> BrokerHeartbeatRequest:
    request, _ = decoder(HEARTBEAT.request, version)(data, 0)
    assert isinstance(request, BrokerHeartbeatRequest)
    return request


def tagged(*fields: tuple[int, bytes]) -> bytes:
    parts = [unsigned(tag) + unsigned(len(value)) + value for tag, value in fields]
    return unsigned(len(fields)) + b"".join(parts)


def heartbeat_with(*fields: tuple[int, bytes]) -> bytes:
    plain = encoder(HEARTBEAT.request, 0)(A_HEARTBEAT)
    return plain[:-1] + tagged(*fields)


@pytest.mark.rule("2.1")
def test_unknown_tagged_fields_are_skipped() -> None:
    directories = unsigned(2) + DIRECTORY

    known_between = heartbeat_with((0, directories), (7, b"later"), (300, bytes(200)))
    assert decode_heartbeat(known_between) == A_HEARTBEAT
    in_version_0 = heartbeat_with((0, directories), (7, b"later"))
    assert decode_heartbeat(in_version_0, 0) == replace(A_HEARTBEAT, offline_log_dirs=())


def test_bytes_after_the_body_are_left_alone() -> None:
    body = encoder(HEARTBEAT.request, 2)(A_HEARTBEAT)

    request, end = decoder(HEARTBEAT.request, 2)(body + b"\xff\xff\xff", 0)
    assert (A_HEARTBEAT, len(body)) == (request, end)


@pytest.mark.rule("1.2", "2.1")
def test_a_field_that_a_version_lacks_is_not_written_and_reads_as_its_default() -> None:
    registration = encoder(REGISTRATION.request, 0)(A_REGISTRATION)
    heartbeat = encoder(HEARTBEAT.request, 0)(A_HEARTBEAT)

    read, _ = decoder(REGISTRATION.request, 0)(registration, 0)
    assert read == replace(
        A_REGISTRATION, is_migrating_zk_broker=False, log_dirs=(), previous_broker_epoch=-1
    )
    assert decode_heartbeat(heartbeat, 0) == replace(A_HEARTBEAT, offline_log_dirs=())


@pytest.mark.rule("2.1")
def test_no_list_and_an_empty_list_of_cordoned_directories_differ() -> None:
    for cordoned in (None, (), (DIRECTORY,)):
        heartbeat = replace(A_HEARTBEAT, cordoned_log_dirs=cordoned)
        body = encoder(HEARTBEAT.request, 2)(heartbeat)

        assert decode_heartbeat(body) == heartbeat


@pytest.mark.rule("1.19")
def test_of_two_listeners_of_one_name_the_first_stays() -> None:
    first = BrokerListener(name="PLAINTEXT", host="a", port=9092)
    second = BrokerListener(name="PLAINTEXT", host="b", port=9093)
    third = BrokerListener(name="REPL", host="c", port=65535)
    body = encoder(REGISTRATION.request, 4)(
        replace(A_REGISTRATION, listeners=(first, second, third))
    )

    read, _ = decoder(REGISTRATION.request, 4)(body, 0)
    assert (first, third) == read.listeners


def test_null_topics_ask_for_all_and_an_empty_list_for_none() -> None:
    for version in range(1, 14):
        for topics in (None, ()):
            body = encoder(METADATA.request, version)(MetadataRequest(topics=topics))
            read, _ = decoder(METADATA.request, version)(body, 0)
            assert topics == read.topics, version


def test_before_null_an_empty_list_asks_for_all_topics() -> None:
    body = encoder(METADATA.request, 0)(MetadataRequest(topics=None))

    assert bytes(4) == body
    assert MetadataRequest(topics=None) == decoder(METADATA.request, 0)(body, 0)[0]


def test_what_was_read_is_an_ordinary_value() -> None:
    """That nobody sets a field of it is the type checker's to see (core/value.py)."""
    read = decode_heartbeat(encoder(HEARTBEAT.request, 2)(A_HEARTBEAT))

    assert (type(read), repr(read), hash(read)) == (
        BrokerHeartbeatRequest,
        repr(A_HEARTBEAT),
        hash(A_HEARTBEAT),
    )
    with pytest.raises(AttributeError):
        read.no_such_field = 2


@pytest.mark.parametrize(
    ("version", "body", "complaint"),
    [
        (4, b"\0\0\0\1\0", "cluster_id: expected a value, got null"),
        (4, b"\0\0\0\1\x20abc", "cluster_id: expected 31 bytes, got the 3 that are left"),
        (4, b"\0\0\0\1\x03a\xff" + bytes(99), "expected UTF-8, got b'a\\xff'"),
        (4, b"\0\0\0\1\x01" + bytes(17), "listeners: expected a value, got null"),
        (
            4,
            b"\0\0\0\1\x01" + bytes(16) + b"\xc1\x84\x3d",
            "listeners: expected 1000000 elements, got only 0 bytes",
        ),
        (4, b"\0\0\0\1" + b"\xff" * 9, "expected a varint of at most 5 bytes"),
        (4, b"\0\0\0", "expected more than the 3 bytes that came"),
    ],
)
def test_bad_bytes_are_refused_with_what_was_expected_and_what_came(
    version: int, body: bytes, complaint: str
) -> None:
    with pytest.raises(DecodeError) as refused:
        decoder(REGISTRATION.request, version)(body, 0)

    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"\x7f\xff\xff\xff", "topics: expected 2147483647 elements, got only 0 bytes"),
        (b"\xff\xff\xff\xfe", "topics: expected a value, got length -2"),
        (b"\0\0\0\1\xff\xff", "topics[].name: expected a value, got null"),
        (b"\0\0\0\1\x80\x00", "topics[].name: expected a value, got length -32768"),
        (b"\0\0\0\1\0\x09ab", "topics[].name: expected 9 bytes, got the 2 that are left"),
    ],
)
def test_lengths_of_the_old_encoding_are_checked_too(body: bytes, complaint: str) -> None:
    with pytest.raises(DecodeError) as refused:
        decoder(METADATA.request, 1)(body, 0)

    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        ((0, b"\x02" + bytes(16) + b"more"),),
        ((0, b"\x02" + bytes(8)),),
        ((0, b""),),
        ((0, b"\0"),),
    ],
)
def test_a_tagged_field_must_have_its_own_size(fields: tuple[tuple[int, bytes], ...]) -> None:
    with pytest.raises(DecodeError, match=r"offline_log_dirs|expected more"):
        decode_heartbeat(heartbeat_with(*fields))


def test_a_tagged_field_may_not_be_longer_than_the_frame() -> None:
    body = heartbeat_with()[:-1] + b"\x01\x07\xff\xff\xff\xff\x07"

    for version in (0, 1, 2):
        with pytest.raises(DecodeError, match="expected 2147483647 bytes"):
            decode_heartbeat(body, version)


def test_kept_bodies_are_the_same_and_bounded() -> None:
    encode = encoder(HEARTBEAT.response, 2)

    first = encode(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    assert bytes.fromhex("00000000 0000 01 00 00 00") == first
    assert first is encode(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    for throttle_time_ms in range(3 * CACHED_BODIES_MAX):
        body = encode(BrokerHeartbeatResponse(throttle_time_ms=throttle_time_ms))
        assert throttle_time_ms == int.from_bytes(body[:4], "big")
    kept = encode.__globals__["bodies"]
    assert len(kept) <= CACHED_BODIES_MAX


@pytest.mark.rule("8.8")
@pytest.mark.parametrize(
    ("key", "version", "response"),
    [
        (
            60,
            2,
            DescribeClusterResponse(
                brokers=(DescribeClusterBroker(broker_id=1, host="h", port=1, start_time_ms=99),)
            ),
        ),
        (
            3,
            13,
            MetadataResponse(
                brokers=(MetadataBroker(node_id=1, host="h", port=1, start_time_ms=99),)
            ),
        ),
    ],
)
def test_a_start_time_is_written_when_asked_for_and_always_understood(
    key: int, version: int, response: DescribeClusterResponse | MetadataResponse
) -> None:
    (broker,) = response.brokers
    plain = encoder(APIS[key].response, version)(response)
    with_time = encoder(APIS[key].response, version, True)(response)

    assert len(plain) + len(b"\x90\x4e\x08" + bytes(8)) == len(with_time)
    assert (response, len(with_time)) == decoder(APIS[key].response, version)(with_time, 0)
    (without,) = decoder(APIS[key].response, version)(plain, 0)[0].brokers
    assert replace(broker, start_time_ms=0) == without


def test_an_array_that_repeats_is_spelled_as_often_as_it_comes() -> None:
    """CreateTopics of 5,000 topics once took 140 ms to encode: 37 configurations of each."""
    created, encode = APIS[19].response, encoder(APIS[19].response, 7)
    one, other = (
        tuple(
            CreatableTopicConfig(
                name=name, value="1", read_only=False, config_source=5, is_sensitive=False
            )
            for name in names
        )
        for names in (("a", "b"), ("c",))
    )
    topics = tuple(
        CreatableTopicResult(name=str(number), topic_id=DIRECTORY, configs=configs)
        for number, configs in enumerate((one, one, other, None, other, one, ()))
    )
    response = CreateTopicsResponse(topics=topics)

    assert decoder(created, 7)(encode(response), 0)[0] == response
