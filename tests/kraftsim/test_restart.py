"""A restart that waits ends with the new process: its start time is registered and unfenced."""

from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.errors import TIMED_OUT
from tests.kraftsim.conftest import Http, Service


async def test_a_restart_that_waits_ends_with_the_new_start_time(kraft: Cluster) -> None:
    before = await kraft.brokers.show(2)

    await kraft.brokers.restart(2, wait="30s")

    after = await kraft.brokers.show(2)
    assert before["startTimeMs"] < after["startTimeMs"]
    assert before["incarnationId"] != after["incarnationId"]
    assert not after["fenced"]
    assert "RUNNING" in kraft.brokers.states_of(2)


async def test_a_restart_that_does_not_wait_still_shows_the_former_process(kraft: Cluster) -> None:
    before = await kraft.brokers.show(2)

    await kraft.brokers.restart(2)

    assert before["incarnationId"] == (await kraft.brokers.show(2))["incarnationId"]


async def test_a_broker_that_does_not_come_back_is_named_with_its_states(kraft: Cluster) -> None:
    await kraft.brokers.mute(2)

    with pytest.raises(TimeoutError, match=r"broker 2 unfenced with its new start time.*STARTING"):
        await kraft.brokers.restart(2, wait="5s")


async def test_http_waits_too_and_answers_504_in_vain(kraft: Cluster, http: Http) -> None:
    assert (await http.post("/sim/brokers/1/restart", {"wait": "30s"})).status == 200
    await kraft.brokers.mute(1)

    assert (await http.post("/sim/brokers/1/restart", {"wait": "1s"})).status == 504
    assert (await http.post("/sim/brokers/1/restart", {"wait": "soon"})).status == 400


@pytest.mark.realtime
def test_the_command_line_restarts_broker_after_broker(run: Any) -> None:
    service = Service(brokers=3)
    url = service.kraft.http_url
    try:
        started = {broker["brokerId"]: broker["startTimeMs"] for broker in brokers(service)}
        for broker_id in started:
            assert (0, "") == run(f"broker restart {broker_id} --wait --url {url}")[::2]
            (found,) = (now for now in brokers(service) if now["brokerId"] == broker_id)
            assert (True, False) == (found["startTimeMs"] > started[broker_id], found["fenced"])
        service.do(service.kraft.brokers.mute(1))
        assert TIMED_OUT == run(f"broker restart 1 --wait 1s --url {url}")[0]
    finally:
        service.close()


def brokers(service: Service) -> list[Any]:
    found: list[Any] = []

    async def read() -> None:
        found.extend(await service.kraft.brokers.list())

    service.do(read())
    return found
