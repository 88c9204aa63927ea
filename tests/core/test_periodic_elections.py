"""Leader balancing and the unclean sweep: what an active controller elects without a request."""

import pytest

from kraftsim.controller.core.log.records import RECOVERING, PartitionChangeRecord
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kraftsim.controller.core.state import State
from tests.builders import ControllerUnderTest


def cluster_with(**settings) -> ControllerUnderTest:
    cluster = ControllerUnderTest(KAFKA_4_3, **settings)
    cluster.unfenced(1, 2)
    return cluster


def move_away(cluster, name="t") -> None:
    """The preferred leader 1 comes back into the ISR, where 2 leads now."""
    cluster.created(name, (1, 2))
    cluster.fenced(1)
    cluster.unfenced(1)
    cluster.alter_partition(name, (2, 1))
    assert (2, (2, 1)) == cluster.leadership(name)


@pytest.mark.rule("4.31")
def test_the_preferred_leader_comes_back_within_five_minutes() -> None:
    cluster = cluster_with()
    move_away(cluster)

    cluster.keep_alive(1, 2, during="298s")
    assert cluster.partition("t").leader == 2
    cluster.keep_alive(1, 2, during="4s")

    assert (1, (2, 1)) == cluster.leadership("t")


@pytest.mark.rule("4.31")
def test_balancing_can_be_disabled() -> None:
    cluster = cluster_with(auto_leader_rebalance_enable=False)
    move_away(cluster)

    cluster.keep_alive(1, 2, during="700s")

    assert cluster.partition("t").leader == 2


@pytest.mark.rule("4.31")
def test_balancing_follows_its_interval_also_after_a_failover() -> None:
    cluster = cluster_with(leader_imbalance_check_interval_seconds=10)
    move_away(cluster)

    cluster.fail_over()
    cluster.keep_alive(1, 2, during="12s")

    assert cluster.partition("t").leader == 1


@pytest.mark.rule("4.31")
def test_a_preferred_leader_that_is_out_of_sync_does_not_come_back() -> None:
    cluster = cluster_with(leader_imbalance_check_interval_seconds=10)
    cluster.created("t", (1, 2))
    cluster.fenced(1)
    cluster.unfenced(1)
    mark = cluster.end

    cluster.keep_alive(1, 2, during="30s")

    changes = [r for r in cluster.records_since(mark) if isinstance(r, PartitionChangeRecord)]
    assert (2, []) == (cluster.partition("t").leader, changes)


@pytest.mark.rule("4.31")
def test_a_run_has_a_thousand_elections_and_the_next_follows_soon() -> None:
    cluster = cluster_with(leader_imbalance_check_interval_seconds=60)
    cluster.created("t", *[(1, 2)] * 1001)
    reordered = tuple(
        ReassignablePartition(partition_index=index, replicas=(2, 1)) for index in range(1001)
    )
    topic = ReassignableTopic(name="t", partitions=reordered)
    cluster.accepted(AlterPartitionReassignmentsRequest(topics=(topic,)))
    mark = cluster.end

    cluster.keep_alive(1, 2, during="62s")

    changes = [
        sum(isinstance(record, PartitionChangeRecord) for record in batch.records)
        for batch in cluster.batches_since(mark)
    ]
    assert [1000, 1] == [count for count in changes if count]


@pytest.mark.rule("4.30")
def test_the_unclean_sweep_elects_where_the_topic_allows_it() -> None:
    cluster = cluster_with(unclean_leader_election_interval_ms=20_000)
    state: State = cluster.node.state
    for name in ("safe", "unclean"):
        cluster.created(name, (1, 2))
        cluster.alter_partition(name, (1,))
    cluster.fenced(1)
    state.image.configs[2, "unclean"] = {"unclean.leader.election.enable": "true"}

    cluster.keep_alive(2, during="25s")

    partition = cluster.partition("unclean")
    assert (2, (2,), RECOVERING) == (
        partition.leader,
        partition.isr,
        partition.leader_recovery_state,
    )
    assert cluster.partition("safe").leader == -1
