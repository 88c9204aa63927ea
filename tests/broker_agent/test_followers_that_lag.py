"""Followers that cannot fetch: the ISR, the high watermark, acknowledgements, and what is lost."""

from dataclasses import replace

import pytest

from kraftsim.broker_agent.log.batch import header_of
from kraftsim.broker_agent.log.recovery import Part, damage
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.broker_agent.replication.followers import Followers
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import RECOVERED, RECOVERING
from kraftsim.controller.core.rpc import (
    ElectedTopicPartitions,
    ElectLeadersRequest,
)
from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, OTHER, WAIT_S, Cluster
from tests.worlds import ask, partition, pass_time, world_of


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.mark.rule("B6.10", "B6.11", "B6.14")
def test_a_follower_that_is_cut_off_while_somebody_writes_leaves_the_isr(cluster: Cluster) -> None:
    cluster.cut(FOLLOWER)
    cluster.write(b"a")

    pass_time(cluster.world, LAG_S - 1)
    assert cluster.isr() == (LEADER, FOLLOWER)
    pass_time(cluster.world, LAG_S / 2 + 1)
    assert cluster.isr() == (LEADER,)

    cluster.world.network.heal()
    pass_time(cluster.world, 3)
    assert cluster.isr() == (LEADER, FOLLOWER)
    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


@pytest.mark.rule("B6.10")
def test_replica_lag_time_max_ms_says_how_long_a_follower_may_lag() -> None:
    cluster = Cluster(world=world_of(3, replica_lag_time_max_ms=5_000))
    cluster.cut(FOLLOWER)
    cluster.write(b"a")

    pass_time(cluster.world, 8)  # 4.3.1: after 5.4 to 6.0 s

    assert cluster.isr() == (LEADER,)


@pytest.mark.rule("B6.12")
def test_an_idle_follower_stays_in_the_isr_until_the_next_write(cluster: Cluster) -> None:
    cluster.write(b"a")
    cluster.cut(FOLLOWER)
    pass_time(cluster.world, 10 * LAG_S)
    assert cluster.isr() == (LEADER, FOLLOWER)

    cluster.write(b"b")
    pass_time(cluster.world, LAG_S / 2 + 1)

    assert cluster.isr() == (LEADER,)


@pytest.mark.rule("B2.40", "B6.30")
def test_a_write_waits_for_a_paused_follower_until_it_goes_on(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].pause()

    by_leader, by_all = cluster.write(b"a"), cluster.write(b"b", acks=ALL)
    pass_time(cluster.world, 1)
    assert [result.error_code for result in by_leader] == [0]
    assert by_all == []
    assert (cluster.log(LEADER).end_offset, cluster.log(LEADER).high_watermark) == (2, 0)

    cluster.world.agents[FOLLOWER].resume()
    pass_time(cluster.world, 2)
    assert [(result.error_code, result.base_offset) for result in by_all] == [(0, 1)]
    assert cluster.log(FOLLOWER).high_watermark == 2


@pytest.mark.rule("B6.32")
def test_a_write_is_acknowledged_once_the_dead_follower_has_left_the_isr(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].kill()

    result = cluster.write(b"a", acks=ALL)
    assert result == []
    pass_time(cluster.world, 20)  # its lease ends

    assert cluster.isr() == (LEADER,)
    assert [of.error_code for of in result] == [0]


@pytest.mark.rule("B2.43", "B6.30")
def test_below_min_isr_the_high_watermark_stands_still(cluster: Cluster) -> None:
    cluster.configure("min.insync.replicas", "2")
    cluster.world.agents[FOLLOWER].kill()
    waiting = cluster.write(b"a", acks=ALL)
    pass_time(cluster.world, 20)
    assert cluster.isr() == (LEADER,)

    refused = cluster.write(b"b", acks=ALL)
    cluster.write(b"c")

    assert [of.error_code for of in refused] == [19]  # NOT_ENOUGH_REPLICAS
    assert waiting == []
    assert (cluster.log(LEADER).end_offset, cluster.log(LEADER).high_watermark) == (2, 0)
    pass_time(cluster.world, WAIT_S)
    assert [of.error_code for of in waiting] == [7]  # REQUEST_TIMED_OUT

    cluster.world.agents[FOLLOWER].start()
    pass_time(cluster.world, 20)
    assert cluster.log(LEADER).high_watermark == 2


@pytest.mark.rule("B6.30")
def test_a_lower_min_isr_raises_the_high_watermark_with_the_next_write(cluster: Cluster) -> None:
    """Found by `make differential ARGS="--replicas"`."""
    cluster.configure("min.insync.replicas", "2")
    cluster.world.agents[FOLLOWER].kill()
    pass_time(cluster.world, 20)
    cluster.write(b"a")

    cluster.configure("min.insync.replicas", "1")
    assert partition(cluster.world, "t").elr == ()  # the partition has changed
    assert cluster.end_for_clients(version=7) == (ErrorCode.NONE, 0)

    cluster.write(b"b")
    assert cluster.end_for_clients(version=7) == (ErrorCode.NONE, 2)


@pytest.mark.rule("B6.30")
def test_a_partition_that_a_snapshot_has_again_is_not_a_changed_one(cluster: Cluster) -> None:
    """Found by `make differential ARGS="--replicas"`."""
    key, known = (cluster.world.committed.topic_ids["t"], 0), partition(cluster.world, "t")
    followers = Followers()
    assert followers.note_seen(key, known)

    assert not followers.note_seen(key, replace(known))
    assert followers.note_seen(key, replace(known, leader_epoch=known.leader_epoch + 1))


@pytest.mark.rule("B7.6")
@pytest.mark.parametrize(
    ("version", "error"),
    [(4, ErrorCode.LEADER_NOT_AVAILABLE), (5, ErrorCode.OFFSET_NOT_AVAILABLE)],
)
def test_a_leader_below_min_isr_does_not_know_where_the_committed_records_end(
    version: int, error: ErrorCode
) -> None:
    """Found by `make differential ARGS="--replicas"`."""
    cluster = Cluster(replicas=(LEADER, FOLLOWER, OTHER))
    cluster.configure("min.insync.replicas", "3")
    cluster.world.agents[OTHER].kill()
    pass_time(cluster.world, 20)
    cluster.write(b"a")
    assert cluster.end_for_clients(version) == (ErrorCode.NONE, 0)

    cluster.world.agents[LEADER].kill()
    pass_time(cluster.world, 20)

    assert cluster.isr() == (FOLLOWER,)
    assert cluster.end_for_clients(version, at=FOLLOWER) == (error, -1)


@pytest.mark.rule("B5.10", "B5.11", "B6.51", "B6.80")
def test_an_unclean_election_loses_what_the_new_leader_lacks_and_a_row_says_so(
    cluster: Cluster,
) -> None:
    """As 4.3.1: ISR {1}, high watermark 7, the follower at 3 is elected uncleanly."""
    cluster.configure("unclean.leader.election.enable", "true")
    for number in range(3):
        cluster.write(b"%d" % number, acks=ALL)
    cluster.world.agents[FOLLOWER].kill()
    pass_time(cluster.world, 20)
    for number in range(3, 7):
        cluster.write(b"%d" % number, acks=ALL)
    assert cluster.log(LEADER).high_watermark == 7
    cluster.world.agents[LEADER].kill()
    cluster.world.agents[FOLLOWER].start()
    pass_time(cluster.world, 30)
    topic = ElectedTopicPartitions(topic="t", partitions=(0,))
    ask(cluster.world, ElectLeadersRequest(election_type=1, topic_partitions=(topic,)))
    pass_time(cluster.world, 2)
    assert partition(cluster.world, "t").leader == FOLLOWER

    (result,) = cluster.write(b"new", at=FOLLOWER)
    assert result.base_offset == 3
    cluster.world.agents[LEADER].start()
    pass_time(cluster.world, 30)

    lost = {"partition": "t-0", "from_offset": 3, "records": 4, "committed": 4}
    assert cluster.truncations() == [(LEADER, lost)]
    assert cluster.log(LEADER).batches == cluster.log(FOLLOWER).batches
    assert [header_of(data).leader_epoch for data in cluster.log(LEADER).batches][:3] == [0] * 3
    assert set(cluster.isr()) == {LEADER, FOLLOWER}


@pytest.mark.rule("B6.51")
def test_a_clean_election_loses_what_was_not_acknowledged_by_all() -> None:
    cluster = Cluster(replicas=(LEADER, FOLLOWER, OTHER))
    cluster.write(b"a", acks=ALL)
    for follower in (FOLLOWER, OTHER):
        cluster.cut(follower)
    cluster.write(b"b")
    cluster.world.agents[LEADER].kill()
    cluster.world.network.heal()
    pass_time(cluster.world, 20)

    leader = partition(cluster.world, "t").leader
    (result,) = cluster.write(b"c", acks=ALL, at=leader)
    cluster.world.agents[LEADER].start()
    pass_time(cluster.world, 30)

    assert (result.error_code, result.base_offset) == (0, 1)
    lost = {"partition": "t-0", "from_offset": 1, "records": 1, "committed": 0}
    assert cluster.truncations() == [(LEADER, lost)]
    assert cluster.log(LEADER).batches == cluster.log(leader).batches
    assert set(cluster.isr()) == {LEADER, FOLLOWER, OTHER}


@pytest.mark.rule("B6.2")
def test_a_proposed_replica_counts_as_in_sync_until_the_controller_answers(
    cluster: Cluster,
) -> None:
    cluster.world.agents[FOLLOWER].kill()
    pass_time(cluster.world, 20)
    cluster.world.agents[FOLLOWER].start()
    pass_time(cluster.world, 5)
    assert cluster.isr() == (LEADER, FOLLOWER)
    cluster.cut(FOLLOWER)
    cluster.write(b"a")
    pass_time(cluster.world, 2 * LAG_S)
    cluster.world.network.heal()
    cluster.world.kill_controller(3000)
    pass_time(cluster.world, 5)  # the proposal reaches nobody
    cluster.cut(FOLLOWER)

    result = cluster.write(b"b", acks=ALL)
    pass_time(cluster.world, 5)
    assert result == []
    assert cluster.log(LEADER).high_watermark == 1

    cluster.world.network.heal()
    cluster.world.start_controller(3000)
    pass_time(cluster.world, 30)
    assert [of.error_code for of in result] == [0]


@pytest.mark.rule("B6.50", "B6.51")
def test_the_high_watermark_of_a_new_leader_waits_for_the_first_fetch_of_its_isr() -> None:
    cluster = Cluster(replicas=(LEADER, FOLLOWER, OTHER))
    cluster.cut(OTHER)
    cluster.write(b"a")
    cluster.world.agents[LEADER].kill()
    pass_time(cluster.world, 20)
    leader = partition(cluster.world, "t").leader
    assert (cluster.log(leader).end_offset, cluster.log(leader).high_watermark) == (1, 0)

    cluster.world.network.heal()
    pass_time(cluster.world, 2)

    assert cluster.log(leader).high_watermark == 1


@pytest.mark.rule("B6.82")
def test_a_reassignment_waits_for_a_replica_that_cannot_fetch(cluster: Cluster) -> None:
    cluster.write(b"a", acks=ALL)
    written = cluster.log(LEADER).batches
    cluster.cut(OTHER)
    cluster.reassign(OTHER)
    pass_time(cluster.world, 60)
    assert partition(cluster.world, "t").leader == LEADER
    assert OTHER not in cluster.isr()

    cluster.world.network.heal()
    pass_time(cluster.world, 5)

    assert partition(cluster.world, "t").replicas == cluster.isr() == (OTHER,)
    assert cluster.log(OTHER).batches == written


@pytest.mark.rule("B6.81")
def test_the_controller_learns_of_a_recovered_leader_when_a_replica_joins() -> None:
    """Found by `make differential ARGS="--replicas"`."""
    cluster = Cluster(replicas=(LEADER,))
    cluster.configure("unclean.leader.election.enable", "true")
    cluster.world.agents[LEADER].kill()
    pass_time(cluster.world, 20)
    cluster.reassign(LEADER, OTHER)
    topic = ElectedTopicPartitions(topic="t", partitions=(0,))
    ask(cluster.world, ElectLeadersRequest(election_type=1, topic_partitions=(topic,)))
    pass_time(cluster.world, 20)

    alone = partition(cluster.world, "t")
    assert (alone.leader, alone.isr) == (OTHER, (OTHER,))
    assert (alone.leader_recovery_state, alone.adding_replicas) == (RECOVERING, (OTHER,))

    cluster.world.agents[LEADER].start()
    pass_time(cluster.world, 20)
    joined = partition(cluster.world, "t")
    assert set(joined.isr) == {LEADER, OTHER}
    assert (joined.leader_recovery_state, joined.adding_replicas) == (RECOVERED, ())


@pytest.mark.rule("B6.82", "B8.48")
@pytest.mark.parametrize("is_down", [False, True])
def test_a_removed_replica_begins_anew_when_the_partition_comes_back(is_down: bool) -> None:
    """Found by `make differential ARGS="--replicas"`."""
    cluster = Cluster(replicas=(LEADER, FOLLOWER))
    cluster.write(b"a", acks=ALL)
    follower = cluster.world.agents[FOLLOWER]
    if is_down:
        follower.kill()
        pass_time(cluster.world, 20)
    cluster.reassign(LEADER)
    if is_down:
        follower.start()
    pass_time(cluster.world, 5)
    assert follower.store.logs == {}

    cluster.world.agents[LEADER].kill()
    pass_time(cluster.world, 20)
    cluster.reassign(LEADER, FOLLOWER)
    assert cluster.end_of_log(FOLLOWER) == 0


@pytest.mark.rule("B5.42")
def test_a_follower_copies_no_damaged_batch_and_leaves_the_isr(cluster: Cluster) -> None:
    cluster.cut(FOLLOWER)
    cluster.write(b"a")
    damage(cluster.log(LEADER), 0, Part.RECORDS)
    cluster.world.network.heal()

    pass_time(cluster.world, 1.5 * LAG_S + 1)

    assert cluster.isr() == (LEADER,)
    assert cluster.log(FOLLOWER).batches == []


@pytest.mark.rule("B6.74")
def test_a_process_that_does_not_lead_yet_raises_no_high_watermark(cluster: Cluster) -> None:
    """Found by `swarm-of-messages`: a client asked a leader that had just started again."""
    cluster.write(b"a")
    cluster.cut(FOLLOWER)
    cluster.write(b"b")
    process = cluster.world.agents[LEADER].agent
    process.state = ProcessState.RECOVERY
    process.followers.forget((cluster.world.committed.topic_ids["t"], 0))

    (refused,) = cluster.write(b"c")

    assert refused.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert cluster.log(LEADER).high_watermark == 1


@pytest.mark.rule("1.44")
def test_a_process_that_has_not_registered_yet_fetches_nothing(cluster: Cluster) -> None:
    """Its id is that of the process before while that one's lease lasts (rule 1.12)."""
    follower = cluster.world.agents[FOLLOWER]
    cluster.write(b"a")
    follower.kill()
    cluster.write(b"b")
    follower.start()

    pass_time(cluster.world, 4)
    assert follower.state is ProcessState.STARTING
    assert cluster.log(FOLLOWER).end_offset == 1

    pass_time(cluster.world, 10)
    assert follower.state is ProcessState.RUNNING
    assert cluster.log(FOLLOWER).end_offset == 2


@pytest.mark.rule("B6.30", "B7.62")
def test_a_full_disk_found_at_an_append_raises_no_high_watermark_over_another_follower() -> None:
    cluster = Cluster(replicas=(LEADER, FOLLOWER, OTHER))
    cluster.write(b"a")
    cluster.world.agents[OTHER].pause()
    full = cluster.world.agents[FOLLOWER]
    full.store.full.add(full.agent.config.log_dirs[0].directory_id)
    seen: list[int] = []
    full.on_replicas_change.append(lambda _: seen.append(cluster.committed()))

    result = cluster.write(b"b", acks=ALL)

    assert (set(seen), result) == ({1}, [])
    assert full.store.failed
