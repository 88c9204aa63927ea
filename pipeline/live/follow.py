"""The streaming job: follow a log, and tell what becomes of its brokers, or keep it as Parquet."""

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
from .log import KraftLogError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# Each partition costs a task and a state store in every batch, and brokers are few. A checkpoint
# keeps to the number that it began with.
CONF = {"spark.sql.shuffle.partitions": "2"}
AT_ONCE, FILES_EVERY = "0 seconds", "10 seconds"  # each batch is a file or two
CHECKPOINT = "_checkpoint"  # in the folder of the files, unless another one is named
POLL_S = 1  # how soon an interrupt is noticed
_OURS = re.compile(r"(?:KraftLogError|DataLost): (.*)")

Tell = Callable[[Mapping[str, object]], None]


def start(
    spark: "SparkSession",
    source: Mapping[str, str],
    *,
    checkpoint: str | None = None,
    out: str | None = None,
    tell: Tell | None = None,
    once: bool = False,
) -> "StreamingQuery":
    """Follow the log that `source` names (options of the format kraftlog).

    Changes go into the folder `out` as Parquet, exactly once as Spark reads it, or to `tell`, each
    at least once. `once` ends with what there is now; the next start with the same checkpoint goes
    on behind it.
    """
    changes = broker_changes(spark.readStream.format("kraftlog").options(**source).load())
    every = AT_ONCE if out is None else FILES_EVERY
    writer = changes.writeStream
    writer = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=every)
    writer = writer.option("checkpointLocation", _checkpoint(checkpoint, out))
    if out is not None:
        return writer.format("parquet").option("path", out).start()
    assert tell is not None, "without `out` somebody must be told"
    return writer.foreachBatch(_teller(tell)).start()


def run(query: "StreamingQuery", stop: Event) -> None:
    """Until the query ends, or `stop` is set; KraftLogError where it fails, in the source's words
    if they are the reason."""
    try:
        while not stop.is_set() and not query.awaitTermination(POLL_S):
            pass
    except PySparkException as error:
        found = _OURS.search(str(error))
        said = found[1] if found else f"Spark: {str(error).splitlines()[0]}"
        raise KraftLogError(said) from None
    if query.isActive:
        query.stop()


def _checkpoint(checkpoint: str | None, out: str | None) -> str:
    if checkpoint is not None:
        return checkpoint
    if out is not None:
        return str(Path(out, CHECKPOINT))
    folder = tempfile.mkdtemp("", "kraftsim-")  # nobody can go on from there
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _teller(tell: Tell) -> Callable[["DataFrame", int], None]:
    def of_batch(changes: "DataFrame", _: int) -> None:
        for row in changes.orderBy("offset").collect():
            tell(row.asDict())

    return of_batch
