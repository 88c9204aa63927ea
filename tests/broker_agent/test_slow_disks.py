"""Brokers whose disks take some time for a write, or end none."""

import pytest

from kraftsim.broker_agent.process_state import ProcessState
from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, ONE, Cluster
from tests.scenarios.request_worlds import begin
from tests.worlds import pass_time

LATENCY_S = 2


@pytest.fixture
def cluster() -> Cluster:
    cluster = Cluster()
    cluster.write(b"before")
    return cluster


def slow_down(cluster: Cluster, broker_id: int, latency_s: float = LATENCY_S) -> None:
    cluster.world.agents[broker_id].disk.latency_us = lambda: int(latency_s * 1_000_000)


def mend(cluster: Cluster, broker_id: int) -> None:
    cluster.world.agents[broker_id].disk.latency_us = None


def end(cluster: Cluster, broker_id: int) -> int:
    return cluster.log(broker_id).end_offset


def test_a_record_is_in_the_log_once_a_slow_disk_has_written_it(cluster: Cluster) -> None:
    slow_down(cluster, LEADER)

    result = cluster.write(b"a", acks=ONE)
    pass_time(cluster.world, LATENCY_S - 0.1)
    assert (result, end(cluster, LEADER)) == ([], 1)
    pass_time(cluster.world, 0.2)

    assert [of.error_code for of in result] == [0]
    assert (end(cluster, LEADER), end(cluster, FOLLOWER)) == (2, 2)


def test_writes_end_in_the_order_in_which_they_began(cluster: Cluster) -> None:
    slow_down(cluster, LEADER)
    first = cluster.write(b"a")
    mend(cluster, LEADER)
    second = cluster.write(b"b")
    assert (first, second) == ([], [])

    pass_time(cluster.world, LATENCY_S + 0.1)
    assert [of.base_offset for of in (*first, *second)] == [1, 2]
    assert [of.base_offset for of in cluster.write(b"c")] == [3]


@pytest.mark.rule("B2.40", "B6.30")
def test_all_replicas_acknowledge_once_the_slow_disk_of_a_follower_has_written(
    cluster: Cluster,
) -> None:
    slow_down(cluster, FOLLOWER)

    one, everybody = cluster.write(b"a", acks=ONE), cluster.write(b"b", acks=ALL)
    assert ([of.error_code for of in one], everybody) == ([0], [])
    assert cluster.log(LEADER).high_watermark == 1
    pass_time(cluster.world, 3 * LATENCY_S)

    assert [of.error_code for of in everybody] == [0]
    assert cluster.log(LEADER).high_watermark == end(cluster, FOLLOWER) == 3
    assert cluster.isr() == (LEADER, FOLLOWER)


@pytest.mark.rule("B6.10", "B6.11")
def test_a_follower_whose_disk_stalls_leaves_the_isr_and_returns(cluster: Cluster) -> None:
    disk = cluster.world.agents[FOLLOWER].disk
    disk.stall()
    everybody = cluster.write(b"a", acks=ALL)
    pass_time(cluster.world, 2 * LAG_S)
    assert cluster.isr() == (LEADER,)
    assert [of.error_code for of in everybody] == [0]
    assert end(cluster, FOLLOWER) == 1

    disk.go_on()
    pass_time(cluster.world, 5)

    assert cluster.isr() == (LEADER, FOLLOWER)
    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


def test_a_leader_whose_disk_stalls_answers_at_its_end(cluster: Cluster) -> None:
    disk = cluster.world.agents[LEADER].disk
    disk.stall()
    disk.stall()
    results = [cluster.write(b"%d" % number, acks=ALL) for number in range(3)]
    disk.go_on()
    pass_time(cluster.world, LAG_S)
    assert results == [[], [], []]

    disk.go_on()

    assert [of.base_offset for (of,) in results] == [1, 2, 3]
    assert disk.delayed == 3


def test_a_killed_process_has_not_written_what_its_disk_delayed(cluster: Cluster) -> None:
    slow_down(cluster, LEADER)
    process = cluster.world.agents[LEADER]
    result = cluster.write(b"a")
    process.kill()
    process.start()
    pass_time(cluster.world, LAG_S)

    assert result == []
    assert end(cluster, LEADER) == 1


def test_a_paused_process_answers_once_it_is_resumed(cluster: Cluster) -> None:
    slow_down(cluster, LEADER)
    process = cluster.world.agents[LEADER]
    result = cluster.write(b"a")
    process.pause()
    pass_time(cluster.world, 2 * LATENCY_S)
    assert (result, process.state) == ([], ProcessState.PAUSED)

    process.resume()

    assert [of.error_code for of in result] == [0]


@pytest.mark.parametrize(
    ("verb", "words"),
    [("disk.slow", {"low": "2s", "high": "2s"}), ("disk.stall", {})],
    ids=["slow", "stalled"],
)
def test_a_fault_of_a_brokers_disks_counts_the_writes_that_it_delays(
    cluster: Cluster, verb: str, words: dict[str, str]
) -> None:
    _, fault = begin(cluster.world, verb, {"on": LEADER, **words})
    first = cluster.write(b"a")
    pass_time(cluster.world, LATENCY_S / 2)
    assert (first, fault.effects()) == ([], 1)

    fault.lift()
    pass_time(cluster.world, LATENCY_S)
    second = cluster.write(b"b")

    assert [of.base_offset for of in (*first, *second)] == [1, 2]
    assert fault.effects() == 1
