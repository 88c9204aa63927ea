"""A cluster that is reset between two tests is a new one at the old addresses."""

import asyncio

import pytest

from kraftsim import Cluster
from kraftsim.errors import CommandError
from tests.kraftsim.conftest import Http
from tests.kraftsim.loop_passes import others_run


def story(kraft: Cluster) -> list[tuple[int, str, str]]:
    return [(row.t_us, row.node, row.kind) for row in kraft.world.journal.since(0)]


async def test_a_reset_cluster_repeats_its_start(kraft: Cluster) -> None:
    began, brokers = story(kraft), await kraft.brokers.list()
    await kraft.topics.create("orders", partitions=3, replication_factor=3)
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")

    reset = await kraft.reset()

    assert (story(kraft), await kraft.brokers.list()) == (began, brokers)
    assert await kraft.topics.list() == []
    assert (reset["generation"], reset["clusterId"]) == (1, kraft.cluster_id)


async def test_another_seed_gives_another_cluster(kraft: Cluster) -> None:
    before = (await kraft.brokers.show(1))["incarnationId"]

    assert (await kraft.reset(seed=2))["seed"] == 2

    assert (await kraft.brokers.show(1))["incarnationId"] != before


async def test_a_wait_of_the_previous_test_ends_with_an_error(kraft: Cluster) -> None:
    await kraft.clock.pause()
    waiting = asyncio.ensure_future(kraft.wait(1, "fenced"))
    await others_run()

    await kraft.reset()

    with pytest.raises(CommandError, match="was closed, reset or restored while this call waited"):
        await waiting
    assert (await kraft.clock.show())["paused"] is False


async def test_addresses_outlive_a_reset_and_connections_do_not() -> None:
    async with Cluster(brokers=2, seed=1, clock="auto", kafka_port=0, controller_port=0) as kraft:
        addresses = kraft.bootstrap_servers, kraft.bootstrap_controllers
        host, port = addresses[0].split(",")[0].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        await kraft.brokers.add()
        await kraft.brokers.kill(1)

        await kraft.reset()

        assert (kraft.bootstrap_servers, kraft.bootstrap_controllers) == addresses
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        writer.close()
        _, again = await asyncio.open_connection(host, int(port))
        again.close()
        await again.wait_closed()


async def test_a_late_call_of_the_previous_generation_is_refused(http: Http) -> None:
    headers = {"Kraftsim-Generation": "0"}
    async with http.session.get(http.url + "/v1/brokers", headers=headers) as response:
        assert (response.status, response.headers["Kraftsim-Generation"]) == (200, "0")
    assert (await http.post("/sim/reset", {})).document["generation"] == 1

    async with http.session.get(http.url + "/v1/brokers", headers=headers) as response:
        document = await response.json()
    assert (response.status, document["error"]) == (409, "STALE_GENERATION")
    assert document["message"] == (
        "Kraftsim-Generation: expected 1, got '0': the cluster was reset since; a call of an "
        "earlier test came late"
    )


async def test_the_metrics_are_those_of_the_new_cluster(http: Http, kraft: Cluster) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")
    await kraft.reset()

    async with http.session.get(http.url + "/metrics") as response:
        text = await response.text()
    assert 'fencedbrokercount{node_id="3000"} 0.0' in text


async def test_two_resets_at_once_leave_one_cluster(kraft: Cluster) -> None:
    results = await asyncio.gather(kraft.reset(), kraft.reset(), return_exceptions=True)

    assert kraft.generation == 2
    assert any(isinstance(result, dict) for result in results)
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")


async def test_a_cluster_that_does_not_run_is_not_reset() -> None:
    with pytest.raises(CommandError, match="the cluster is not started"):
        await Cluster().reset()
