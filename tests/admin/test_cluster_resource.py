"""A client tells the id of the cluster that it talks to, and warns of another one (KIP-78)."""

import pytest

from kraftsim import Cluster
from kraftsim.admin import Admin, ClusterResource
from kraftsim.controller.core.rpc import DescribeClusterResponse
from tests.admin.scripted import once, scripted

pytestmark = pytest.mark.realtime

FIRST, SECOND = "kraftsimTestCluster001", "kraftsimTestCluster002"


@pytest.mark.rule("6.7")
async def test_the_listener_gets_the_cluster_of_every_description() -> None:
    seen: list[ClusterResource] = []
    async with (
        Cluster(
            brokers=1, clock="auto", cluster_id=FIRST, kafka_port=0, controller_port=0
        ) as kraft,
        Admin(
            kraft.bootstrap_servers,
            bootstrap_controllers=kraft.bootstrap_controllers,
            cluster_listener=seen.append,
        ) as admin,
    ):
        assert seen == []
        await admin.describe_cluster()
        await admin.describe_controllers()

    assert [ClusterResource(FIRST)] * 2 == seen


@pytest.mark.parametrize(
    ("first", "then", "texts"),
    [
        (FIRST, FIRST, ["cluster id: kraftsimTestCluster001"]),
        (
            FIRST,
            SECOND,
            [
                "cluster id: kraftsimTestCluster001",
                "the cluster id changed from kraftsimTestCluster001 to kraftsimTestCluster002: "
                "the addresses lead to another cluster",
            ],
        ),
        (
            "",
            FIRST,
            [
                "the server sent no cluster id: it is probably older than Kafka 0.10.1",
                "cluster id: kraftsimTestCluster001",
            ],
        ),
    ],
)
async def test_an_id_that_is_new_is_logged_and_a_change_is_a_warning(
    caplog: pytest.LogCaptureFixture, first: str, then: str, texts: list[str]
) -> None:
    caplog.set_level("INFO", "kraftsim.admin")
    answers = once(
        DescribeClusterResponse(cluster_id=first), DescribeClusterResponse(cluster_id=then)
    )
    async with scripted(answers) as server, Admin(server.address) as admin:
        for _ in range(3):
            await admin.describe_cluster()

    assert texts == caplog.messages
