"""A metadata log on disk is read as Kafka's own tool reads it, while it is being written."""

import json
from pathlib import Path

import pytest

from kraftsim.controller.wire.records.batch_heads import BatchHead, batch_heads
from kraftsim.pipeline.live.file_log import FileLog
from kraftsim.pipeline.live.log import DataLost, KraftLogError, Range
from kraftsim.pipeline.live.rows import Row
from tests.golden.recordings import RELEASES, LogFile, dump
from tests.golden.test_recordings import compact
from tests.pipeline.live.conftest import LOGS, kafka_log, on_disk

RELEASE = RELEASES[-1]


def rows(log: FileLog, start: int | None = None) -> list[Row]:
    extent = log.extent()
    start = extent.start_offset if start is None else start
    return [row for part in log.ranges(start, extent.end) for row in log.rows(part)]


def heads_of(log: LogFile) -> list[BatchHead]:
    return list(batch_heads(log.data))


@pytest.mark.rule("1.39", "1.40", "4.37")
@pytest.mark.parametrize("release", RELEASES)
def test_kafkas_own_files_are_read_record_for_record_as_its_dump_prints_them(
    release: str, tmp_path: Path
) -> None:
    compared = 0
    for log in (log for log in LOGS if log.release == release):
        text = dump(release, log.run, log.node, log.name)
        if text is None:
            continue
        printed = [line for line in text.splitlines() if line.startswith("| offset: ")]
        found = rows(FileLog(str(on_disk(tmp_path, log.data, log.name))))
        assert len(printed) == len(found), log.place
        for (offset, ts_us, _, kind, version, *_, payload), line in zip(
            found, printed, strict=True
        ):
            assert ts_us is not None
            assert line.startswith(f"| offset: {offset} CreateTime: {ts_us // 1000} "), log.place
            whole = {"type": kind, "version": version, "data": json.loads(payload)}
            told = compact(whole) if '"type":' in line else payload  # of a control record
            assert told in line or "controlType: " in line, f"{log.place}: {line}"
        compared += len(found)

    assert compared > 2000


def test_a_log_is_found_in_the_folder_of_a_node_whose_cluster_it_names(tmp_path: Path) -> None:
    on_disk(tmp_path / "__cluster_metadata-0", kafka_log(RELEASE).data)
    (tmp_path / "meta.properties").write_text("version=1\ncluster.id=abc-DEF_123\nnode.id=1\n")

    log = FileLog(str(tmp_path))
    assert "abc-DEF_123" == log.extent().end.cluster
    assert {"abc-DEF_123"} == {row[7] for row in rows(log)}


def test_segments_are_parts_of_one_log(tmp_path: Path) -> None:
    """As a node cuts them: at a batch, the next file named by its first offset."""
    log = kafka_log(RELEASE)
    whole = rows(FileLog(str(on_disk(tmp_path, log.data))))
    cut = heads_of(log)[300]
    on_disk(tmp_path, log.data[: cut.position])
    on_disk(tmp_path, log.data[cut.position :], f"{cut.base_offset:020}.log")

    again = FileLog(str(tmp_path))
    assert whole == rows(again)
    assert 2 == len(again.ranges(0, again.extent().end))
    assert whole[cut.base_offset + 3 :] == rows(again, cut.base_offset + 3)


def test_a_missing_segment_is_named(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    first, second = heads_of(log)[100], heads_of(log)[101]
    on_disk(tmp_path, log.data[: first.position])
    on_disk(tmp_path, log.data[second.position :], f"{second.base_offset:020}.log")

    with pytest.raises(KraftLogError, match=f"expected offset {first.base_offset}, where 0+.log "):
        FileLog(str(tmp_path)).extent()


def test_every_offset_is_found_by_an_index_however_sparse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.pipeline.live.segments.INDEX_BYTES", 1000)
    log = FileLog(str(on_disk(tmp_path, kafka_log(RELEASE).data)))
    whole = rows(log)

    for start in range(0, len(whole), 50):
        (part,) = log.ranges(start, log.extent().end)
        assert whole[start:] == list(log.rows(part))
        assert start - part.start == 0 <= part.position
    for row in whole[::50]:
        assert (row[2], row[1]) == (log.before(row[0] + 1)[0], log.before(row[0] + 1)[1] * 1000)


def test_half_a_batch_at_the_end_is_not_there_until_it_is_whole(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    last = heads_of(log)[-1]
    file = on_disk(tmp_path, b"")
    following = FileLog(str(tmp_path))
    assert 0 == following.extent().end.offset, "nothing is written yet"

    for size in range(last.position, last.end, 7):
        file.write_bytes(log.data[:size])
        assert last.base_offset == following.extent().end.offset
        assert last.base_offset == len(rows(following))
    file.write_bytes(log.data)
    assert last.last_offset + 1 == following.extent().end.offset == len(rows(following))


def test_a_last_batch_whose_bytes_are_not_all_there_yet_is_waited_for(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    last = heads_of(log)[-1]
    torn = log.data[: last.end - 4] + bytes(4)

    assert last.base_offset == FileLog(str(on_disk(tmp_path, torn))).extent().end.offset


def test_a_batch_damaged_in_the_middle_is_named_by_file_and_offset(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    head = heads_of(log)[200]
    damaged = bytearray(log.data)
    damaged[head.end - 1] ^= 0x10
    file = on_disk(tmp_path, bytes(damaged))

    with pytest.raises(
        KraftLogError, match=f"{file}: byte {head.position}, offset {head.base_offset}: .*CRC"
    ):
        rows(FileLog(str(tmp_path)))


def test_what_cannot_begin_a_batch_is_named_by_file_and_byte(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    head = heads_of(log)[200]
    file = on_disk(tmp_path, log.data[: head.position] + b"\xff" * 100)

    with pytest.raises(KraftLogError, match=f"{file}: byte {head.position}: expected a batch"):
        FileLog(str(tmp_path)).extent()


def test_a_log_that_was_taken_back_is_looked_at_again(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    file, keep = on_disk(tmp_path, log.data), heads_of(log)[400]
    following = FileLog(str(tmp_path))
    following.extent()

    file.write_bytes(log.data[: keep.position])
    assert keep.base_offset == following.extent().end.offset


def test_a_range_that_is_no_longer_there_is_lost(tmp_path: Path) -> None:
    log = kafka_log(RELEASE)
    file, keep = on_disk(tmp_path, log.data), heads_of(log)[400]
    following = FileLog(str(tmp_path))
    end = following.extent().end
    file.write_bytes(log.data[: keep.position])

    with pytest.raises(DataLost, match=f"expected offset {keep.base_offset}, but the file ends"):
        list(following.rows(Range("", 0, end.offset, str(file))))


@pytest.mark.parametrize(("name", "said"), [("", "a folder without"), ("nowhere", "no such path")])
def test_a_path_without_a_log_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "other.txt").write_text("no log")

    with pytest.raises(KraftLogError, match=rf"folder with segments .* got {said}"):
        FileLog(str(tmp_path / name)).extent()
