"""Runs the draws of a hunt's round as tasks of Spark, one task for a draw.

Draws travel with the tasks, and results come back as rows, so workers need no folder in common.
"""

import pickle
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kraftsim.scenarios.hunting.branches import Branches
from kraftsim.scenarios.hunting.candidate import Shown
from kraftsim.scenarios.hunting.hunt import RunAll

from ..campaign.campaign import ATTEMPTS, EngineError, Poll
from .background import in_background
from .session import SparkTarget
from .spark_engine import Task, open_session, reason_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

DDL = "number INT, shown BINARY"


@contextmanager
def draws_on_spark(target: SparkTarget, poll: Poll) -> Iterator[RunAll]:
    """Yields a function that runs the draws of a round; the session ends with the block.

    `poll` is called repeatedly meanwhile; if it raises KeyboardInterrupt, the job is cancelled.
    Raises EngineError if Spark does not start, or if a draw ends its worker in every attempt.
    """
    with open_session(target, poll) as (spark, is_ours):

        def end() -> bool:
            spark.interruptAll()
            return True

        def run_draws(draws: Sequence[Branches]) -> list[Sequence[Shown]]:
            task = _task_of([_packed(branches) for branches in draws])
            return in_background(
                lambda: _run(spark, task, len(draws)), poll, end, owns_children=is_ours
            )

        yield run_draws


def _packed(value: object) -> bytes:
    """Returns a value as bytes; the plans of a draw have most of their steps in common."""
    return zlib.compress(pickle.dumps(value))


def _task_of(packed: Sequence[bytes]) -> Task:
    """Returns the task that runs the draws whose numbers it receives."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pickle
        import zlib

        import pyarrow as pa

        from kraftsim.pipeline.forks import apart
        from kraftsim.scenarios.hunting.branches import run_all

        for batch in batches:
            for number in batch.column(0).to_pylist():
                branches = pickle.loads(zlib.decompress(packed[number]))
                shown = zlib.compress(pickle.dumps(run_all(branches, apart)))
                columns = pa.array([number], pa.int32()), pa.array([shown], pa.binary())
                yield pa.RecordBatch.from_arrays(list(columns), ["number", "shown"])

    return task


def _run(spark: "SparkSession", task: Task, count: int) -> list[Sequence[Shown]]:
    """Runs the tasks in a job, and again, up to ATTEMPTS jobs; returns results in order.

    A master that does not retry tasks, such as local[1], fails the whole job if a task fails.
    """
    failure: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            rows = spark.range(0, count, 1, count).mapInArrow(task, DDL).collect()
        except Exception as error:  # from PySpark, or from Java
            failure = error
            continue
        shown = {row.number: pickle.loads(zlib.decompress(row.shown)) for row in rows}
        return [shown[number] for number in range(count)]
    assert failure is not None, ATTEMPTS
    raise EngineError(reason_of(failure))
