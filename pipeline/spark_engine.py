"""Shards as tasks of Spark, on one machine or a cluster: `spark.range(n).mapInArrow(task)`.

A task writes its own files and its commit; only one row for each shard passes through the JVM. What
Spark adds is the fan-out, and tries again when a worker is lost.
"""

import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .commit_log import Folder
from .local_engine import EngineError, Look
from .package import write_zip
from .plan import Plan
from .session import session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

LOOK_EVERY_S = 0.2
DDL = "shard INT, runs INT, attempt INT"
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
    """`look` is called now and then. Ctrl-C cancels the job before it is raised."""
    spark = session("kraftsim campaign", master=master, remote=remote, conf=conf)
    try:
        if not _is_here(spark):
            _send_code(spark)
        _run(spark, _task_of(plan, folder.path, missing), len(missing), look)
    finally:
        spark.stop()


def _is_here(spark: "SparkSession") -> bool:
    """Are the workers processes of this machine, which import what we import?"""
    return str(spark.conf.get("spark.master", "")).startswith("local")


def _send_code(spark: "SparkSession") -> None:
    with tempfile.TemporaryDirectory() as folder:
        spark.addArtifacts(str(write_zip(Path(folder))), pyfile=True)


def _task_of(plan: Plan, path: Path, missing: Sequence[int]) -> Task:
    """Self-contained: it is pickled, and imports us only where it runs."""
    text, where, numbers = plan.to_json(), str(path.resolve()), list(missing)

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        from pyspark import TaskContext

        from kraftsim.pipeline.commit_log import Folder
        from kraftsim.pipeline.plan import Plan
        from kraftsim.pipeline.shard import run_shard

        context = TaskContext.get()
        attempt = 0 if context is None else context.attemptNumber()
        plan, folder = Plan.from_json(text), Folder(Path(where))
        for batch in batches:
            for index in batch.column(0).to_pylist():
                number = numbers[index]
                done = run_shard(plan, number, folder, attempt)
                columns = [[number], [done.runs], [attempt]]
                yield pa.RecordBatch.from_arrays(
                    [pa.array(one, pa.int32()) for one in columns], ["shard", "runs", "attempt"]
                )

    return task


def _run(spark: "SparkSession", task: Task, count: int, look: Look) -> None:
    """In a thread of its own: PySpark's own answer to Ctrl-C leaves the job running."""
    from pyspark import InheritableThread

    failure: list[Exception] = []

    def work() -> None:
        try:
            spark.range(0, count, 1, count).mapInArrow(task, DDL).collect()
        except Exception as error:
            failure.append(error)

    thread = InheritableThread(target=work, daemon=True)
    with _interruptible():
        thread.start()
        try:
            while thread.is_alive():
                thread.join(LOOK_EVERY_S)
                look()
        except KeyboardInterrupt:
            _cancel(spark)
            raise
    if failure:
        raise EngineError(_reason(failure[0]))


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C is a KeyboardInterrupt again; PySpark puts a handler of its own there."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _cancel(spark: "SparkSession") -> None:
    spark.interruptAll()


def _reason(error: Exception) -> str:
    """The line of a worker's traceback that says it; Spark's text has hundreds."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if "Error" in line and not line.startswith(("at ", "File "))]
    return said[-1] if said else lines[0]
