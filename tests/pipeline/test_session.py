"""The session has the settings that were measured, and none that a user has said otherwise."""

import os
import sys
from pathlib import Path

import pytest

from kraftsim.pipeline.engines.session import session
from tests.pipeline.conftest import TEST_MASTER

pytestmark = pytest.mark.spark


def test_workers_are_this_python_on_unix_sockets_and_try_a_task_again(spark) -> None:
    def interpreters(batches):
        import pyarrow

        yield pyarrow.RecordBatch.from_pydict({"python": [sys.executable]})

    (worker,) = spark.range(1).mapInArrow(interpreters, "python string").distinct().collect()

    assert sys.executable == worker.python
    assert "true" == spark.conf.get("spark.python.unix.domain.socket.enabled")
    assert TEST_MASTER == spark.conf.get("spark.master")


def test_times_are_utc_and_files_zstd(spark, tmp_path: Path) -> None:
    path = str(tmp_path / "times")
    spark.sql("select timestamp_millis(0) as t").write.parquet(path)

    (row,) = spark.read.parquet(path).selectExpr("string(t) as t").collect()
    assert "1970-01-01 00:00:00" == row.t
    assert any(name.endswith(".zstd.parquet") for name in os.listdir(path))


def test_what_a_user_says_comes_first(spark, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "spark.sql.session.timeZone Asia/Tokyo\nspark.sql.shuffle.partitions=7 # many\n"
    )
    before = {key: spark.conf.get(key) for key in ("spark.sql.parquet.compression.codec",)}
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")  # as the JVM reads the file
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    try:
        again = session("tests", conf={"spark.sql.parquet.compression.codec": "gzip"})
        assert "gzip" == again.conf.get("spark.sql.parquet.compression.codec")
        assert "Asia/Tokyo" == again.conf.get("spark.sql.session.timeZone")
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        for key, value in before.items():
            spark.conf.set(key, value)


def test_two_places_are_one_too_many() -> None:
    with pytest.raises(ValueError, match="--master or --remote, got both: local and sc://h"):
        session("tests", master="local", remote="sc://h")


def test_a_session_that_runs_elsewhere_is_not_taken_for_the_one_asked_for(spark) -> None:
    with pytest.raises(ValueError, match=r"one on spark://h:7077, got one on local\[2,4\]"):
        session("tests", master="spark://h:7077")
