"""Logs to read: of a cluster that runs on another thread, and of released Kafka on disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from kraftsim.pipeline.live.rows import row_of
from tests.golden import recordings
from tests.kraftsim.conftest import CLUSTER_ID, Service, run

__all__ = ["run"]  # a fixture

LOGS = [log for release in recordings.RELEASES for log in recordings.metadata_logs(release)]


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service(brokers=3)
    yield running
    running.close()


def log_of(service: Service) -> list[dict[str, Any]]:
    with urlopen(service.kraft.http_url + "/v1/log?limit=10000") as response:
        records = json.load(response)["records"]
    assert isinstance(records, list)
    return records


def rows_of(service: Service) -> list[tuple[Any, ...]]:
    """What the source must give of the log that `/v1/log` tells."""
    return [row_of(record, CLUSTER_ID) for record in log_of(service)]


def fence(service: Service, broker_id: int) -> None:
    service.do(service.kraft.brokers.kill(broker_id))
    service.do(service.kraft.wait(broker=broker_id, state="fenced"))


def unfence(service: Service, broker_id: int) -> None:
    service.do(service.kraft.brokers.restart(broker_id))
    service.do(service.kraft.wait(broker=broker_id, state="unfenced"))


def kafka_log(release: str) -> recordings.LogFile:
    """The log of a controller that saw brokers come, go and be fenced."""
    (found,) = (
        log_file
        for log_file in LOGS
        if (log_file.release, log_file.run, log_file.node, log_file.name)
        == (release, "A1-single", "c3000", f"{0:020}.log")
    )
    return found


def on_disk(folder: Path, data: bytes, name: str = f"{0:020}.log") -> Path:
    """As a node keeps it; returns the file."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_bytes(data)
    return file
