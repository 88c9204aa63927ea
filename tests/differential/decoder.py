"""Kafka's own decoder over both logs: kafka-dump-log prints them, record by record."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.differential import canonical
from tests.differential.judge import Bench, Witness
from tests.differential.sides import write_log
from tests.released.controller import LOG_NAME
from tests.released.java import run_tool
from tests.released.releases import NEWEST_WITH_TOOLS

SHOWN_MAX = 5
_PAYLOAD = "payload: "


def differing_records(bench: Bench, folder: Path, ends: tuple[int, int]) -> list[str]:
    """The first records that differ below `ends`, in words; none if both logs are alike."""
    theirs = _dumped(bench.kafka.side.controller.log, folder, bench.kafka, ends[0])
    own_log = folder / "ours" / LOG_NAME
    own_log.parent.mkdir(exist_ok=True)
    write_log(bench.ours.side.everything(), own_log)
    ours = _dumped(own_log, folder, bench.ours, ends[1])
    pairs = zip(theirs, ours, strict=False)
    found = [f"Kafka {kafka}, ours {own}" for kafka, own in pairs if kafka != own]
    if len(theirs) != len(ours):
        found.append(f"Kafka has {len(theirs)} records, ours {len(ours)}")
    return found[:SHOWN_MAX]


def _dumped(log: Path, folder: Path, witness: Witness[Any], end: int) -> list[dict[str, Any]]:
    release = NEWEST_WITH_TOOLS
    arguments = ["--cluster-metadata-decoder", "--files", str(log)]
    assert release.dump_class is not None, release
    printed = run_tool(release, folder, release.dump_class, arguments)
    records = [_record(line) for line in printed.splitlines() if _PAYLOAD in line]
    named = [canonical.named(record, witness.history) for offset, record in records if offset < end]
    return _in_any_order_within_runs([record for record in named if not canonical.is_own(record)])


def _record(line: str) -> tuple[int, dict[str, Any]]:
    offset = int(line.split("offset: ", 1)[1].split(" ", 1)[0])
    return offset, json.loads(line.split(_PAYLOAD, 1)[1])


def _in_any_order_within_runs(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    runs = (list(run) for _, run in groupby(records, key=lambda record: record["type"]))
    return [record for run in runs for record in sorted(run, key=str)]
