"""`kraftsim log dump`: every record of files and of the running cluster, one per line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden.recordings import RELEASES
from tests.kraftsim.conftest import Service
from tests.pipeline.live.conftest import kafka_log, log_of, on_disk, service

__all__ = ["service"]  # a fixture

SEGMENT = kafka_log(RELEASES[-1]).data


@pytest.mark.realtime
def test_the_running_log_is_printed_to_its_end(service: Service, run: Any) -> None:
    code, out, err = run(f"log dump --live --json --url {service.kraft.http_url}")

    assert (0, "") == (code, err)
    printed = [json.loads(line) for line in out.splitlines()]
    expected = log_of(service)
    assert expected == printed[: len(expected)]  # the clock stands, so nothing is appended
    assert {"offset", "epoch", "timestamp", "control", "type", "version", "data"} == set(printed[0])


def test_a_file_is_printed_as_one_object_a_line(run: Any, tmp_path: Path) -> None:
    code, out, err = run(f"log dump --json {on_disk(tmp_path, SEGMENT)}")

    assert (0, "") == (code, err)
    lines = [json.loads(line) for line in out.splitlines()]
    assert list(range(len(lines))) == [line["offset"] for line in lines]


def test_the_line_for_people_has_offset_type_and_data(run: Any, tmp_path: Path) -> None:
    _, out, _ = run(f"log dump --utc {on_disk(tmp_path, SEGMENT)}")

    (unregistration, *_) = (line for line in out.splitlines() if "UNREGISTER_BROKER_RECORD" in line)
    assert unregistration.startswith("offset ")
    assert 'UNREGISTER_BROKER_RECORD version 0  {"brokerId": ' in unregistration


def test_the_folder_of_a_node_is_printed_segment_by_segment(run: Any, tmp_path: Path) -> None:
    on_disk(tmp_path / "__cluster_metadata-0", SEGMENT)

    assert run(f"log dump {on_disk(tmp_path, SEGMENT)}")[1] == run(f"log dump {tmp_path}")[1]


def test_the_files_after_a_damaged_file_are_printed_too(run: Any, tmp_path: Path) -> None:
    damaged = on_disk(tmp_path, SEGMENT[:-1], "damaged.log")
    whole = on_disk(tmp_path, SEGMENT)

    code, out, err = run(f"log dump --json {damaged} {whole}")

    count = len(run(f"log dump --json {whole}")[1].splitlines())
    assert (1, 1) == (code, len(err.splitlines()))
    assert f"{damaged}: byte " in err
    assert count < len(out.splitlines()) < 2 * count


def test_a_formatted_directory_has_no_log_yet_and_its_snapshot_is_named(
    run: Any, tmp_path: Path
) -> None:
    partition = tmp_path / "__cluster_metadata-0"
    partition.mkdir()
    snapshot = partition / f"{0:020}-{0:010}.checkpoint"
    snapshot.touch()

    ended, _, err = run(f"log dump {tmp_path}")

    assert ended == 2
    assert f"got a folder with the snapshot {snapshot} only" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("", 2, "log dump: expected FILE or --live, got neither"),
        ("--live {tmp}", 2, "log dump: expected FILE or --live, got both"),
        ("{tmp}/none.log", 2, "got no such path"),
        ("{tmp}", 2, "expected a file, or a folder with segments of a metadata log"),
        ("--live --url http://127.0.0.1:1", 5, "http://127.0.0.1:1: no service answers"),
    ],
)
def test_other_words_are_refused(
    words: str, code: int, said: str, run: Any, tmp_path: Path
) -> None:
    ended, _, err = run(f"log dump {words.format(tmp=tmp_path)}")

    assert code == ended
    assert said in err
