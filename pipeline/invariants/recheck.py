"""Replays the runs of a shard and compares their logs with the rules and with the other tables.

A shard contains whole runs, so each task of Spark checks one shard, whose files it reads itself.
Only violations pass through the JVM.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..campaign.commit_log import Folder, part
from ..campaign.items import Item
from ..campaign.plan import Plan
from ..package import code_on_workers
from ..tables import VIOLATIONS
from .replay import Replay

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

NUMBER, NAME = "R1", "log-replays"
Rows = dict[str, list[tuple[Any, ...]]]
RECORDS = ("run_id", "seed", "t_us", "offset", "leader_epoch", "type", "data")
TRANSITIONS = ("run_id", "seq", "t_us", "kind", "broker_id", "offset")
INTERVALS = ("run_id", "view", "subject", "state", "begin_us", "end_us", "cause", "ended_by")


def recheck(spark: "SparkSession", folder: Folder) -> list[dict[str, Any]]:
    """Returns rows of the table `violations`, from every run whose log is stored."""
    numbers = sorted(folder.commits())
    text, folder_path = folder.plan().to_json(), str(folder.path.resolve())

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        from pathlib import Path  # the task is pickled, so it imports on the worker

        from kraftsim.pipeline.campaign.commit_log import Folder
        from kraftsim.pipeline.campaign.plan import Plan
        from kraftsim.pipeline.invariants.recheck import as_batch, shard_violations

        plan, folder = Plan.from_json(text), Folder(Path(folder_path))
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield as_batch(list(shard_violations(folder, plan, numbers[index])))

    count = len(numbers)
    with code_on_workers(spark):
        rows = spark.range(0, count, 1, count).mapInArrow(task, VIOLATIONS.ddl).collect()
    return [row.asDict() for row in rows]


def as_batch(rows: Sequence[tuple[Any, ...]]) -> "pa.RecordBatch":
    """Returns rows of the table `violations` as an Arrow batch."""
    import pyarrow as pa

    schema = VIOLATIONS.schema()
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(entry, kind) for entry, kind in zip(columns, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def shard_violations(folder: Folder, plan: Plan, number: int) -> Iterator[tuple[Any, ...]]:
    """Yields the violations of a shard's runs as rows; runs with a planted bug are skipped."""
    items = {item.key: item for item in plan.items if item.mutant is None and not item.is_canary}
    records = _by_run(folder, "records", number, RECORDS)
    transitions = _by_run(folder, "transitions", number, TRANSITIONS)
    intervals = _by_run(folder, "intervals", number, INTERVALS)
    for run_id, rows in records.items():
        item = items.get(run_id.rpartition("-")[0])
        if item is not None:
            wrong = run_violations(rows, transitions.get(run_id, []), intervals.get(run_id, []))
            yield from _rows(item, run_id, int(rows[0][1]), wrong)


def _rows(
    item: Item, run_id: str, seed: int, wrong: Iterator[tuple[int, int | None, str]]
) -> Iterator[tuple[Any, ...]]:
    about = run_id, item.name, seed
    for seq, (t_us, event_seq, text) in enumerate(wrong):
        yield (*about, seq, t_us, NUMBER, NAME, text, event_seq, item.repro(seed))


def run_violations(
    records: Sequence[tuple[Any, ...]],
    transitions: Sequence[tuple[Any, ...]],
    intervals: Sequence[tuple[Any, ...]],
) -> Iterator[tuple[int, int | None, str]]:
    """Yields each violation in one run: its time, the `seq` of a transition or None, and its text.

    The arguments are the rows of the run in these tables, in order.
    """
    replay = Replay()
    for _, _, t_us, offset, leader_epoch, kind, text in records:
        for violation in replay.record(t_us, offset, leader_epoch, kind, text):
            yield t_us, None, violation
    replay.finish(max((interval[5] for interval in intervals), default=0))
    yield from _transition_mismatches(replay, transitions)
    yield from _interval_mismatches(replay, intervals)


def _transition_mismatches(
    replay: Replay, transitions: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, int | None, str]]:
    missing = dict(replay.transitions)
    for _, seq, t_us, kind, broker_id, offset in transitions:
        if offset is None:
            continue
        expected = missing.pop(offset, None)
        if expected != (kind, broker_id):
            yield t_us, seq, f"offset {offset}: {expected} in the log, {kind} in transitions"
    for offset, expected in missing.items():
        yield 0, None, f"offset {offset}: {expected} in the log, nothing in transitions"


def _interval_mismatches(
    replay: Replay, intervals: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, int | None, str]]:
    stored = {tuple(interval[2:]) for interval in intervals if interval[1] == "log"}
    replayed = set(replay.intervals)
    for entry in sorted(stored ^ replayed, key=itemgetter(2, 0)):
        source = "intervals" if entry in stored else "the log"
        yield (
            entry[2],
            None,
            f"{entry[0]} is {entry[1]} from {entry[2]} to {entry[3]} us only in {source}",
        )


def _by_run(folder: Folder, table: str, number: int, columns: Sequence[str]) -> Rows:
    """Returns the rows of a shard by run; the rows of a run are contiguous and in order."""
    import pyarrow.parquet as pq

    read = pq.read_table(folder.path / part(table, number), columns=list(columns))
    rows = zip(*(read.column(name).to_pylist() for name in columns), strict=True)
    return {run_id: list(run_rows) for run_id, run_rows in groupby(rows, key=itemgetter(0))}
