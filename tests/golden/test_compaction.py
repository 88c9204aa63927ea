"""A released broker's compacted log: 4.3.1 got these batches, and had these after its cleaner.

The topic had cleanup.policy=compact, min.cleanable.dirty.ratio=0.01, delete.retention.ms=4000 and
segment.ms=60000; the broker log.cleaner.backoff.ms=300.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from kraftsim.broker_agent.log.batch import Header, Record, header_of, records_of
from kraftsim.broker_agent.log.compaction import compact
from kraftsim.broker_agent.log.compression import payload_of
from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import check

RECORDING = json.loads((Path(__file__).parent / "compaction-4.3.1.json").read_text("utf-8"))
BASE_MS = RECORDING["base_ms"]
SETTINGS = LogSettings(
    cleanup_policy="compact",
    min_cleanable_dirty_ratio=0.01,
    delete_retention_ms=4000,
    segment_ms=60_000,
)
HAS_HORIZON = 0x40


def batches_in(data: bytes) -> Iterator[bytes]:
    while data:
        size = int.from_bytes(data[8:12]) + 12
        yield data[:size]
        data = data[size:]


def content(batch: bytes) -> tuple[Header, list[Record]]:
    """Header and records; the time of a run, which a horizon tells, is left out."""
    header = header_of(batch)
    records = list(records_of(header, payload_of(batch, header))) if header.record_count else []
    if header.attributes & HAS_HORIZON:
        header = header._replace(base_timestamp=0, crc=0, length=0)
    return header, records


def test_a_log_is_compacted_as_by_a_released_broker() -> None:
    log, now_ms = Log(0), 1000
    for step in RECORDING["steps"]:
        at = Instant(now_ms, BASE_MS + now_ms)
        if "produced" in step:
            accepted = check(bytes.fromhex(step["produced"]), SETTINGS, "c-0", at.wall_ms)
            log.append(accepted, 0, at, SETTINGS)
            log.high_watermark = log.end_offset
            if len(log.segments) > 2:  # each roll made the log dirty
                now_ms += 5000
                compact(log, Instant(now_ms, BASE_MS + now_ms), SETTINGS)
        else:
            compact(log, at, SETTINGS)
            ours = b"".join(log.read(0, log.end_offset, 10**6, reads_one=True))
            fetched = bytes.fromhex(step["fetched"])
            assert list(map(content, batches_in(ours))) == list(map(content, batches_in(fetched)))
