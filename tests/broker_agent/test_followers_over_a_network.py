"""Followers that fetch over a network that takes its time, and from other processes."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, Cluster
from tests.broker_agent.test_other_replicas import fetched
from tests.worlds import pass_time


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


# A network that takes its time


@pytest.fixture
def slow(cluster: Cluster) -> Cluster:
    """Each message takes 10 ms."""
    cluster.world.network.delay_us = lambda: 10_000
    return cluster


@pytest.mark.rule("B2.40", "B5.20", "B5.21")
def test_a_write_waits_for_a_round_trip_and_a_follower_learns_of_it_with_its_next_fetch(
    slow: Cluster,
) -> None:
    """As 4.3.1: the high watermark of idle followers is 0 after 50 ms, and 1 within 650 ms."""
    result = slow.write(b"a", acks=ALL)

    pass_time(slow.world, 0.015)
    assert (slow.log(FOLLOWER).end_offset, result) == (1, [])
    pass_time(slow.world, 0.01)
    assert [of.error_code for of in result] == [0]
    assert (slow.log(LEADER).high_watermark, slow.log(FOLLOWER).high_watermark) == (1, 0)
    pass_time(slow.world, 0.6)
    assert slow.log(FOLLOWER).high_watermark == 1


def test_what_is_under_way_to_a_follower_of_another_leader_is_dropped(slow: Cluster) -> None:
    slow.write(b"a", acks=ALL)
    pass_time(slow.world, 1)
    slow.write(b"b")
    slow.cut(FOLLOWER)

    pass_time(slow.world, 0.1)

    assert slow.log(FOLLOWER).end_offset == 1
    assert slow.log(LEADER).high_watermark == 1


def test_batches_that_are_written_meanwhile_go_with_the_next_fetch(slow: Cluster) -> None:
    results = [slow.write(b"%d" % number, acks=ALL) for number in range(5)]

    pass_time(slow.world, 0.015)
    assert slow.log(FOLLOWER).end_offset == 1
    pass_time(slow.world, 0.04)

    assert slow.log(FOLLOWER).batches == slow.log(LEADER).batches
    assert [of.error_code for (of,) in results] == [0] * 5


# A follower in another process, which fetches by itself


@pytest.fixture
def apart(cluster: Cluster) -> Cluster:
    """The leader does not have the process of its follower."""
    cluster.world.agents[LEADER].peer = lambda broker_id: None
    return cluster


def fetch(cluster: Cluster, offset: int) -> int:
    """Returns the high watermark of the reply to a Fetch of the follower."""
    response = fetched(cluster.messages[LEADER], cluster.world, 18, offset, replica_id=2)
    return int(response.responses[0].partitions[0].high_watermark)


def fetched_bytes(cluster: Cluster, offset: int) -> int:
    """Returns how many bytes a Fetch of the follower gets."""
    response = fetched(cluster.messages[LEADER], cluster.world, 18, offset, replica_id=2)
    return len(response.responses[0].partitions[0].records or b"")


@pytest.mark.rule("B5.21", "B6.20")
def test_a_fetch_of_a_follower_acknowledges_what_is_below_it(apart: Cluster) -> None:
    fetch(apart, 0)

    result = apart.write(b"a", acks=ALL)
    assert result == []
    assert fetch(apart, 0) == 0
    assert result == []
    assert fetch(apart, 1) == 0  # as before it was counted
    assert [of.error_code for of in result] == [0]
    assert fetch(apart, 1) == 1


@pytest.mark.rule("B6.21")
def test_a_follower_that_is_always_a_batch_behind_stays_in_the_isr(apart: Cluster) -> None:
    fetch(apart, 0)
    for number in range(20):
        apart.write(b"a")
        fetch(apart, number)
        pass_time(apart.world, LAG_S / 5)

    assert apart.isr() == (LEADER, FOLLOWER)


@pytest.mark.rule("B6.10", "B6.23")
def test_a_follower_that_stops_to_fetch_leaves_and_one_that_goes_on_returns(
    apart: Cluster,
) -> None:
    fetch(apart, 0)
    apart.write(b"a")
    pass_time(apart.world, 1.5 * LAG_S + 1)
    assert apart.isr() == (LEADER,)
    assert apart.log(LEADER).high_watermark == 1

    fetch(apart, 0)
    pass_time(apart.world, 5)
    assert apart.isr() == (LEADER,)
    fetch(apart, 1)
    pass_time(apart.world, 5)
    assert apart.isr() == (LEADER, FOLLOWER)


@pytest.mark.rule("B5.50")
def test_a_leader_throttles_a_follower_that_is_not_in_the_isr(apart: Cluster) -> None:
    fetch(apart, 0)
    for _ in range(2):
        apart.write(bytes(500))
    pass_time(apart.world, 1.5 * LAG_S + 1)
    assert apart.isr() == (LEADER,)
    apart.configure("leader.replication.throttled.replicas", "0:1")
    apart.configure_broker(LEADER, "leader.replication.throttled.rate", "1")

    assert fetched_bytes(apart, 0) > 0
    assert fetched_bytes(apart, 1) == 0
    pass_time(apart.world, 15)  # nothing of the window is left
    assert fetched_bytes(apart, 1) > 0


@pytest.mark.rule("B5.45")
def test_a_fetch_of_a_former_process_is_refused(apart: Cluster) -> None:
    """As 4.3.1: epoch 1 instead of the registered one is answered 6."""
    registered = apart.world.committed.brokers[FOLLOWER].broker_epoch

    codes = [
        fetched(apart.messages[LEADER], apart.world, 18, 0, replica_id=2, replica_epoch=epoch)
        .responses[0]
        .partitions[0]
        .error_code
        for epoch in (-1, registered, registered - 1)
    ]

    assert codes == [0, 0, ErrorCode.NOT_LEADER_OR_FOLLOWER]
