"""`broker show` names what an outage of the broker would cost, by the committed ISRs."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim import Cluster
from tests.kraftsim.conftest import Http, Service


async def outage(kraft: Cluster, broker_id: int) -> Any:
    return (await kraft.brokers.show(broker_id))["outage"]


def costs(replicas: int, leaderless: list[str], under_min_isr: list[str]) -> Any:
    return {
        "replicas": replicas,
        "leaderlessWithout": leaderless,
        "underMinIsrWithout": under_min_isr,
    }


async def test_an_outage_costs_what_no_other_member_of_the_isr_can_take_over() -> None:
    async with Cluster(brokers=4, clock="virtual", seed=1) as kraft:
        config = {"min.insync.replicas": 2}
        await kraft.topics.create("orders", assignments=[[1, 2, 3], [2, 3, 1]], config=config)
        await kraft.topics.create("alone", assignments=[[2], [1]])
        assert await outage(kraft, 2) == costs(3, ["alone-0"], [])
        assert await outage(kraft, 3) == costs(2, [], [])

        await kraft.brokers.kill(3)
        await kraft.wait(3, "fenced")

        assert await outage(kraft, 2) == costs(3, ["alone-0"], ["orders-0", "orders-1"])
        assert await outage(kraft, 3) == costs(2, [], [])
        assert await outage(kraft, 4) == costs(0, [], [])

        await kraft.configs.set("broker", "default", {"min.insync.replicas": 3})
        assert await outage(kraft, 3) == costs(2, [], []), "the topic has its own"


async def test_min_isr_is_at_most_the_number_of_replicas() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1, 2]], config={"min.insync.replicas": 5})

        assert await outage(kraft, 1) == costs(1, [], ["orders-0"])


async def test_a_partition_that_has_no_leader_needs_each_of_its_brokers() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1, 2]])
        for broker_id in (1, 2):
            await kraft.brokers.kill(broker_id)
            await kraft.wait(broker_id, "fenced")

        assert await outage(kraft, 1) == costs(1, ["orders-0"], [])
        assert await outage(kraft, 2) == costs(1, ["orders-0"], [])


async def test_http_shows_the_outage_of_one_broker_and_of_none_in_a_list(
    http: Http, kraft: Cluster
) -> None:
    await kraft.topics.create("orders", assignments=[[1, 2]])

    assert (await http.get("/v1/brokers/1")).document["outage"] == await outage(kraft, 1)
    listed = (await http.get("/v1/brokers")).document["brokers"]
    assert [broker for broker in listed if "outage" in broker] == []


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service(brokers=2)
    yield service
    service.close()


def test_the_command_line_shows_the_outage(
    service: Service, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.do(service.kraft.topics.create("orders", assignments=[[2], [1]]))
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)

    shown = run("broker show 2")[1]

    assert json.loads(run("broker show 2 --json")[1])["outage"] == costs(1, ["orders-0"], [])
    assert shown.endswith(
        "outage:\n  replicas: 1\n  leaderlessWithout: orders-0\n  underMinIsrWithout: \n"
    )
