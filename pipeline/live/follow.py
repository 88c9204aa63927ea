"""The streaming job that follows a log: prints its brokers' changes or stores them as Parquet."""

import atexit
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from .changes import broker_changes
from .log import DataLost, KraftLogError, NoAnswer, NoLog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# Each partition costs a task and a state store per batch, and there are few brokers. A checkpoint
# keeps the number with which it was created.
CONF = {"spark.sql.shuffle.partitions": "2"}
AT_ONCE, FILES_EVERY = "0 seconds", "10 seconds"  # each batch is a file or two
CHECKPOINT = "_checkpoint"  # the default, in the folder `out`
POLL_S = 1  # seconds between checks for an interrupt
_SOURCE_ERRORS = {kind.__name__: kind for kind in (KraftLogError, DataLost, NoAnswer, NoLog)}
_SOURCE_ERROR = re.compile(rf"\b({'|'.join(_SOURCE_ERRORS)}): (.*)")

OnChange = Callable[[Mapping[str, object]], None]


def start(
    spark: "SparkSession",
    source: Mapping[str, str],
    *,
    checkpoint: str | None = None,
    out: str | None = None,
    on_change: OnChange | None = None,
    once: bool = False,
) -> "StreamingQuery":
    """Starts to follow the log that `source` names, with options of the format kraftlog.

    With `out`, changes are written to that folder as Parquet; a reader with Spark finds each change
    exactly once. Otherwise `on_change` is called for each change, at least once. With `once`, the
    query ends at the current end of the log; the next start with the same checkpoint continues
    there.
    """
    changes = broker_changes(spark.readStream.format("kraftlog").options(**source).load())
    every = AT_ONCE if out is None else FILES_EVERY
    writer = changes.writeStream
    writer = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=every)
    writer = writer.option("checkpointLocation", _checkpoint(checkpoint, out))
    if out is not None:
        return writer.format("parquet").option("path", out).start()
    assert on_change is not None, "expected `out` or `on_change`"
    return writer.foreachBatch(_passing_changes_to(on_change)).start()


def run(query: "StreamingQuery", stop: Event) -> None:
    """Waits until the query ends or `stop` is set, and then stops it.

    Raises KraftLogError if it fails, or the error of the source if that is the cause.
    """
    try:
        while not stop.is_set() and not query.awaitTermination(POLL_S):
            pass
    except PySparkException as error:
        match = _SOURCE_ERROR.search(str(error))
        if match:
            raise _SOURCE_ERRORS[match[1]](match[2]) from None
        raise KraftLogError(f"Spark: {str(error).splitlines()[0]}") from None
    if query.isActive:
        query.stop()


def _checkpoint(checkpoint: str | None, out: str | None) -> str:
    if checkpoint is not None:
        return checkpoint
    if out is not None:
        return str(Path(out, CHECKPOINT))
    folder = tempfile.mkdtemp("", "kraftsim-")  # removed at exit: this query cannot be resumed
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _passing_changes_to(on_change: OnChange) -> Callable[["DataFrame", int], None]:
    def of_batch(changes: "DataFrame", _: int) -> None:
        for row in changes.orderBy("offset").collect():
            on_change(row.asDict())

    return of_batch
