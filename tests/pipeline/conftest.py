"""One Spark session for all tests that want one: a JVM takes seconds to start."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.engines.session import session
from tests.pipeline.small_campaigns import SHAKY, SWEPT, make_campaign

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEST_MASTER = "local[2,4]"
# A task for each partition, and Java code compiled for each query, cost more than queries here.
TEST_CONF = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    running = session("tests", master=TEST_MASTER, conf=TEST_CONF)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def shaky(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Some of its runs fail; with a bug planted, more do."""
    folder = tmp_path_factory.mktemp("shaky")
    scenario = folder / "shaky.yaml"
    scenario.write_text(SHAKY)
    return make_campaign(folder / "campaign", str(scenario), seeds=range(10), mutants="M41")


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Four cells of pauses against sessions."""
    return make_campaign(tmp_path_factory.mktemp("swept") / "campaign", SWEPT, seeds=range(3))
