"""The clock `skipping`: time passes as real time does, and skips what somebody waits for."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster, simulated_loop
from kraftsim.controller.core.rpc import (
    DescribeQuorumRequest,
    MetadataRequest,
    MetadataRequestTopic,
)
from kraftsim.errors import UsageError
from tests.server.kafka_client import connected

pytestmark = pytest.mark.realtime

TEN_MINUTES_MS = 600_000


@pytest.fixture
async def skipping() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=2, controllers=3, clock="skipping", seed=1, kafka_port=0) as cluster:
        yield cluster


async def now_ms(kraft: Cluster) -> int:
    return (await kraft.clock.show())["nowMs"]


async def runs(kraft: Cluster) -> bool:
    """True once time has passed although nobody waits."""
    before = await now_ms(kraft)
    while await now_ms(kraft) == before:  # noqa: ASYNC110  # nothing tells that time passes
        await asyncio.sleep(0.001)
    return True


async def test_time_passes_while_nobody_waits(skipping: Cluster) -> None:
    shown = await skipping.clock.show()

    assert (shown["clock"], shown["speed"], shown["standsStill"]) == ("skipping", 1.0, None)
    assert await runs(skipping)


async def test_a_wait_skips_the_time_that_it_waits_for_and_time_goes_on(skipping: Cluster) -> None:
    before = await now_ms(skipping)
    await skipping.clock.advance("10m")
    await skipping.clock.sleep("10m")
    await skipping.brokers.kill(2)
    await skipping.wait(broker=2, state="fenced", timeout="10m")

    assert await now_ms(skipping) >= before + 2 * TEN_MINUTES_MS + 9_000
    assert await runs(skipping)


async def test_several_waits_end_each_at_its_time(skipping: Cluster) -> None:
    ends: list[tuple[str, int]] = []

    async def slept(duration: str) -> None:
        await skipping.clock.sleep(duration)
        ends.append((duration, await now_ms(skipping) // TEN_MINUTES_MS))

    await asyncio.gather(*(slept(duration) for duration in ("30m", "10m", "20m")))

    assert ends == [("10m", 1), ("20m", 2), ("30m", 3)]


async def test_a_client_that_waits_for_a_response_skips_time(skipping: Cluster) -> None:
    await skipping.faults.add({"rpc.delay": {"api": "DescribeQuorum", "by": "80s"}})
    before = await now_ms(skipping)
    async with connected(skipping.bootstrap_servers.split(",")[0]) as client:
        client.send(55, 2, DescribeQuorumRequest(topics=()))
        await client.answer(55, 2)

    assert await now_ms(skipping) >= before + 80_000


async def test_a_client_that_repeats_an_error_skips_time(skipping: Cluster) -> None:
    before = await now_ms(skipping)
    asked = MetadataRequest(
        topics=(MetadataRequestTopic(name="orders"),), allow_auto_topic_creation=False
    )
    async with connected(skipping.bootstrap_servers.split(",")[0]) as client:
        for _ in range(60):
            client.send(3, 12, asked)
            await client.answer(3, 12)

    assert await now_ms(skipping) >= before + 30_000


async def test_a_lock_holds_the_jumps_and_time_goes_on(skipping: Cluster) -> None:
    async with skipping.clock.held("worker"):
        waiting = asyncio.ensure_future(skipping.clock.sleep("10m"))
        assert await runs(skipping)
        assert await runs(skipping)
        assert await now_ms(skipping) < TEN_MINUTES_MS
    await waiting

    assert await now_ms(skipping) >= TEN_MINUTES_MS


async def test_it_is_paused_and_resumed(skipping: Cluster) -> None:
    await skipping.clock.pause()
    paused = await now_ms(skipping)
    assert (await skipping.clock.advance("10s"))["nowMs"] == paused + 10_000
    assert await now_ms(skipping) == paused + 10_000

    await skipping.clock.resume()

    assert await runs(skipping)


async def test_it_stands_at_speed_0_and_skips_again_at_another(skipping: Cluster) -> None:
    await skipping.clock.speed(0)
    standing = await now_ms(skipping)
    assert "nobody waits" in str((await skipping.clock.show())["standsStill"])
    assert await now_ms(skipping) == standing

    assert (await skipping.clock.speed(10))["speed"] == 10.0

    await skipping.clock.advance("10m")
    assert await runs(skipping)


async def test_a_restored_cluster_and_one_after_a_reset_skip_too(skipping: Cluster) -> None:
    await skipping.snapshots.save("before")
    await skipping.clock.advance("10m")

    for go_back in (lambda: skipping.snapshots.restore("before"), skipping.reset):
        await go_back()
        assert await now_ms(skipping) < TEN_MINUTES_MS
        await skipping.clock.advance("10m")
        assert await runs(skipping)


async def test_its_wall_clock_stays_behind_real_time_and_its_clients_have_theirs(
    skipping: Cluster,
) -> None:
    await skipping.clock.advance("10m")
    real_ms = time.time_ns() // 1_000_000
    await skipping.topics.create("orders", partitions=1)
    await skipping.topics.write("orders", ["one"])
    (written,) = (await skipping.topics.read("orders"))["records"]

    assert skipping.world.timeline.wall_ms <= time.time_ns() // 1_000_000
    assert written["timestampMs"] >= real_ms


def test_a_simulated_loop_refuses_it() -> None:
    async def main() -> None:
        async with Cluster(clock="skipping"):
            pass

    with pytest.raises(UsageError, match="clock: in a simulated loop expected 'real' or a number"):
        simulated_loop.run(main)
