"""Runs shards as tasks of Spark, locally or on a cluster: `spark.range(n).mapInArrow(task)`.

A task writes its own files and its commit; only one row per shard passes through the JVM. Spark
adds the distribution over workers, and retries when a worker is lost.
"""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..campaign.campaign import ATTEMPTS, EngineError, Poll, Repetition
from ..campaign.commit_log import Folder
from ..campaign.plan import Plan
from ..package import code_on_workers
from .background import in_background, logging_disabled
from .session import SparkTarget, running_session, session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

PORTS = {"sc": 15002, "spark": 7077}  # default ports by scheme
CONNECT_S = 5.0
DDL = "shard INT, error STRING"
REPEATED_DDL = "run_id STRING, verdict STRING, digest STRING"
Task = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def run_shards(
    plan: Plan, folder: Folder, missing: Sequence[int], poll: Poll, *, target: SparkTarget
) -> None:
    """Runs the missing shards on Spark; calls `poll` repeatedly meanwhile.

    Ctrl-C cancels the job; a JVM that this process started ends at the latest with this process.
    Raises EngineError if a shard cannot be run.
    """
    _expect_no_nodes(plan)
    _on_spark(lambda spark: _run_all(spark, plan, folder, missing), poll, target)


def repeat_runs(plan: Plan, poll: Poll, *, target: SparkTarget) -> list[Repetition]:
    """Runs the shards on Spark and returns the results of the runs, which pass through the JVM.

    Workers need no folder in common. Raises EngineError if the job fails.
    """
    _expect_no_nodes(plan)
    results: list[Repetition] = []

    def repeat(spark: "SparkSession") -> None:
        count = len(plan.shards)
        try:
            job = spark.range(0, count, 1, count).mapInArrow(_repetition_of(plan), REPEATED_DDL)
            results.extend((row.run_id, row.verdict, row.digest) for row in job.collect())
        except Exception as error:  # from PySpark, or from Java
            raise EngineError(reason_of(error)) from None

    _on_spark(repeat, poll, target)
    return results


def _expect_no_nodes(plan: Plan) -> None:
    if plan.has_nodes:
        raise EngineError(
            "nodes of a scenario run code that the workers of Spark do not have: expected "
            "--engine local"
        )


def _on_spark(use: Callable[["SparkSession"], None], poll: Poll, target: SparkTarget) -> None:
    """Calls `use` with a session whose workers can import kraftsim; polls meanwhile."""
    is_ours = _running() is None
    started: list[SparkSession] = []

    def work() -> None:
        spark = _session(target)
        started.append(spark)
        try:
            with code_on_workers(spark):
                use(spark)
        finally:
            if is_ours:
                spark.stop()

    def end() -> bool:
        for spark in started:
            spark.interruptAll()
        return bool(started)

    in_background(work, poll, end, owns_children=is_ours)


def _session(target: SparkTarget) -> "SparkSession":
    """Returns the session; EngineError if Spark does not start for any reason."""
    try:
        return session(
            "kraftsim campaign", master=target.master, remote=target.remote, conf=target.conf
        )
    except Exception as error:  # from PySpark, or from Java
        raise EngineError(f"Spark did not start: {reason_of(error)}") from None


@contextmanager
def open_session(target: SparkTarget, poll: Poll) -> "Iterator[tuple[SparkSession, bool]]":
    """Yields a session whose workers can import kraftsim, and whether it ends with the block.

    A session that already runs is used and kept. `poll` is called while Spark starts; if it raises
    KeyboardInterrupt, the JVM that starts is killed. Raises EngineError if Spark does not start.
    """
    is_ours = running_session() is None
    spark = in_background(lambda: _session(target), poll, owns_children=is_ours)
    try:
        with code_on_workers(spark):
            yield spark, is_ours
    finally:
        if is_ours:
            _stop(spark)


def _stop(spark: "SparkSession") -> None:
    """Stops a session; an interrupt may have ended its JVM before."""
    with suppress(Exception), logging_disabled():
        spark.stop()


def expect_listening(master: str | None, remote: str | None) -> None:
    """Raises EngineError if no server listens at the address of the master or Connect server.

    Spark itself would retry for minutes.
    """
    url = urlsplit(remote or master or "")
    if url.scheme not in PORTS or url.hostname is None or "," in url.netloc:
        return  # local, or a cluster manager or a list of masters that Spark resolves itself
    address = (url.hostname, url.port or PORTS[url.scheme])
    try:
        socket.create_connection(address, timeout=CONNECT_S).close()
    except OSError as error:
        service = "Connect server" if remote else "master"
        script = "sbin/start-connect-server.sh" if remote else "sbin/start-master.sh"
        raise EngineError(
            f"no {service} at {address[0]}:{address[1]}: {error.strerror or error}; "
            f"Spark's {script} starts one"
        ) from None


def _running() -> "SparkSession | None":
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _run_all(spark: "SparkSession", plan: Plan, folder: Folder, missing: Sequence[int]) -> None:
    """Runs the shards in a job, and missing shards in further jobs, up to ATTEMPTS jobs.

    A master that does not retry tasks, such as local[1], fails the whole job if a task fails. From
    the second job on, each seed runs in its own process.
    """
    failure: Exception | None = None
    for attempt in range(ATTEMPTS):
        done = folder.commits()
        remaining = [number for number in missing if number not in done]
        failure = _run(spark, _task_of(plan, folder.path, remaining, attempt), len(remaining))
        if failure is None:
            return
    assert failure is not None, ATTEMPTS
    raise EngineError(reason_of(failure))


def _task_of(plan: Plan, path: Path, missing: Sequence[int], before: int) -> Task:
    """Returns the task that runs the shards whose indexes in `missing` it receives.

    The task is pickled, so it imports kraftsim only on the worker. `before` is the number of
    earlier jobs. A write error is returned as a row,
    because a retry on another worker would fail too.
    """
    text, folder_path, numbers = plan.to_json(), str(path.resolve()), list(missing)

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        from pyspark import TaskContext

        from kraftsim.pipeline.campaign.commit_log import Folder
        from kraftsim.pipeline.campaign.plan import Plan, PlanError
        from kraftsim.pipeline.campaign.shard import run_shard

        context = TaskContext.get()
        attempt = before + (0 if context is None else context.attemptNumber())
        plan, folder = Plan.from_json(text), Folder(Path(folder_path))
        for batch in batches:
            for index in batch.column(0).to_pylist():
                error = None
                try:
                    run_shard(plan, numbers[index], folder, attempt, engine="spark")
                except (OSError, PlanError) as caught:
                    error = str(caught)
                shard, errors = (
                    pa.array([numbers[index]], pa.int32()),
                    pa.array([error], pa.string()),
                )
                yield pa.RecordBatch.from_arrays([shard, errors], ["shard", "error"])

    return task


def _repetition_of(plan: Plan) -> Task:
    """Returns the task that repeats the shards whose numbers it receives."""
    text = plan.to_json()

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        from kraftsim.pipeline.campaign.plan import Plan
        from kraftsim.pipeline.campaign.shard import repeat_shard

        plan = Plan.from_json(text)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                columns = zip(*repeat_shard(plan, number), strict=True)
                arrays = [pa.array(column, pa.string()) for column in columns]
                yield pa.RecordBatch.from_arrays(arrays, ["run_id", "verdict", "digest"])

    return task


def _run(spark: "SparkSession", task: Task, count: int) -> Exception | None:
    """Runs one job and returns the exception that ended it, or None.

    Raises EngineError if a shard cannot be written.
    """
    try:
        rows = spark.range(0, count, 1, count).mapInArrow(task, DDL).collect()
    except Exception as error:  # for any error, the next job retries the uncommitted shards
        return error
    for row in rows:
        if row.error:
            raise EngineError(f"shard {row.shard}: {row.error}")
    return None


def reason_of(error: Exception) -> str:
    """Returns the line that names the error; Spark's message has hundreds of lines."""
    lines = [line.strip() for line in str(error).splitlines()]
    errors = [line for line in lines if "Error" in line and not line.startswith(("at ", "File "))]
    return errors[-1] if errors else lines[0]
