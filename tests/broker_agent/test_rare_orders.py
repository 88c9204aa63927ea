"""Followers and leaders in rare orders: restarts, wiped disks, lost answers, deletions."""

import pytest

from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.recovery import Part, damage
from kraftsim.broker_agent.replication.copying import copy_rest, cut_where_logs_part
from kraftsim.broker_agent.replication.followers import SlowFetcher
from kraftsim.controller.core.rpc import (
    DeleteTopicsRequest,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    UnregisterBrokerRequest,
)
from kraftsim.scenarios.language.reading import read
from kraftsim.scenarios.stage.stage import Fault, Stage
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.clients.listeners import Listeners
from kraftsim.simulation.copying import copied
from kraftsim.simulation.network_rules import Delay, Nth
from kraftsim.simulation.processes import Processes
from tests.batches import batch
from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, OTHER, Cluster
from tests.broker_agent.message_logs import SHIPPED, append, instant
from tests.worlds import ask, node, partition, pass_time

NONE, NOT_LEADER = 0, 6


def begin(cluster: Cluster, word: str, words: dict[str, object]) -> tuple[Stage, Fault]:
    """Begins a fault; returns the stage that lifts it, and the fault."""
    stage = Stage(cluster.world)
    return stage, stage.begin(read(VERBS[word], words), word, "it")


@pytest.fixture
def cluster() -> Cluster:
    cluster = Cluster()
    cluster.write(b"first", acks=ALL)
    return cluster


@pytest.mark.rule("B6.50")
def test_a_process_that_restarts_counts_nothing_as_acknowledged_that_it_does_not_know(
    cluster: Cluster,
) -> None:
    cluster.cut(FOLLOWER)
    waiting = cluster.write(b"second", acks=ALL)
    leader = cluster.world.agents[LEADER]

    leader.kill()
    leader.start()
    pass_time(cluster.world, 40)

    assert [of.error_code for of in waiting] == [NOT_LEADER]
    assert partition(cluster.world, "t").leader == FOLLOWER
    assert cluster.log(FOLLOWER).end_offset == 1


def test_a_leader_with_an_empty_disk_takes_nothing_from_its_followers(cluster: Cluster) -> None:
    Processes(cluster.world).wipe(node(LEADER), keeps_directory=True)
    cluster.world.agents[LEADER].start()
    pass_time(cluster.world, 0.2)

    (refused,) = cluster.write(b"second")
    pass_time(cluster.world, 30)

    assert refused.error_code == NOT_LEADER
    assert cluster.truncations() == []
    assert partition(cluster.world, "t").leader == FOLLOWER
    assert cluster.log(LEADER).batches == cluster.log(FOLLOWER).batches != []


@pytest.mark.rule("B6.51")
def test_a_leader_that_wakes_as_a_follower_copies_nothing_to_its_successor() -> None:
    cluster = Cluster(replicas=(FOLLOWER, LEADER))
    world = cluster.world
    world.agents[FOLLOWER].pause()
    pass_time(world, 12)
    world.agents[FOLLOWER].resume()
    pass_time(world, 5)
    cluster.write(b"first", acks=ALL)
    pass_time(world, 1)
    cluster.cut(FOLLOWER)
    for number in range(3):
        cluster.write(b"%d" % number)
    pass_time(world, 0.35)  # the leader is about to look at its follower

    world.agents[LEADER].pause()
    world.network.heal()
    topic = ElectedTopicPartitions(topic="t", partitions=(0,))
    ask(world, ElectLeadersRequest(election_type=0, topic_partitions=(topic,)))
    pass_time(world, 0.01)
    cluster.write(b"other", at=FOLLOWER)
    pass_time(world, 0.3)
    world.agents[LEADER].resume()
    pass_time(world, 5)

    assert partition(world, "t").leader == FOLLOWER
    assert cluster.log(LEADER).batches == cluster.log(FOLLOWER).batches
    assert [records["records"] for _, records in cluster.truncations()] == [3]


def test_a_topic_may_be_deleted_while_a_follower_lags(cluster: Cluster) -> None:
    cluster.cut(FOLLOWER)
    cluster.write(b"second")

    ask(cluster.world, DeleteTopicsRequest(topic_names=("t",)))
    pass_time(cluster.world, 2 * LAG_S)

    assert not cluster.world.agents[LEADER].agent.followers.any_lags


def test_a_follower_may_be_wiped_while_a_reply_is_under_way(cluster: Cluster) -> None:
    world = cluster.world
    pass_time(world, 1)
    world.network.add(Delay(lambda m: m.sender.kind is m.receiver.kind, lag=lambda: 2_000_000))
    cluster.write(b"second")
    pass_time(world, 2.5)

    Processes(world).wipe(node(FOLLOWER), keeps_directory=True)
    world.agents[FOLLOWER].start()
    pass_time(world, 30)

    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


@pytest.mark.rule("B5.42")
def test_a_damaged_batch_is_not_asked_for_again_at_once(cluster: Cluster) -> None:
    world = cluster.world
    world.agents[FOLLOWER].pause()
    cluster.write(b"second")
    damage(cluster.log(LEADER), 1, Part.RECORDS)
    world.network.add(Nth(lambda m: False, first=1, count=1, copies=0, lag_us=0))
    world.agents[FOLLOWER].resume()
    cluster.write(b"third")

    pass_time(world, 1)  # it would never pass

    assert cluster.log(FOLLOWER).end_offset == 1


@pytest.mark.rule("B6.2")
def test_a_proposal_that_is_lost_is_sent_again_until_it_is_answered(cluster: Cluster) -> None:
    world, links = cluster.world, cluster.world.network
    cluster.cut(FOLLOWER)
    cluster.write(b"second")
    pass_time(world, 47)
    followers, key = world.agents[LEADER].agent.followers, (world.committed.topic_ids["t"], 0)
    links.heal()
    links.cut.add((node(LEADER), node(3000)))
    known = world.agents[LEADER].known(key)
    assert known is not None
    assert world.run_until(lambda: bool(followers.proposal(key, known)), limit_us=5_000_000)

    links.heal()
    cluster.cut(FOLLOWER)
    waiting = cluster.write(b"third", acks=ALL)
    pass_time(world, 300)

    assert [of.error_code for of in waiting] == [0]
    assert cluster.isr() == (LEADER,)


@pytest.mark.rule("B5.15")
def test_a_follower_that_begins_behind_the_end_of_its_leader_begins_anew() -> None:
    leader, follower = Log(0), Log(0)
    for number in range(5):
        append(follower, batch(b"%d" % number))
    follower.delete_before(2, 0)
    follower._drop_before(2)
    leader.epochs.assign(1, 0)
    append(leader, batch(b"new"), epoch=1)

    cut_where_logs_part(leader, follower, 0)

    assert copy_rest(leader, follower, instant(), SHIPPED)
    assert follower.batches == leader.batches
    assert follower.start_offset == 0


@pytest.mark.rule("B5.20")
@pytest.mark.parametrize("delay_us", [0, 10_000])
def test_each_follower_learns_a_high_watermark_that_another_one_raised(delay_us: int) -> None:
    cluster = Cluster(replicas=(LEADER, FOLLOWER, OTHER))
    cluster.write(b"first", acks=ALL)
    cluster.world.network.delay_us = lambda: delay_us
    cluster.world.agents[OTHER].pause()
    cluster.write(b"second")
    pass_time(cluster.world, 1)

    cluster.world.agents[OTHER].resume()
    pass_time(cluster.world, 5)

    logs = [cluster.log(number) for number in (LEADER, FOLLOWER, OTHER)]
    assert [log.high_watermark for log in logs] == [2, 2, 2]


def test_who_waits_is_answered_although_another_listener_was_opened(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].pause()
    waiting = cluster.write(b"second", acks=ALL)

    Listeners(cluster.world).find(LEADER)
    cluster.world.agents[FOLLOWER].resume()
    pass_time(cluster.world, 5)

    assert [of.error_code for of in waiting] == [0]


def test_a_copy_of_a_world_goes_on_with_its_own_followers(cluster: Cluster) -> None:
    pass_time(cluster.world, 1)
    copy = copied(cluster.world)

    copy.agents[LEADER].kill()
    copy.advance(20_000_000)

    assert partition(copy, "t").leader == FOLLOWER
    assert partition(cluster.world, "t").leader == LEADER


def test_a_proposed_follower_that_is_unregistered_meanwhile_is_given_up(cluster: Cluster) -> None:
    """Found by a hunt of `swarm-of-messages`: the leader knew no broker epoch to propose."""
    cluster.cut(FOLLOWER)
    cluster.write(b"second")
    pass_time(cluster.world, 2 * LAG_S)
    assert cluster.isr() == (LEADER,)
    stage, dropping = begin(cluster, "rpc.drop", {"api": "AlterPartition", "count": 1000})
    cluster.world.network.heal()
    pass_time(cluster.world, 5)

    cluster.world.agents[FOLLOWER].kill()
    ask(cluster.world, UnregisterBrokerRequest(broker_id=FOLLOWER))
    waiting = cluster.write(b"third", acks=ALL)
    pass_time(cluster.world, 30)
    assert waiting == []
    stage.lift(dropping)
    pass_time(cluster.world, 30)
    cluster.write(b"fourth")

    assert cluster.isr() == (LEADER,)
    assert [of.error_code for of in waiting] == [NONE]


@pytest.mark.rule("B6.20")
def test_a_leader_whose_proposal_is_refused_waits_before_it_repeats_it() -> None:
    """Found by `swarm-of-messages`: another follower that fetched made it repeat that at once."""
    cluster = Cluster(replicas=(LEADER, FOLLOWER, OTHER))
    world = cluster.world
    for broker_id in (FOLLOWER, OTHER):
        fetcher = SlowFetcher(None, None, bytes_per_second=10**9)
        world.agents[broker_id].fetcher_faults.slow.append(fetcher)
    cluster.write(b"first")
    both, stopped = begin(cluster, "replica.stop", {"on": [FOLLOWER, OTHER]})
    cluster.write(b"second")
    pass_time(world, 2 * LAG_S)
    assert cluster.isr() == (LEADER,)
    refusal = {"api": "AlterPartition", "code": "NOT_CONTROLLER", "count": 1000}
    stage, refusing = begin(cluster, "rpc.error", refusal)
    both.lift(stopped)
    _, still_stopped = begin(cluster, "replica.stop", {"on": OTHER})
    pass_time(world, 3)
    both.lift(still_stopped)
    pass_time(world, 20)

    assert 0 < refusing.effects() < 100
    stage.lift(refusing)
    pass_time(world, 5)
    assert cluster.isr() == (LEADER, FOLLOWER, OTHER)
