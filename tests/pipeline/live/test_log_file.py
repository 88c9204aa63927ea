"""Files of a metadata log are read to their end, or to the byte at which they are damaged."""

from pathlib import Path

import pytest

from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.records.batch_heads import BatchHead, batch_heads
from kraftsim.controller.wire.records.checksum import crc32c
from kraftsim.pipeline.live.log_file import BATCH_BYTES_MAX, DamagedFile, LogFile
from tests.golden.recordings import RELEASES, dump
from tests.golden.test_recordings import compact
from tests.pipeline.live.conftest import LOGS, kafka_log, on_disk

SEGMENT = kafka_log(RELEASES[-1]).data
HEADS = list(batch_heads(SEGMENT))
SNAPSHOT = next(log for log in LOGS if log.release == "4.3.1" and "-0000000001." in log.name)


def read(file: Path) -> tuple[list[Document], str]:
    """The records before the damage, and the error: an empty text if there is none."""
    found: list[Document] = []
    records = LogFile(file).records()
    while True:
        try:
            found.append(next(records))
        except StopIteration:
            return found, ""
        except DamagedFile as error:
            return found, str(error)


def before(head: BatchHead) -> list[int]:
    """The offsets of the records before a batch."""
    return list(range(head.base_offset))


def offsets(records: list[Document]) -> list[object]:
    return [record["offset"] for record in records]


@pytest.mark.rule("1.39", "4.37", "10.43")
@pytest.mark.parametrize("release", RELEASES)
def test_segments_snapshots_and_bootstrap_checkpoints_are_read_as_kafka_prints_them(
    release: str, tmp_path: Path
) -> None:
    compared = set()
    for log in (log for log in LOGS if log.release == release):
        found, error = read(on_disk(tmp_path, log.data, log.name))
        assert "" == error
        printed = (dump(release, log.run, log.node, log.name) or "").splitlines()
        lines = [line for line in printed if line.startswith("| offset: ")]
        for record, line in zip(found, lines, strict=bool(lines)):
            start = f"| offset: {record['offset']} CreateTime: {record['timestamp']} "
            assert line.startswith(start), log.place
            whole = {name: record[name] for name in ("type", "version", "data")}
            told = compact(record["data"]) if record["control"] else compact(whole)
            assert told in line or "controlType: " in line, f"{log.place}: {line}"
            compared.add(log.name.partition(".")[2] if log.name[0] == "0" else log.name)

    assert {"log", "checkpoint", "bootstrap.checkpoint"} <= compared


def test_control_records_are_marked(tmp_path: Path) -> None:
    found, _ = read(on_disk(tmp_path, SEGMENT))

    control = {record["type"] for record in found if record["control"]}
    data = {record["type"] for record in found if not record["control"]}
    assert {"LEADER_CHANGE"} <= control
    assert {"REGISTER_BROKER_RECORD", "UNREGISTER_BROKER_RECORD"} <= data
    assert not control & data


def test_a_flipped_bit_ends_the_reading_at_the_byte_of_its_batch(tmp_path: Path) -> None:
    head = HEADS[len(HEADS) // 2]
    damaged = bytearray(SEGMENT)
    damaged[head.end - 2] ^= 0x10
    file = on_disk(tmp_path, bytes(damaged))

    found, error = read(file)

    assert before(head) == offsets(found)
    assert error.startswith(f"{file}: byte {head.position}, offset {head.base_offset}: ")
    assert "expected CRC" in error


@pytest.mark.parametrize("cut", [1, 30, 61])
def test_a_truncated_file_is_read_up_to_its_last_whole_batch(cut: int, tmp_path: Path) -> None:
    file = on_disk(tmp_path, SEGMENT[: HEADS[-1].position + cut])

    found, error = read(file)

    assert before(HEADS[-1]) == offsets(found)
    place = f"{file}: byte {HEADS[-1].position}, offset {HEADS[-1].base_offset}"
    assert f"{place}: expected a whole batch, got {cut} bytes" in error


def test_zeros_after_the_last_batch_are_damage(tmp_path: Path) -> None:
    found, error = read(on_disk(tmp_path, SEGMENT + bytes(100)))

    assert HEADS[-1].last_offset + 1 == len(found)
    assert f"byte {len(SEGMENT)}, offset {len(found)}: expected a batch, got zeros to the" in error


def test_a_missing_batch_is_noticed(tmp_path: Path) -> None:
    gone = HEADS[5]
    found, error = read(on_disk(tmp_path, SEGMENT[: gone.position] + SEGMENT[gone.end :]))

    assert before(gone) == offsets(found)
    assert f"byte {gone.position}, offset {gone.base_offset}: expected a batch at offset" in error


def test_a_length_of_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    size = BATCH_BYTES_MAX + 1
    head = SEGMENT[:8] + (size - 12).to_bytes(4, "big") + SEGMENT[12:61]
    file = on_disk(tmp_path, head)
    with file.open("r+b") as opened:
        opened.truncate(size)  # a hole: the file takes no room on the disk

    assert f"expected a batch of at most {BATCH_BYTES_MAX} bytes, got {size}" in read(file)[1]


def test_a_snapshot_without_its_footer_is_incomplete(tmp_path: Path) -> None:
    footer = list(batch_heads(SNAPSHOT.data))[-1]

    found, error = read(on_disk(tmp_path, SNAPSHOT.data[: footer.position], SNAPSHOT.name))

    assert before(footer) == offsets(found)
    assert f"byte {footer.position}, offset {footer.base_offset}: snapshot: expected a foo" in error


def test_a_file_that_is_no_log_is_refused_at_its_first_byte(tmp_path: Path) -> None:
    found, error = read(on_disk(tmp_path, b"This is no metadata log. " * 10))

    assert ([], True) == (found, "byte 0, offset 0: expected a batch of magic 2" in error)


def with_body(head: BatchHead, body: bytes) -> bytes:
    """A batch of the segment with other bytes after its CRC; its CRC and its length are right."""
    batch = SEGMENT[head.position : head.end]
    length = (len(batch) - 12 + len(body) - len(batch[21:])).to_bytes(4, "big")
    return batch[:8] + length + batch[12:17] + crc32c(body).to_bytes(4, "big") + body


@pytest.mark.parametrize(("key", "version"), [(63, 0), (27, 9)])
def test_a_record_of_a_newer_release_is_printed_in_hex_and_the_file_is_read_on(
    key: int, version: int, tmp_path: Path
) -> None:
    head = next(
        head
        for head in HEADS
        if head.last_offset == head.base_offset and not SEGMENT[head.position + 22] & 0x20
    )
    frame = bytes([1, key, version, 7, 7])
    record = b"\x00\x00\x00\x01" + bytes([len(frame) * 2]) + frame + b"\x00"
    body = SEGMENT[head.position + 21 : head.position + 23] + bytes(4)
    body += SEGMENT[head.position + 27 : head.position + 57] + (1).to_bytes(4, "big")
    body += bytes([len(record) * 2]) + record
    whole = SEGMENT[: head.position] + with_body(head, body) + SEGMENT[head.end :]

    found, error = read(on_disk(tmp_path, whole))

    unknown = found[head.base_offset]
    assert (error, len(found)) == ("", HEADS[-1].last_offset + 1)
    assert (unknown["type"], unknown["version"]) == (f"UNKNOWN_{key}", version)
    assert unknown["data"] == {"hex": frame.hex()}


def test_a_compressed_batch_names_its_codec(tmp_path: Path) -> None:
    head = HEADS[3]
    body = bytearray(SEGMENT[head.position + 21 : head.end])
    body[1] |= 4
    whole = SEGMENT[: head.position] + with_body(head, bytes(body))

    found, error = read(on_disk(tmp_path, whole))

    assert before(head) == offsets(found)
    assert f"byte {head.position}, offset {head.base_offset}: batch at offset" in error
    assert "expected no compression, as in Kafka's metadata log, got zstd" in error
