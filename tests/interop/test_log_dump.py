"""`kraftsim log dump` beside kafka-dump-log of 4.3.1: the same files, the same records."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.differential.sides import write_log
from tests.golden.recordings import metadata_logs
from tests.kraftsim.conftest import Service, run
from tests.released.java import run_tool
from tests.released.releases import NEWEST_WITH_TOOLS

__all__ = ["run"]  # a fixture

pytestmark = [pytest.mark.interop, pytest.mark.released]

Printed = dict[str, list[dict[str, Any]]]  # by file: offset, timestamp, and the record
_OWN_FIELD = "startTimeMs"  # of KIP-436, a tagged field that Kafka's reader skips
_RECORD = re.compile(
    r"\| offset: (?P<offset>\d+) CreateTime: (?P<time>\d+) .*?headerKeys: \[\] "
    r"(?P<name>\w+):? (?P<json>\{.*)"
)
_RUNS = ("A1-single", "A3-dynamic", "A5-cordon")


@pytest.fixture
def own_log(tmp_path: Path) -> Path:
    """A log of three controllers and two brokers, of which one was fenced and came back."""
    service = Service(brokers=2, controllers=3)
    try:
        service.do(service.kraft.brokers.kill(2))
        service.do(service.kraft.wait(broker=2, state="fenced"))
        service.do(service.kraft.brokers.restart(2))
        service.do(service.kraft.wait(broker=2, state="unfenced"))
        batches = list(service.kraft.world.committed_log.batches)
    finally:
        service.close()
    file = tmp_path / "ours" / f"{0:020}.log"
    file.parent.mkdir()
    write_log(batches, file)
    return file


def recorded_files(folder: Path) -> Iterator[Path]:
    """Segments, snapshots and bootstrap checkpoints that 4.3.1 wrote."""
    for log in metadata_logs("4.3.1"):
        if log.run in _RUNS and log.node == "c3000":
            file = folder / log.run / log.name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(log.data)
            yield file


@pytest.mark.rule("1.39", "4.37", "10.43")
def test_kafkas_tool_prints_the_same_of_kafkas_files_and_of_ours(
    own_log: Path, tmp_path: Path, run: Any
) -> None:
    files = [own_log, *recorded_files(tmp_path)]
    assert NEWEST_WITH_TOOLS.dump_class is not None
    words = ["--cluster-metadata-decoder", "--files", ",".join(map(str, files))]
    kafka = by_file(run_tool(NEWEST_WITH_TOOLS, tmp_path, NEWEST_WITH_TOOLS.dump_class, words))

    assert set(map(str, files)) == set(kafka)
    for file in files:
        code, out, _ = run(f"log dump --json {file}")
        ours = [as_compared(json.loads(line)) for line in out.splitlines()]
        assert (0, kafka[str(file)]) == (code, ours)
    own_types = {record["type"] for record in kafka[str(own_log)]}
    assert {"REGISTER_BROKER_RECORD", "LEADERCHANGE", "KRAFTVOTERS"} <= own_types


def as_compared(record: dict[str, Any]) -> dict[str, Any]:
    """Returns a record of ours; Kafka's tool prints names of control records in another case."""
    record["data"].pop(_OWN_FIELD, None)
    if record.pop("control"):
        record["type"] = record["type"].replace("_", "")
    return record


def by_file(printed: str) -> Printed:
    """Returns the records that kafka-dump-log printed of each file."""
    found: Printed = {}
    file, epoch = "", -1
    for line in printed.splitlines():
        if line.startswith("Dumping "):
            file = line.removeprefix("Dumping ")
            found[file] = []
        elif line.startswith("baseOffset: "):
            epoch = int(line.partition("partitionLeaderEpoch: ")[2].split()[0])
        elif match := _RECORD.match(line):
            place = {"offset": int(match["offset"]), "epoch": epoch}
            found[file].append(place | {"timestamp": int(match["time"])} | record_of(match))
    return found


def record_of(match: re.Match[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(match["json"])
    if match["name"] == "payload":
        return document
    return {"type": match["name"].upper(), "version": 0, "data": document}
