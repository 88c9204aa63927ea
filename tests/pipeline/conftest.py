"""One Spark session for all tests that want one: a JVM takes seconds to start."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from kraftsim.pipeline.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEST_MASTER = "local[2,4]"
TEST_CONF = {"spark.sql.shuffle.partitions": "1"}  # a task each costs more than what it does here


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    running = session("tests", master=TEST_MASTER, conf=TEST_CONF)
    yield running
    running.stop()
