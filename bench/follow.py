"""The delay from a record's commit until a Spark stream has it."""

import time
from collections.abc import Mapping
from statistics import median, quantiles
from threading import Event
from typing import Any

from .processes import properties, up
from .report import Row

RATE = 200  # records per second: a NoOp every 5 ms
WARM_S, MEASURED_S = 30.0, 30.0


def follow() -> list[Row]:
    """Measures the age of records in `foreachBatch`, and batches of the job of broker states."""
    from kraftsim.pipeline.engines.session import session
    from kraftsim.pipeline.live.follow import CONF

    with (
        properties(metadata_max_idle_interval_ms=1000 // RATE) as config,
        up("--config", config) as (_, addresses),
    ):
        spark = session("bench", master="local[2]", conf=CONF)
        url = addresses["KRAFTSIM_HTTP"]
        newest, oldest, rate = _source(spark, url)
        rows = [
            Row("follow: records a second", f"{rate:.0f}", goal=str(RATE)),
            Row("follow: newest record of a batch", _percentiles(newest)),
            Row("follow: oldest record of a batch", _percentiles(oldest), goal="p50 <= 300 ms"),
            Row("follow: a batch of the job of broker states", _percentiles(_job(spark, url))),
        ]
        spark.stop()
    return rows


def _percentiles(values: list[float]) -> str:
    return f"p50 {median(values):.0f} ms, p99 {quantiles(values, n=100)[98]:.0f} ms"


def _source(spark: Any, url: str) -> tuple[list[float], list[float], float]:
    """Returns the ages of each batch's newest and oldest record in milliseconds, and the rate."""
    newest: list[float] = []
    oldest: list[float] = []
    count = 0
    begin = time.time() + WARM_S

    def arrived(frame: Any, _: int) -> None:
        nonlocal count
        times_ms = [row.ms for row in frame.selectExpr("unix_millis(ts) as ms").collect()]
        now = time.time()
        if now >= begin and times_ms:
            newest.append(now * 1000 - max(times_ms))
            oldest.append(now * 1000 - min(times_ms))
            count += len(times_ms)

    stream = spark.readStream.format("kraftlog").option("url", url).load()
    query = stream.writeStream.foreachBatch(arrived).start()
    query.awaitTermination(int(WARM_S + MEASURED_S))
    query.stop()
    return newest, oldest, count / MEASURED_S


def _job(spark: Any, url: str) -> list[float]:
    """Returns the milliseconds of each batch of the job, including state and checkpoint."""
    from kraftsim.pipeline.live.follow import run, start

    def ignore(change: Mapping[str, object]) -> None:
        pass

    query = start(spark, {"url": url}, on_change=ignore)
    query.awaitTermination(int(WARM_S))
    before = query.lastProgress["batchId"]
    query.awaitTermination(int(MEASURED_S))
    done = [progress for progress in query.recentProgress if progress["batchId"] > before]
    stop = Event()
    stop.set()
    run(query, stop)
    return [float(progress["durationMs"]["triggerExecution"]) for progress in done]
