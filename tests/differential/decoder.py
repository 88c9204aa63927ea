"""Kafka's own decoder over both logs: kafka-dump-log prints them, record by record."""

import json
from collections import defaultdict
from collections.abc import Set
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.differential import canonical
from tests.differential.judge import Bench, Witness
from tests.differential.phases import owner
from tests.differential.sides import write_log
from tests.released.controller import LOG_NAME
from tests.released.java import run_tool
from tests.released.releases import NEWEST_WITH_TOOLS

SHOWN_MAX = 5
_HEAD, _PAYLOAD = "Dumping ", "payload: "
_UNREAD, _SKIPPED = "Error at ", ", skipping. "
Record = dict[str, Any]


def differing_records(bench: Bench, folder: Path, ends: tuple[int, int]) -> list[str]:
    """Return the first records that differ below `ends`, in words; none if both logs are alike."""
    return _differing(*_dumps(bench, folder, ends))


def differing_records_of(
    bench: Bench, folder: Path, ends: tuple[int, int], owners: Set[int]
) -> list[str]:
    """Return the same for the records of each owner apart: leases of two owners end in any order,
    and so do their records."""
    kafka, ours = (_by_owner(records) for records in _dumps(bench, folder, ends))
    return [
        difference
        for number in sorted(owners)
        for difference in _differing(kafka[number], ours[number])
    ][:SHOWN_MAX]


def _differing(theirs: list[Record], ours: list[Record]) -> list[str]:
    theirs, ours = _in_any_order_within_runs(theirs), _in_any_order_within_runs(ours)
    pairs = zip(theirs, ours, strict=False)
    found = [f"Kafka {kafka}, ours {own}" for kafka, own in pairs if kafka != own]
    if len(theirs) != len(ours):
        found.append(f"Kafka has {len(theirs)} records, ours {len(ours)}")
    return found[:SHOWN_MAX]


def _by_owner(records: list[Record]) -> dict[int, list[Record]]:
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        found[owner(record)].append(record)
    return found


def _dumps(bench: Bench, folder: Path, ends: tuple[int, int]) -> tuple[list[Record], list[Record]]:
    """Decode both logs in one process, which prints them one after the other."""
    their_log, own_log = bench.kafka.side.controller.log, folder / "ours" / LOG_NAME
    own_log.parent.mkdir(exist_ok=True)
    write_log(bench.ours.side.everything(), own_log)
    release = NEWEST_WITH_TOOLS
    arguments = ["--cluster-metadata-decoder", "--files", f"{their_log},{own_log}"]
    assert release.dump_class is not None, release
    printed = run_tool(release, folder, release.dump_class, arguments)
    theirs, _, own = printed.partition(f"{_HEAD}{own_log}\n")
    return _decoded(theirs, bench.kafka, ends[0]), _decoded(own, bench.ours, ends[1])


def _decoded(printed: str, witness: Witness[Any], end: int) -> list[Record]:
    records = [_record(line) for line in printed.splitlines() if _PAYLOAD in line]
    named = [canonical.named(record, witness.history) for offset, record in records if offset < end]
    return [record for record in named if not canonical.is_own(record)]


def _record(line: str) -> tuple[int, Record]:
    """Return the offset and the record; of one that this decoder cannot read, what it says."""
    offset = int(line.split("offset: ", 1)[1].split(" ", 1)[0])
    payload = line.split(_PAYLOAD, 1)[1]
    if payload.startswith(_UNREAD):
        return offset, {"type": "UNREAD", "data": {"why": payload.split(_SKIPPED, 1)[1]}}
    return offset, json.loads(payload)


def _in_any_order_within_runs(records: list[Record]) -> list[Record]:
    runs = (list(run) for _, run in groupby(records, key=lambda record: record["type"]))
    return [record for run in runs for record in sorted(run, key=str)]
