"""Shards as tasks of Spark, on one machine or a cluster: `spark.range(n).mapInArrow(task)`.

A task writes its own files and its commit; only one row for each shard passes through the JVM. What
Spark adds is the fan-out, and tries again when a worker is lost.
"""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..campaign.campaign import ATTEMPTS, EngineError, Look
from ..campaign.commit_log import Folder
from ..campaign.plan import Plan
from ..package import code_on_workers
from .background import in_background
from .session import session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

PORTS = {"sc": 15002, "spark": 7077}  # unless the address says another
CONNECT_S = 5.0
DDL = "shard INT, error STRING"
Task = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def run_shards(
    plan: Plan,
    folder: Folder,
    missing: Sequence[int],
    look: Look,
    *,
    master: str | None = None,
    remote: str | None = None,
    conf: Mapping[str, str] | None = None,
) -> None:
    """`look` is called now and then. Ctrl-C ends the job, and the JVM with everything below it,
    before it is raised."""
    is_ours = _running() is None
    started: list[SparkSession] = []

    def work() -> None:
        spark = _session(master, remote, conf)
        started.append(spark)
        try:
            with code_on_workers(spark):
                _run_all(spark, plan, folder, missing)
        finally:
            if is_ours:
                spark.stop()

    def end() -> None:
        for spark in started:
            spark.interruptAll()

    in_background(work, look, end, owns_children=is_ours)


def _session(
    master: str | None, remote: str | None, conf: Mapping[str, str] | None
) -> "SparkSession":
    """EngineError where Spark does not start, whatever the reason."""
    try:
        return session("kraftsim campaign", master=master, remote=remote, conf=conf)
    except Exception as error:  # of PySpark, or Java's own words
        raise EngineError(f"Spark did not start: {_reason(error)}") from None


def expect_there(master: str | None, remote: str | None) -> None:
    """EngineError if nobody listens at the address of a cluster: Spark would ask for minutes."""
    place = urlsplit(remote or master or "")
    if remote is not None and (place.scheme != "sc" or not place.hostname):
        raise EngineError(f"expected sc://HOST:PORT of a Connect server, got {remote}")
    if place.scheme not in PORTS or place.hostname is None or "," in place.netloc:
        return  # one that Spark finds, or knows several of
    address = (place.hostname, place.port or PORTS[place.scheme])
    try:
        socket.create_connection(address, timeout=CONNECT_S).close()
    except OSError as error:
        what = "Connect server" if remote else "master"
        script = "sbin/start-connect-server.sh" if remote else "sbin/start-master.sh"
        raise EngineError(
            f"no {what} at {address[0]}:{address[1]}: {error.strerror or error}; Spark's {script} "
            "starts one"
        ) from None


def _running() -> "SparkSession | None":
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _run_all(spark: "SparkSession", plan: Plan, folder: Folder, missing: Sequence[int]) -> None:
    """A job that fails as a whole (local[1] tries no task twice) is followed by one with what is
    left of it, in which every seed has a process of its own."""
    failure: Exception | None = None
    for attempt in range(ATTEMPTS):
        done = folder.commits()
        left = [number for number in missing if number not in done]
        failure = _run(spark, _task_of(plan, folder.path, left, attempt), len(left))
        if failure is None:
            return
    assert failure is not None, ATTEMPTS
    raise EngineError(_reason(failure))


def _task_of(plan: Plan, path: Path, missing: Sequence[int], before: int) -> Task:
    """Self-contained: it is pickled, and imports us only where it runs. `before` counts the jobs
    that have tried these shards. What cannot be written is no better elsewhere: it is told."""
    text, where, numbers = plan.to_json(), str(path.resolve()), list(missing)

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        from pyspark import TaskContext

        from kraftsim.pipeline.campaign.commit_log import Folder
        from kraftsim.pipeline.campaign.plan import Plan, PlanError
        from kraftsim.pipeline.campaign.shard import run_shard

        context = TaskContext.get()
        attempt = before + (0 if context is None else context.attemptNumber())
        plan, folder = Plan.from_json(text), Folder(Path(where))
        for batch in batches:
            for index in batch.column(0).to_pylist():
                error = None
                try:
                    run_shard(plan, numbers[index], folder, attempt)
                except (OSError, PlanError) as caught:
                    error = str(caught)
                shard, said = pa.array([numbers[index]], pa.int32()), pa.array([error], pa.string())
                yield pa.RecordBatch.from_arrays([shard, said], ["shard", "error"])

    return task


def _run(spark: "SparkSession", task: Task, count: int) -> Exception | None:
    """What ended the job, if it did not end well. EngineError for a shard that cannot be kept."""
    try:
        rows = spark.range(0, count, 1, count).mapInArrow(task, DDL).collect()
    except Exception as error:  # whatever it was, what it has not committed is tried again
        return error
    for row in rows:
        if row.error:
            raise EngineError(f"shard {row.shard}: {row.error}")
    return None


def _reason(error: Exception) -> str:
    """The line of a worker's traceback that says it; Spark's text has hundreds."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if "Error" in line and not line.startswith(("at ", "File "))]
    return said[-1] if said else lines[0]
