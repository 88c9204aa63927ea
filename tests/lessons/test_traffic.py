"""The traffic of a running cluster: each message once, with what held or lost it."""

from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.errors import UsageError
from kraftsim.lessons import traffic
from kraftsim.lessons.documents import TrafficScene


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        yield kraft


async def traffic_of(kraft: Cluster, number: int = 0) -> TrafficScene:
    shown = (await kraft.scene(from_=number))["traffic"]
    assert shown is not None
    return shown


async def test_a_message_is_shown_once_from_the_first_look_on(kraft: Cluster) -> None:
    assert (await kraft.scene())["traffic"] is None
    first = await traffic_of(kraft)
    assert (first["messages"], first["next"]) == ([], 0)

    await kraft.clock.advance("5s")
    second = await traffic_of(kraft, first["next"])
    heartbeats = [each for each in second["messages"] if each["api"] == "BrokerHeartbeat"]
    ways = {(each["sender"], each["receiver"], each["isReply"]) for each in heartbeats}
    assert ways == {(1, 3000, False), (3000, 1, True), (2, 3000, False), (3000, 2, True)}
    assert sum(second["counts"].values()) == second["next"]

    third = await traffic_of(kraft, second["next"])
    assert third["messages"] == []


async def test_a_lost_message_names_its_fault_and_a_held_one_stays_under_way(
    kraft: Cluster,
) -> None:
    await traffic_of(kraft)
    await kraft.faults.add({"net.partition": {"from": 1, "to": "controllers"}, "id": "cut"})
    hold = {"api": "BrokerHeartbeat", "broker": 2}
    barrier = await kraft.faults.add({"rpc.hold": hold, "id": "barrier"})

    await kraft.clock.advance("3s")
    shown = await traffic_of(kraft)
    lost = {(each["sender"], each["fault"]) for each in shown["messages"] if each["isLost"]}
    held = {(each["sender"], each["fault"]) for each in shown["underWay"] if each["fault"]}
    assert lost == {(1, "cut")}
    assert held == {(2, "barrier")}

    await barrier.release()
    shown = await traffic_of(kraft, shown["next"])
    assert [each["sender"] for each in shown["messages"] if each["fault"] == "barrier"] == [2]
    assert not any(each["fault"] for each in shown["underWay"])


async def test_nobody_looks_after_so_many_messages_that_were_not_read(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic, "UNREAD_MAX", 10)
    await traffic_of(kraft)

    await kraft.clock.advance("1m")
    shown = await traffic_of(kraft)
    assert shown["next"] == 11
    assert kraft.world.network.departed  # looks again

    await kraft.reset()
    assert (await traffic_of(kraft, shown["next"]))["next"] == 0


async def test_a_negative_number_is_refused(kraft: Cluster) -> None:
    with pytest.raises(UsageError):
        await kraft.scene(from_=-1)
