"""Whatever comes, it is read or it is a DecodeError, and soon."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreatableTopicConfigEntry,
    CreateTopicsRequest,
    MetadataRequest,
)
from kraftsim.controller.core.rpc.cluster import MetadataRequestTopic
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frame_reader import FrameReader
from kraftsim.controller.wire.frames import (
    REQUEST_BYTES_MAX,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.records.metadata_records import decode_record, encode_record
from kraftsim.controller.wire.records.record_batch import decode_batches
from tests.golden.recordings import RELEASES, Frame, frames, metadata_logs, runs

pytestmark = pytest.mark.slow

MANY = settings(max_examples=400, deadline=None)
CALLS_MAX = 500_000  # a frame of some hundred bytes takes far fewer, whatever is in it


@contextmanager
def soon() -> Iterator[None]:
    """Fails what makes more than `CALLS_MAX` calls: work is counted, so that no load shifts it."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")
        assert calls <= CALLS_MAX, f"expected at most {CALLS_MAX} calls"

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)


def samples() -> list[Frame]:
    """The longest recorded frame of each API, version and direction."""
    longest: dict[object, Frame] = {}
    of_all_runs = (frame for run in runs("4.3.1") for frame in frames("4.3.1", run))
    for frames_of_run in of_all_runs:
        if frames_of_run.api_key in APIS and APIS[frames_of_run.api_key].speaks(
            frames_of_run.api_version
        ):
            kind = (frames_of_run.api_key, frames_of_run.api_version, frames_of_run.direction)
            if kind not in longest or len(frames_of_run.data) > len(longest[kind].data):
                longest[kind] = frames_of_run
    return list(longest.values())


SAMPLES = samples()


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` cut short, with bytes overwritten, put in, or taken out."""
    edited = bytearray(data[: draw(st.integers(0, len(data)))])
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(edited)))
        taken = draw(st.integers(0, 3))
        edited[place : place + taken] = draw(
            st.binary(max_size=4) | st.sampled_from([b"\xff" * 5, b"\x80" * 9, b"\x7f\xff\xff\xff"])
        )
    return bytes(edited)


@MANY
@given(st.data())
def test_a_damaged_request_is_read_or_refused(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from([sample for sample in SAMPLES if sample.direction == "req"]))
    frame = data.draw(damaged(sample.data))

    with soon():
        try:
            header = read_request_header(frame)
        except DecodeError:
            return
        api = APIS.get(header.api_key)
        if api is None or not api.speaks(header.api_version):
            return
        try:
            request = decode_request(header, frame)
        except DecodeError:
            return
        again = encode_request(api.key, header.api_version, 1, header.client_id, request)[4:]
        reread = decode_request(read_request_header(again), again)
        # A request also tells the size of its frame, which is another without the unknown tags.
        assert again == encode_request(api.key, header.api_version, 1, header.client_id, reread)[4:]


@MANY
@given(st.data())
def test_a_damaged_response_is_read_or_refused(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from([sample for sample in SAMPLES if sample.direction == "rsp"]))
    frame = data.draw(damaged(sample.data))
    key, version = sample.api_key, sample.api_version

    with soon():
        try:
            _, response = decode_response(key, version, frame)
        except DecodeError:
            return
        again = encode_response(key, version, 1, response)[4:]
        assert (1, response) == decode_response(key, version, again)


@MANY
@given(st.data())
def test_damaged_batches_are_read_or_refused(data: st.DataObject) -> None:
    log = data.draw(
        st.sampled_from([log for log in metadata_logs("4.3.1") if log.run == "A6-errors"])
    )

    batches = data.draw(damaged(log.data))
    with soon(), suppress(DecodeError):
        decode_batches(batches)


@pytest.mark.parametrize("release", RELEASES)
def test_every_prefix_of_a_record_is_read_or_refused(release: str) -> None:
    log = max(metadata_logs(release), key=lambda log: len(log.data))
    distinct = {
        (type(record), version): record
        for batch in decode_batches(log.data)
        if not batch.is_control
        for record, version in zip(batch.records, batch.versions, strict=True)
    }

    for (_, version), record in distinct.items():
        spelled = encode_record(record, version)
        assert (record, version) == decode_record(spelled)
        for length in range(len(spelled)):
            with pytest.raises(DecodeError):
                decode_record(spelled[:length])
        with pytest.raises(DecodeError):
            decode_record(spelled + b"\0")


@MANY
@given(st.lists(st.binary(max_size=40), max_size=10))
def test_a_damaged_stream_is_cut_or_refused(pieces: list[bytes]) -> None:
    reader = FrameReader(REQUEST_BYTES_MAX)
    with soon(), suppress(DecodeError):
        for piece in pieces:
            reader.feed(piece)
            while reader.take() is not None:
                pass


@pytest.mark.parametrize("version", [4, 7], ids=["fixed", "flexible"])
def test_a_string_has_at_most_32767_bytes(version: int) -> None:
    def frame(text: str) -> bytes:
        config = CreatableTopicConfigEntry(name="retention.ms", value=text)
        topics = (CreatableTopic(name="t", configs=(config,)),)
        return encode_request(19, version, 1, None, CreateTopicsRequest(topics=topics))[4:]

    longest = frame("1" * 32_767)
    sent = decode_request(read_request_header(longest), longest)
    assert isinstance(sent, CreateTopicsRequest)
    assert "1" * 32_767 == sent.topics[0].configs[0].value
    if version == 7:  # a fixed length of 16 bits cannot be larger
        longer = frame("1" * 32_768)
        with pytest.raises(DecodeError, match="expected at most 32767 bytes, got 32768"):
            decode_request(read_request_header(longer), longer)


def test_a_request_has_at_most_40000_elements() -> None:
    """A Metadata request of a million empty names once froze a service for seconds."""

    def frame(count: int) -> bytes:
        topics = tuple(MetadataRequestTopic(name="") for _ in range(count))
        return encode_request(3, 1, 1, None, MetadataRequest(topics=topics))[4:]

    most = frame(40_000)
    decode_request(read_request_header(most), most)
    more = frame(40_001)
    with pytest.raises(DecodeError, match="at most 40000 elements in a request"):
        decode_request(read_request_header(more), more)


def test_arrays_within_arrays_count_as_elements_of_the_request() -> None:
    """Ten topics of 100,000 configurations each, 4 MB, once froze a service for a second."""
    configs = tuple(CreatableTopicConfigEntry(name="a", value=None) for _ in range(20_000))
    topics = tuple(CreatableTopic(name=name, configs=configs) for name in ("a", "b"))
    frame = encode_request(19, 7, 1, None, CreateTopicsRequest(topics=topics))[4:]

    with pytest.raises(DecodeError, match=r"configs: expected at most 40000 elements"):
        decode_request(read_request_header(frame), frame)
