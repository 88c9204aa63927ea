"""The source and the job in Spark itself: what only a session, its workers and files can show."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import yaml

from kraftsim.pipeline.live import follow
from kraftsim.pipeline.live.changes import availability, intervals
from kraftsim.pipeline.live.log import KraftLogError
from kraftsim.pipeline.live.rows import SCHEMA
from tests.golden.recordings import RELEASES
from tests.kraftsim.conftest import Said, Service
from tests.pipeline.conftest import TEST_CONF, TEST_MASTER
from tests.pipeline.live.conftest import fence, kafka_log, on_disk, rows_of, unfence
from tests.pipeline.standalone import place

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parents[3]
WHOLE_TIMES = "unix_micros(ts) as ts"  # as the rows of the log have them


def as_rows(frame: Any) -> list[tuple[Any, ...]]:
    columns = [WHOLE_TIMES if name == "ts" else name for name in frame.columns]
    return [tuple(row) for row in frame.orderBy("offset").selectExpr(*columns).collect()]


def log_at(spark: Any, **options: object) -> Any:
    return spark.read.format("kraftlog").options(**options).load()


def stream_at(spark: Any, **options: object) -> Any:
    return spark.readStream.format("kraftlog").options(**options).load()


def into(folder: Path, stream: Any) -> Any:
    """What there is now, as Parquet, with the checkpoint beside it."""
    writer = stream.writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder / "_checkpoint"))
    return writer.start(str(folder))


def test_the_table_of_a_running_cluster_is_what_its_log_says(spark, service: Service) -> None:
    table = log_at(spark, url=service.kraft.http_url)

    assert SCHEMA == ", ".join(
        f"{field.name} {field.dataType.simpleString().upper()}" for field in table.schema
    )
    assert rows_of(service) == as_rows(table)


def test_filters_reach_the_source_and_change_nothing(spark, service: Service) -> None:
    wanted = "offset > 11 and record_type like 'REGISTER%' and broker_id in (2, 3)"

    pushed = log_at(spark, url=service.kraft.http_url, pushdown="true").where(wanted)
    plain = log_at(spark, url=service.kraft.http_url).where(wanted)
    assert as_rows(plain) == as_rows(pushed)
    assert 2 == plain.count()


@pytest.mark.parametrize("release", RELEASES)
def test_kafkas_own_segments_are_a_table_and_a_stream(spark, release: str, tmp_path: Path) -> None:
    on_disk(tmp_path / "node", kafka_log(release).data)
    table = log_at(spark, path=tmp_path / "node")

    into(
        tmp_path / "out", stream_at(spark, path=tmp_path / "node", maxRecordsPerBatch=400)
    ).awaitTermination()
    assert as_rows(table) == as_rows(spark.read.schema(SCHEMA).parquet(str(tmp_path / "out")))
    assert table.count() > 400


def test_a_stream_goes_on_with_the_cluster(spark, service: Service) -> None:
    query = stream_at(spark, url=service.kraft.http_url).writeStream.format("memory")
    query = query.queryName("goes_on").start()
    try:
        query.processAllAvailable()
        fence(service, 2)
        query.processAllAvailable()
        assert rows_of(service) == as_rows(spark.table("goes_on"))
    finally:
        query.stop()


def test_a_killed_driver_leaves_each_offset_once(spark, service: Service, tmp_path: Path) -> None:
    """It is killed with its Java, at a moment when batches are behind it and others to come."""
    fence(service, 2)
    out = tmp_path / "out"

    killed = subprocess.run(
        [sys.executable, __file__, service.kraft.http_url, str(out)],
        cwd=ROOT,
        start_new_session=True,
        check=False,
    )
    assert -signal.SIGKILL == killed.returncode
    into(out, stream_at(spark, url=service.kraft.http_url)).awaitTermination()

    assert rows_of(service) == as_rows(spark.read.schema(SCHEMA).parquet(str(out)))


def driver_that_is_killed(url: str, out: str) -> None:
    """In a process of its own, leader of its group."""
    from kraftsim.pipeline.engines.session import session

    spark = session("killed", master=TEST_MASTER, conf=TEST_CONF)
    query = into(Path(out), stream_at(spark, url=url, maxRecordsPerBatch=5))
    while len(list(Path(out, "_checkpoint", "commits").glob("[0-9]*"))) < 2:
        query.awaitTermination(1)
    os.killpg(0, signal.SIGKILL)


def test_another_cluster_ends_the_query_with_what_to_do(
    spark, service: Service, tmp_path: Path
) -> None:
    checkpoint, port = str(tmp_path), service.kraft.http_url.rpartition(":")[2]
    heard: list[object] = []

    def once() -> None:
        source = {"url": service.kraft.http_url}
        query = follow.start(
            spark, source, checkpoint=checkpoint, on_change=heard.append, once=True
        )
        follow.run(query, Event())

    once()
    service.close()
    other = Service(cluster_id="kraftsimOtherCluster01", http_port=int(port))
    try:
        with pytest.raises(
            KraftLogError, match=r"OtherCluster01.*start again with another checkpoint"
        ):
            once()
    finally:
        other.close()


def test_the_job_keeps_over_restarts_what_the_cluster_has_been_through(
    spark, service: Service, tmp_path: Path
) -> None:
    """Against the image of the cluster, which knows nothing of this fold."""

    def once() -> None:
        query = follow.start(spark, {"url": service.kraft.http_url}, out=str(tmp_path), once=True)
        follow.run(query, Event())

    once()
    fence(service, 2)
    once()
    unfence(service, 2)
    service.do(service.kraft.topics.create("orders", assignments=[(3, 1)]))
    service.do(service.kraft.brokers.stop(3))
    service.do(service.kraft.wait(broker=3, state="fenced"))
    once()

    changes = spark.read.parquet(str(tmp_path))
    now = {
        row.broker_id: (row.state, row.broker_epoch)
        for row in intervals(changes).where("t1 is null").collect()
    }
    image = service.kraft.world.committed
    assert {
        broker.broker_id: ("fenced" if broker.fenced else "unfenced", broker.broker_epoch)
        for broker in image.brokers.values()
    } == now
    ends = {
        (row.broker_id, row.lease_end) for row in changes.where("lease_end is not null").collect()
    }
    assert {(2, "fenced"), (3, "released")} == ends
    assert changes.count() == changes.select("offset").distinct().count()


def test_availability_is_the_share_of_time_in_service(spark) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    changes = spark.createDataFrame(
        [
            (2, 1, start, "fenced"),
            (2, 2, start + timedelta(seconds=10), "unfenced"),
            (2, 3, start + timedelta(seconds=40), "in_controlled_shutdown"),
            (2, 4, start + timedelta(seconds=50), "unregistered"),
            (2, 5, start + timedelta(seconds=90), "fenced"),
            (2, 6, start + timedelta(seconds=100), "unfenced"),
        ],
        "broker_id int, offset bigint, ts timestamp, state string",
    ).selectExpr("*", "1L as broker_epoch", "'' as cause")

    (row,) = availability(changes, start + timedelta(seconds=140)).collect()
    assert (70_000, 100_000, 0.7) == (row.unfenced_ms, row.known_ms, row.availability)


def test_the_verb_tells_of_kafkas_own_log(
    spark, run: Callable[[str], Said], tmp_path: Path
) -> None:
    on_disk(tmp_path / "node", kafka_log("4.3.1").data)

    code, out, _ = run(f"follow --path {tmp_path / 'node'} --once")
    assert 0 == code
    assert (
        "2026-11-21T01:12:20.822Z  offset 357      broker 2     unfenced -> fenced, "
        "lease fenced after 129.3 s, unfenced 99.3% of 130.2 s" in out.splitlines()
    )


def test_the_verb_stores_and_prints_where_and_how_it_is_told(
    spark, run: Callable[[str], Said], tmp_path: Path
) -> None:
    on_disk(tmp_path / "node", kafka_log("4.3.1").data)
    line = f"follow --path {tmp_path / 'node'} --once"

    as_json, as_yaml = (run(f"{line} {option}")[1] for option in ("--json", "--output yaml"))
    rows = [json.loads(text) for text in as_json.splitlines()]
    assert (2, 357, "fenced") in {(row["brokerId"], row["offset"], row["state"]) for row in rows}
    assert rows == list(yaml.safe_load_all(as_yaml))

    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"
    assert "" == run(f"{line} --out {out} --checkpoint {checkpoint}")[1]
    stored = spark.read.parquet(str(out)).collect()
    assert sorted(row["offset"] for row in rows) == sorted(row.offset for row in stored)
    assert (True, False) == ((checkpoint / "commits").is_dir(), (out / "_checkpoint").exists())


@pytest.mark.parametrize("option", ["--master local[1]", "--conf spark.master=local[1]"])
def test_the_verb_asks_for_the_session_that_its_options_describe(
    spark, run: Callable[[str], Said], tmp_path: Path, option: str
) -> None:
    on_disk(tmp_path / "node", kafka_log("4.3.1").data)

    code, _, err = run(f"follow --path {tmp_path / 'node'} --once {option}")
    assert 2 == code
    assert f"expected no running session, or one on local[1], got one on {TEST_MASTER}" in err


@pytest.mark.soak  # tests/pipeline/test_package.py reads a log where only the package is
def test_workers_that_have_not_installed_us_follow_all_the_same(tmp_path: Path) -> None:
    log = on_disk(tmp_path / "node", kafka_log("4.3.1").data)
    command = [sys.executable, "-m", "kraftsim", "follow", "--path", log, "--once", "--json"]
    with place("standalone", tmp_path) as (where, env):
        done = subprocess.run([*command, *where], env=env, capture_output=True, text=True)

    assert 0 == done.returncode, done.stderr
    fenced = [json.loads(line) for line in done.stdout.splitlines() if '"state": "fenced"' in line]
    assert (2, 357) in {(row["brokerId"], row["offset"]) for row in fenced}


if __name__ == "__main__":
    driver_that_is_killed(*sys.argv[1:])
