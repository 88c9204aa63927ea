"""`/metrics`: what Prometheus sees of a cluster."""

import pytest
from aiohttp import ClientSession
from prometheus_client.parser import text_string_to_metric_families

from kraftsim import Cluster
from tests.kraftsim.conftest import CLUSTER_ID, Http

CONTROLLER = "kafka_controller_kafkacontroller_"


async def scraped(http: Http) -> dict[tuple[str, str], float]:
    """The value of each sample, by its name and the value of its label."""
    async with http.session.get(http.url + "/metrics") as response:
        assert response.status == 200
        assert response.headers["Content-Type"].startswith("text/plain")
        text = await response.text()
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_brokers_and_leases_are_seen_as_kafka_names_them(http: Http, kraft: Cluster) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")
    seen = await scraped(http)

    assert seen[CONTROLLER + "activecontrollercount", "3000"] == 1
    assert seen[CONTROLLER + "activebrokercount", "3000"] == 2
    assert seen[CONTROLLER + "fencedbrokercount", "3000"] == 1
    assert seen["kafka_server_raft_metrics_current_leader", "3000"] == 3000
    assert seen["kraftsim_events_total", "broker_fenced"] == 1
    assert 0 < seen["kraftsim_lease_slack_seconds", "1"] <= 9
    assert ("kraftsim_lease_slack_seconds", "2") not in seen


async def test_the_cluster_id_is_a_label_of_the_info_metric(http: Http) -> None:
    assert 1 == (await scraped(http))["kraftsim_cluster_info", CLUSTER_ID]


@pytest.mark.rule("6.7")
async def test_each_running_node_has_the_cluster_id(http: Http, kraft: Cluster) -> None:
    await kraft.brokers.kill(2)
    name = "kafka_server_kafkaserver_clusterid_info"

    async with http.session.get(http.url + "/metrics") as response:
        families = list(text_string_to_metric_families(await response.text()))

    samples = [sample for family in families for sample in family.samples if sample.name == name]
    assert {sample.labels["cluster_id"] for sample in samples} == {CLUSTER_ID}
    assert [sample.labels["node_id"] for sample in samples] == ["1", "3", "3000"]


async def test_a_lease_without_heartbeats_runs_down(http: Http, kraft: Cluster) -> None:
    await kraft.brokers.pause(1)
    before = await scraped(http)
    await kraft.clock.advance("2s")
    after = await scraped(http)

    slack = "kraftsim_lease_slack_seconds", "1"
    assert after[slack] == before[slack] - 2


async def test_faults_are_counted_where_they_hit(http: Http, kraft: Cluster) -> None:
    idle = await scraped(http)
    await kraft.brokers.mute(1)
    await kraft.clock.advance("5s")
    hit = await scraped(http)

    assert idle["kraftsim_faults_armed", "mute"] == 0
    assert hit["kraftsim_faults_armed", "mute"] == 1
    assert hit["kraftsim_messages_stopped_total", ""] > idle["kraftsim_messages_stopped_total", ""]


async def test_a_controller_that_is_dead_has_no_metrics_and_a_standby_has() -> None:
    async with Cluster(brokers=1, controllers=3, clock="virtual", seed=1, http_port=0) as kraft:
        leader = kraft.world.controller.node.config.node_id
        await kraft.controllers.kill(leader)
        await kraft.wait(leader="any")
        async with ClientSession() as session:
            seen = await scraped(Http(session, kraft.http_url))
    counts = {
        node_id: value
        for (name, node_id), value in seen.items()
        if name == CONTROLLER + "activecontrollercount"
    }
    assert sorted(counts.values()) == [0, 1]
    assert str(leader) not in counts
