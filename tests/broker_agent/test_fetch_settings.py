"""Settings of a broker's fetches say how long they wait, and when they are tried again."""

import pytest

from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, Cluster
from tests.worlds import pass_time, world_of


@pytest.mark.parametrize(("wait_ms", "is_told"), [(100, True), (500, False)])
def test_replica_fetch_wait_max_ms_says_how_long_a_fetch_waits_without_a_batch(
    wait_ms: int, is_told: bool
) -> None:
    cluster = Cluster(world=world_of(3, replica_fetch_wait_max_ms=wait_ms))
    cluster.world.network.delay_us = lambda: 10_000
    cluster.write(b"a", acks=ALL)

    pass_time(cluster.world, 0.2)

    assert cluster.log(LEADER).high_watermark == 1
    assert (cluster.log(FOLLOWER).high_watermark == 1) == is_told


@pytest.mark.parametrize(("backoff_ms", "is_back"), [(1_000, True), (60_000, False)])
def test_replica_fetch_backoff_ms_says_when_a_follower_tries_again(
    backoff_ms: int, is_back: bool
) -> None:
    cluster = Cluster(world=world_of(3, replica_fetch_backoff_ms=backoff_ms))
    cluster.cut(FOLLOWER)
    cluster.write(b"a")
    pass_time(cluster.world, 1.5 * LAG_S + 1)
    assert cluster.isr() == (LEADER,)

    cluster.world.network.heal()
    pass_time(cluster.world, 3)

    assert (cluster.isr() == (LEADER, FOLLOWER)) == is_back
