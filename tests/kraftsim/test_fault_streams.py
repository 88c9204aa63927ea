"""Faults draw from streams of their own: a fault moves no draw of another fault or of a node."""

import asyncio
from collections.abc import Sequence

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.core.rpc import DescribeClusterRequest
from kraftsim.scenarios.document.fault import FAULTS
from kraftsim.simulation.requests.arrival import Arrival
from kraftsim.simulation.streams import Stream, Streams
from tests.kraftsim.fault_words import WORDS

COIN = {"rpc.observe": {"api": "DescribeCluster", "p": 0.5}, "id": "coin"}
PICK = {"proc.pause": {"on": {"pick": 2, "of": "brokers"}, "for": "1s"}}
DRAWN = {"from": "1s", "to": "9s"}


class Silent(Arrival):
    """A request that nobody answers."""

    def submit(self, reply_to: object) -> None:
        pass


def tosses(kraft: Cluster, number: int = 40) -> list[bool]:
    """On which of some requests the fault `coin` acts."""
    coin, seen = kraft._added.handle("coin"), []
    for _ in range(number):
        before = coin.hits
        request = DescribeClusterRequest(endpoint_type=2)
        node = controller_node(3000)
        kraft.world.request_rules.arrive(Silent(request, node, -1, lambda reply: None))
        seen.append(coin.hits > before)
    return seen


def cluster() -> Cluster:
    ports = {"kafka_port": 0, "controller_port": 0}
    return Cluster(brokers=3, controllers=3, clock="virtual", seed=1, **ports)


async def drawn_alone() -> list[bool]:
    async with cluster() as kraft:
        await kraft.faults.add(COIN)
        return tosses(kraft)


@pytest.fixture(scope="module")
def alone() -> list[bool]:
    """On which requests the fault acts if the cluster has no other."""
    return asyncio.run(drawn_alone())


@pytest.mark.slow
@pytest.mark.parametrize("verb", FAULTS)
async def test_a_fault_before_or_after_another_leaves_its_draws_alone(
    verb: str, alone: list[bool]
) -> None:
    other = {verb: WORDS.get(verb, {}), "id": "other"}
    for faults in ([COIN, other], [other, COIN]):
        async with cluster() as kraft:
            for fault in faults:
                await kraft.faults.add(fault)
            if verb == "net.heal" and faults[0] is COIN:
                continue  # it ends the first fault
            await kraft.clock.advance("3s")
            await kraft.faults.remove("other")

            assert tosses(kraft) == alone


class Recorded(Streams):
    """Streams that know which of them were asked for."""

    def __init__(self, seed: int | None) -> None:
        super().__init__(seed)
        self.asked: set[str] = set()

    def _stream(self, name: str) -> Stream:
        self.asked.add(name)
        return super()._stream(name)


@pytest.mark.parametrize("verb", FAULTS)
async def test_a_fault_asks_for_streams_of_its_own_only(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.api.running.lifecycle.Streams", Recorded)
    async with cluster() as kraft:
        streams = kraft.world.streams
        assert isinstance(streams, Recorded)
        streams.asked.clear()
        fault = await kraft.faults.add({verb: WORDS.get(verb, {}), "id": "it"})
        asked = set(streams.asked)
        await fault.remove()

    of_nodes = {name for name in asked if name.startswith(("node/", "disk/", "wipe/"))}
    assert asked - of_nodes <= {"fault/it", "times/it", "selectors/it"}


async def picked(*faults: dict[str, object]) -> Sequence[int]:
    async with cluster() as kraft:
        for fault in faults:
            await kraft.faults.add(fault)
        return (await kraft.faults.show("pick"))["nodes"]


async def test_a_fault_picks_the_same_nodes_beside_another_that_picks() -> None:
    pick = PICK | {"id": "pick"}

    assert await picked(pick) == await picked(PICK | {"id": "other"}, pick)


async def test_a_fault_draws_the_same_time_beside_another_that_draws() -> None:
    async def ends_us(*ids: str) -> int:
        async with cluster() as kraft:
            for fault_id in ids:
                await kraft.faults.add({"proc.pause": {"on": 1, "for": DRAWN}, "id": fault_id})
            await kraft.clock.advance("10s")
            events = (await kraft.faults.show("it"))["events"]
            return next(event["tUs"] for event in events if event["kind"] == "fault_ends")

    assert await ends_us("it") == await ends_us("other", "it") == await ends_us("it", "other")
