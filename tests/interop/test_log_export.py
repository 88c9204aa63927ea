"""`kraftsim log export`: kafka-dump-log of 4.3.1 opens the files, and finds no fault in them."""

import re
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from kraftsim.testing.blocking_cluster import BlockingCluster
from tests.kraftsim.conftest import run
from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import released_tools

__all__ = ["run"]  # a fixture

pytestmark = [pytest.mark.interop, pytest.mark.released]

_RECORDS = re.compile(r"baseOffset: (\d+) lastOffset: (\d+) .*? isvalid: (\w+)")


def produce(servers: str, count: int) -> None:
    """Produces records of some 1,000 bytes in batches of at most 4 records, idempotently."""
    settings = {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 5}
    producer = Producer(settings | {"batch.num.messages": 4, "compression.type": "lz4"})
    for number in range(count):
        producer.produce("t", key=str(number), value=f"{number:0900}", partition=0)
    assert producer.flush(60) == 0


def test_kafkas_tool_opens_the_files_of_an_exported_log(tmp_path: Path, run: Any) -> None:
    folder = tmp_path / "exported"
    with BlockingCluster(brokers=2, clock="auto", seed=1, kafka_port=0, http_port=0) as kraft:
        config = {"segment.bytes": 1_048_576, "compression.type": "uncompressed"}
        kraft.topics.create("t", assignments=[[1, 2], [2, 1]], config=config)
        produce(kraft.bootstrap_servers, 2_000)
        end = kraft.log.export("t", 0)["logEndOffset"]
        code, out, err = run(f"log export t {folder} --url {kraft.http_url}")
        again = run(f"log export t {folder} --url {kraft.http_url}")

    assert "2000" in out
    assert (code, err, end) == (0, "", 2_000)
    assert again[0] == 1
    assert "expected no such folder" in again[2]
    files = sorted((folder / "t-0").iterdir())
    logs = [file for file in files if file.suffix == ".log"]
    indexes = [file for file in files if file.suffix in (".index", ".timeindex")]
    snapshot = folder / "t-0" / f"{end:020}.snapshot"
    assert len(logs) == 2
    assert [file.stat().st_size > 0 for file in indexes] == [True] * 4
    main_class = NEWEST_WITH_TOOLS.dump_class
    assert main_class is not None
    with released_tools(NEWEST_WITH_TOOLS, tmp_path) as tools:

        def dump(*words: str) -> str:
            printed = tools.run(main_class, words)
            assert printed.exit_code == 0, printed
            return printed.stdout + printed.stderr

        of_logs = dump("--files", ",".join(map(str, logs)), "--deep-iteration")
        of_indexes = dump("--files", ",".join(map(str, indexes)))
        checked = dump("--files", ",".join(map(str, indexes)), "--index-sanity-check")
        of_producers = dump("--files", str(snapshot))

    batches = [(int(base), int(last), valid) for base, last, valid in _RECORDS.findall(of_logs)]
    assert batches[0][0] == 0
    assert batches[-1][1] == 1_999
    assert {valid for _, _, valid in batches} == {"true"}
    assert [base for base, _, _ in batches[1:]] == [last + 1 for _, last, _ in batches[:-1]]
    assert checked.count("passed sanity check") == 4
    for printed in (of_indexes, checked):
        for fault in ("Mismatches", "mismatch", "Found timestamp", "out of order", "Error"):
            assert fault not in printed, printed
    assert of_producers.count("producerId:") == 1
    assert "lastSequence: 1999" in of_producers
    assert (folder / "recovery-point-offset-checkpoint").read_text() == "0\n2\nt 0 2000\nt 1 0\n"
