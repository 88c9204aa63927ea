"""Followers that copy reply by reply: throttled and slow ones, and those about to join an ISR."""

from dataclasses import replace

import pytest

from kraftsim.broker_agent.replication.followers import SlowFetcher
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, OTHER, Cluster
from tests.worlds import ask, create_topic, partition, pass_time

VALUE = bytes(100_000)
BATCHES = 20
LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def reassign(cluster: Cluster, *replicas: int) -> None:
    moved = ReassignablePartition(partition_index=0, replicas=replicas)
    topic = ReassignableTopic(name="t", partitions=(moved,))
    ask(cluster.world, AlterPartitionReassignmentsRequest(topics=(topic,)))


def fill(cluster: Cluster, batches: int = BATCHES) -> None:
    for _ in range(batches):
        cluster.write(VALUE)


def slow_down(cluster: Cluster, broker_id: int, bytes_per_second: int) -> None:
    fetcher = SlowFetcher(None, None, bytes_per_second)
    cluster.world.agents[broker_id].fetcher_faults.slow.append(fetcher)


def write_file(cluster: Cluster, broker_id: int, name: str, value: int) -> None:
    agent = cluster.world.agents[broker_id].agent
    agent.config = replace(agent.config, static={**agent.config.static, name: str(value)})


# Throttles (KIP-73)


@pytest.mark.rule("B5.50", "B5.51", "B5.52")
@pytest.mark.parametrize(
    ("side", "broker_id", "is_idle_beside", "copied"),
    [
        (0, LEADER, True, {1: 30, 10: 30, 14: 60}),
        (0, LEADER, False, {1: 10, 7: 20, 18: 40, 25: 60}),
        (1, OTHER, True, {1: 10, 7: 20, 12: 30, 17: 40, 23: 60}),
    ],
    ids=["at a leader of followers", "at a leader of none", "at the follower"],
)
def test_a_throttled_reassignment_takes_the_time_of_its_bytes(
    side: int, broker_id: int, is_idle_beside: bool, copied: dict[int, int]
) -> None:
    """As 4.3.1: a window of 11 seconds, if it is old, lets 3 MB pass at once at 200 kB/s."""
    cluster = Cluster(replicas=(LEADER,))
    if is_idle_beside:
        create_topic(cluster.world, "idle", (LEADER, FOLLOWER))
    fill(cluster, 60)
    cluster.configure(LISTS[side], f"0:{broker_id}")
    cluster.configure_broker(broker_id, RATES[side], "200000")
    pass_time(cluster.world, 15)

    reassign(cluster, LEADER, OTHER)
    ends, passed_s = {}, 0
    for at_s in copied:
        pass_time(cluster.world, at_s - passed_s)
        ends[at_s], passed_s = cluster.log(OTHER).end_offset, at_s

    assert ends == copied
    assert cluster.isr() == (LEADER, OTHER)


@pytest.mark.rule("B5.50", "B5.51")
def test_replicas_in_sync_are_not_throttled(cluster: Cluster) -> None:
    for name in LISTS:
        cluster.configure(name, "*")
    for broker_id, name in ((LEADER, RATES[0]), (FOLLOWER, RATES[1])):
        cluster.configure_broker(broker_id, name, "1")

    for _ in range(BATCHES):
        result = cluster.write(VALUE, acks=ALL)
        pass_time(cluster.world, 0.001)
        assert [of.error_code for of in result] == [0]

    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


@pytest.mark.rule("B5.52")
def test_what_replicas_in_sync_fetch_counts_against_the_rate_of_the_others(
    cluster: Cluster,
) -> None:
    fill(cluster)
    cluster.configure(LISTS[0], "*")
    cluster.configure_broker(LEADER, RATES[0], "100000")
    fill(cluster)  # the follower takes 2 MB at once

    reassign(cluster, LEADER, FOLLOWER, OTHER)
    pass_time(cluster.world, 8)
    assert cluster.log(OTHER).end_offset == 0
    pass_time(cluster.world, 60)
    assert cluster.isr() == (LEADER, FOLLOWER, OTHER)


@pytest.mark.rule("B5.50")
def test_a_list_without_a_rate_throttles_nothing(cluster: Cluster) -> None:
    fill(cluster)
    for name in LISTS:
        cluster.configure(name, "*")

    reassign(cluster, LEADER, FOLLOWER, OTHER)
    pass_time(cluster.world, 2)

    assert cluster.isr() == (LEADER, FOLLOWER, OTHER)


def test_a_property_file_sets_the_window_of_a_throttle_and_the_size_of_a_reply() -> None:
    cluster = Cluster(replicas=(LEADER,))
    create_topic(cluster.world, "idle", (LEADER, FOLLOWER))
    write_file(cluster, LEADER, "replication.quota.window.num", 2)
    write_file(cluster, LEADER, "replication.quota.window.size.seconds", 2)
    write_file(cluster, OTHER, "replica.fetch.max.bytes", 300_000)
    fill(cluster)
    cluster.configure(LISTS[0], "*")
    cluster.configure_broker(LEADER, RATES[0], "100000")
    pass_time(cluster.world, 15)

    reassign(cluster, LEADER, OTHER)
    pass_time(cluster.world, 1)

    assert cluster.log(OTHER).end_offset == 4  # in replies of 2 batches, one beyond 4 s at the rate


# Slow followers


def test_a_reassignment_to_a_slow_broker_is_over_when_it_has_copied_everything(
    cluster: Cluster,
) -> None:
    fill(cluster)
    slow_down(cluster, OTHER, 100_000)

    reassign(cluster, LEADER, OTHER)
    pass_time(cluster.world, 15)
    assert partition(cluster.world, "t").adding_replicas == (OTHER,)
    assert 0 < cluster.log(OTHER).end_offset < BATCHES  # it comes in replies of at most 1 MiB
    pass_time(cluster.world, 10)

    assert partition(cluster.world, "t").replicas == (LEADER, OTHER)
    assert partition(cluster.world, "t").adding_replicas == ()


@pytest.mark.rule("B6.11")
def test_a_follower_that_is_slower_than_the_producer_leaves_the_isr_and_returns(
    cluster: Cluster,
) -> None:
    slow_down(cluster, FOLLOWER, 10_000)
    for _ in range(2 * LAG_S):
        cluster.write(bytes(20_000))
        pass_time(cluster.world, 1)
    assert cluster.isr() == (LEADER,)

    cluster.world.agents[FOLLOWER].fetcher_faults.slow.clear()
    pass_time(cluster.world, 2 * LAG_S)  # a reply that is under way is slow to its end
    assert cluster.isr() == (LEADER, FOLLOWER)


def test_a_slow_follower_that_keeps_up_stays_in_the_isr(cluster: Cluster) -> None:
    slow_down(cluster, FOLLOWER, 100_000)
    for _ in range(60):
        result = cluster.write(bytes(20_000), acks=ALL)
        pass_time(cluster.world, 1)
        assert [of.error_code for of in result] == [0]

    assert cluster.isr() == (LEADER, FOLLOWER)


# About to join


@pytest.mark.rule("B6.31")
def test_a_follower_that_is_about_to_join_holds_the_high_watermark(cluster: Cluster) -> None:
    cluster.world.network.delay_us = lambda: 10_000
    cluster.write(b"a")
    pass_time(cluster.world, 1)
    reassign(cluster, LEADER, FOLLOWER, OTHER)
    while OTHER not in cluster.isr():  # a write every millisecond: it never has everything
        cluster.write(b"b")
        pass_time(cluster.world, 0.001)

    assert cluster.log(LEADER).high_watermark <= cluster.log(OTHER).end_offset


@pytest.mark.rule("B6.24", "B6.30")
def test_a_follower_that_joins_at_the_high_watermark_holds_it_and_may_drop_out_again(
    cluster: Cluster,
) -> None:
    """As KAFKA-19996 reports of Kafka: it lifts the ISR to its minimum, far behind the end."""
    cluster.configure("min.insync.replicas", "2")
    cluster.world.agents[FOLLOWER].kill()
    pass_time(cluster.world, 15)
    fill(cluster)
    assert cluster.log(LEADER).high_watermark == 0
    slow_down(cluster, FOLLOWER, 20_000)
    cluster.world.agents[FOLLOWER].start()

    while FOLLOWER not in cluster.isr():
        pass_time(cluster.world, 0.1)
    assert cluster.log(FOLLOWER).end_offset < BATCHES
    assert cluster.log(LEADER).high_watermark <= cluster.log(FOLLOWER).end_offset
    pass_time(cluster.world, 120)

    assert cluster.isr() == (LEADER, FOLLOWER)
    assert cluster.log(LEADER).high_watermark == BATCHES


@pytest.mark.rule("B6.23")
def test_what_an_earlier_process_has_fetched_brings_no_follower_into_the_isr(
    cluster: Cluster,
) -> None:
    cluster.world.network.delay_us = lambda: 10_000
    fill(cluster)
    pass_time(cluster.world, 2)
    process = cluster.world.agents[FOLLOWER]
    process.kill()
    pass_time(cluster.world, 15)
    assert cluster.isr() == (LEADER,)
    process.lose_disk()
    slow_down(cluster, FOLLOWER, 100_000)

    process.start()
    pass_time(cluster.world, 8)
    assert cluster.isr() == (LEADER,)
    pass_time(cluster.world, 30)

    assert cluster.isr() == (LEADER, FOLLOWER)
    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


def test_a_reply_to_an_earlier_process_keeps_no_later_one_waiting(cluster: Cluster) -> None:
    cluster.world.network.delay_us = lambda: 10_000
    slow_down(cluster, FOLLOWER, 1_000)
    cluster.write(bytes(200_000))
    pass_time(cluster.world, 1)
    process = cluster.world.agents[FOLLOWER]
    process.kill()
    process.fetcher_faults.slow.clear()
    process.start()

    pass_time(cluster.world, 30)

    assert cluster.isr() == (LEADER, FOLLOWER)
    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


def test_a_fast_slow_follower_takes_its_time_too(cluster: Cluster) -> None:
    slow_down(cluster, FOLLOWER, 1_500_000)

    result = cluster.write(bytes(900_000), acks=ALL)
    pass_time(cluster.world, 0.5)
    assert result == []
    pass_time(cluster.world, 0.2)

    assert [of.error_code for of in result] == [0]
