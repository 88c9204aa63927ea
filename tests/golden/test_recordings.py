"""What released Kafka said and wrote is read and spelled again, byte for byte."""

import json
from dataclasses import replace

import pytest

from kraftsim.controller.core.log.batch import Batch, bounded
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import FetchResponse, Response
from kraftsim.controller.server import api_versions
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.frames import (
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.json.json_form import control_record_json, record_json
from kraftsim.controller.wire.messages.declared import ON_DEMAND, of_sort
from kraftsim.controller.wire.records.record_batch import decode_batches, encode_batches
from tests.golden.recordings import (
    RELEASES,
    Frame,
    LogFile,
    dump,
    frame,
    frames,
    metadata_logs,
    probes,
    runs,
)
from tests.offered_by_kafka import BROUGHT_BY_4_4

UNSPEAKABLE = {(18, 99), (62, 99), (999, 0)}  # what A6 asks in order to be refused
NEVER_RECORDED = {29, 30, 31, 50, 51, 71, 72, 74}  # APIs that no recorded client asked for
NEWER = {key for key, version in BROUGHT_BY_4_4 if version == 0}
DECODED_BY_KIO = (19, 20, 52, 55, 56, 57, 59, 60, 62, 63, 64, 70, 80, 81)
ALL_RUNS = [(release, run) for release in RELEASES for run in runs(release)]


def spoken(release: str, run: str) -> list[Frame]:
    """The frames of the APIs that we speak; the archives have those of other APIs too."""
    return [
        recorded
        for recorded in frames(release, run)
        if recorded.api_key in APIS and (recorded.api_key, recorded.api_version) not in UNSPEAKABLE
    ]


def spelled_anew(batch: Batch) -> Batch:
    return replace(batch, encoded=[])


def with_batches_spelled_anew(response: Response) -> Response:
    if not isinstance(response, FetchResponse):
        return response
    return replace(
        response,
        responses=tuple(
            replace(
                topic,
                partitions=tuple(
                    replace(
                        partition,
                        records=tuple(spelled_anew(batch) for batch in partition.records or ()),
                    )
                    for partition in topic.partitions
                ),
            )
            for topic in response.responses
        ),
    )


@pytest.mark.rule("1.2", "2.1", "3.1", "4.34", "5.5", "5.46")
@pytest.mark.parametrize(("release", "run"), ALL_RUNS)
def test_every_recorded_request_is_spelled_again_byte_for_byte(release: str, run: str) -> None:
    for message in spoken(release, run):
        if message.direction == "req":
            header = read_request_header(message.data)
            request = decode_request(header, message.data)
            again = encode_request(
                message.api_key,
                message.api_version,
                header.correlation_id,
                header.client_id,
                request,
            )

            assert message.correlation_id == header.correlation_id, message.place
            assert message.client_id == header.client_id, message.place
            assert message.data == again[4:], message.place


@pytest.mark.rule("1.4", "2.2", "3.1", "3.4", "5.6", "5.47", "5.49")
@pytest.mark.parametrize(("release", "run"), ALL_RUNS)
def test_every_recorded_response_is_spelled_again_byte_for_byte(release: str, run: str) -> None:
    for message in spoken(release, run):
        if message.direction == "rsp":
            key, version = message.api_key, message.api_version
            correlation_id, response = decode_response(key, version, message.data)
            again = encode_response(
                key, version, correlation_id, with_batches_spelled_anew(response)
            )

            assert message.correlation_id == correlation_id, message.place
            assert message.data == again[4:], message.place
            assert len(message.data) == int.from_bytes(again[:4], "big")


def test_every_api_that_we_speak_was_recorded() -> None:
    recorded = {message.api_key for release, run in ALL_RUNS for message in spoken(release, run)}

    assert (
        APIS.keys()
        - NEVER_RECORDED
        - NEWER
        - {api.key for api in of_sort("api") if api.subject in ON_DEMAND}
        == recorded
    )


@pytest.mark.rule("5.47")
@pytest.mark.parametrize("release", RELEASES)
def test_an_api_versions_of_a_later_version_is_told_our_range_in_version_0(release: str) -> None:
    request, answer = frame(release, "A6-errors", 10), frame(release, "A6-errors", 11)

    header = read_request_header(request.data)
    assert (18, 99) == (header.api_key, header.api_version)
    response = api_versions.unsupported(KAFKA_4_3)
    assert answer.data == encode_response(18, 0, header.correlation_id, response)[4:]


@pytest.mark.rule("5.2")
@pytest.mark.parametrize("release", RELEASES)
def test_key_and_version_are_read_even_when_nobody_speaks_them(release: str) -> None:
    unknown_key = read_request_header(frame(release, "A6-errors", 13).data)
    unknown_version = read_request_header(frame(release, "A6-errors", 14).data)

    assert (999, 0) == (unknown_key.api_key, unknown_key.api_version)
    assert (62, 99) == (unknown_version.api_key, unknown_version.api_version)


@pytest.mark.rule("1.4", "2.2", "3.4", "5.6")
@pytest.mark.parametrize("release", RELEASES)
def test_answers_read_as_another_decoder_read_them(release: str) -> None:
    """probes.jsonl has what kio made of each answer."""
    compared = 0
    known = {
        message.seq: message
        for message in spoken(release, "A6-errors")
        if message.direction == "rsp"
    }
    for probe in probes(release):
        answer = known.get((probe["seq"] or [None])[-1])
        if answer is None or probe["api_key"] not in DECODED_BY_KIO:
            continue
        _, response = decode_response(answer.api_key, answer.api_version, answer.data)
        for name, expected in probe["answer"].items():
            ours = getattr(response, "throttle_time_ms" if name == "throttle_time" else name)
            if isinstance(expected, int | str | None):
                assert expected == ours, (answer.place, name)
                compared += 1

    assert compared > 100


@pytest.mark.rule("1.40", "2.24", "4.37")
@pytest.mark.parametrize("release", RELEASES)
def test_every_metadata_log_and_snapshot_is_spelled_again_byte_for_byte(release: str) -> None:
    for log in metadata_logs(release):
        batches = decode_batches(log.data)
        spelled = [spelled_anew(batch) for batch in batches]
        again = encode_batches(bounded(spelled, len(log.data)))

        assert log.data == again, log.place


@pytest.mark.rule("1.39", "1.40", "2.24", "4.37")
@pytest.mark.parametrize("release", RELEASES)
def test_records_read_as_kafkas_own_dump_prints_them(release: str) -> None:
    compared = 0
    for log in metadata_logs(release):
        text = dump(release, log.run, log.node, log.name)
        if text is not None:
            printed = [line for line in text.splitlines() if line.startswith("| offset: ")]
            ours = printed_records(log)
            assert [first for first, _ in ours] == [line.split(" keySize")[0] for line in printed]
            for (_, data), line in zip(ours, printed, strict=True):
                assert data in line or "controlType: " in line, f"{log.place}: {line}"
            compared += len(ours)

    assert compared > 2000


def printed_records(log: LogFile) -> list[tuple[str, str]]:
    """How the lines of kafka-dump-log begin, and their JSON; 3.9.1 prints none of LeaderChange."""
    return [
        (
            f"| offset: {batch.base_offset + delta} CreateTime: {batch.timestamp_ms}",
            compact(control_record_json(record)["data"])
            if batch.is_control
            else compact(record_json(record, batch.versions[delta])),
        )
        for batch in decode_batches(log.data)
        for delta, record in enumerate(batch.records)
    ]


def compact(document: object) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("release", RELEASES)
def test_a_damaged_log_is_noticed(release: str) -> None:
    log = max(metadata_logs(release), key=lambda log: len(log.data))

    for position in range(17, len(log.data), 997):
        damaged = bytearray(log.data)
        damaged[position] ^= 0x10
        try:
            batches = decode_batches(bytes(damaged))
        except DecodeError:
            continue
        # The base offset and the epoch are not under the CRC.
        assert batches != decode_batches(log.data), position
