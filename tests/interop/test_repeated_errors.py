"""Clients that repeat an error until it goes away end, although time stands unless they move it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import kafka
import pytest

from kraftsim import BlockingCluster
from tests.interop.tools.play import MAIN_CLASSES
from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import released_tools

pytestmark = pytest.mark.interop

TRIES = 40


@pytest.fixture
def cluster() -> Iterator[BlockingCluster]:
    with BlockingCluster(brokers=3, controllers=3, clock="auto", seed=3, kafka_port=0) as kraft:
        yield kraft


@pytest.fixture
def admin(cluster: BlockingCluster) -> Iterator[Any]:
    with closing(kafka.KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)) as admin:
        yield admin


def leader_of(admin: Any) -> int:
    """Returns the leader by DescribeQuorum; 0 or less in a reply with an error."""
    (topic,) = admin.describe_metadata_quorum()["topics"]
    return int(topic["partitions"][0]["leader_id"])


def test_kafka_python_finds_the_leader_that_succeeds_a_killed_one(
    cluster: BlockingCluster, admin: Any
) -> None:
    cluster.controllers.kill(leader_of(admin))

    found = (leader_of(admin) for _ in range(TRIES))

    assert next(leader for leader in found if leader > 0) == cluster.quorum.leader()["leaderId"]


def test_kafka_python_finds_the_leader_at_once_after_a_transfer(
    cluster: BlockingCluster, admin: Any
) -> None:
    (to, _) = {3000, 3001, 3002} - {leader_of(admin)}

    cluster.quorum.transfer_leadership(to)

    assert leader_of(admin) == to


def test_kafka_python_asks_for_a_topic_that_never_comes_for_a_second_each_time(
    cluster: BlockingCluster, admin: Any
) -> None:
    before_ms = cluster.clock.show()["nowMs"]

    for _ in range(TRIES):
        admin.describe_topics(["orders"])

    assert cluster.clock.show()["nowMs"] - before_ms == (TRIES - 1) * 1_000


@pytest.mark.released
def test_kafkas_quorum_tool_waits_for_the_next_leader(
    cluster: BlockingCluster, tmp_path: Path
) -> None:
    cluster.controllers.kill(cluster.quorum.leader()["leaderId"])

    with released_tools(NEWEST_WITH_TOOLS, tmp_path) as tools:
        printed = tools.run(
            MAIN_CLASSES["metadata-quorum"],
            ("--bootstrap-server", cluster.bootstrap_servers, "describe", "--status"),
        )

    assert printed.exit_code == 0, printed.stderr
    assert f"LeaderId:               {cluster.quorum.leader()['leaderId']}" in printed.stdout
