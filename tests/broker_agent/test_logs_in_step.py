"""Followers in step take a batch at its append; one that may not is looked at by itself."""

from collections.abc import Callable

import pytest

from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.periodic import RETENTION
from kraftsim.broker_agent.messages.replicas import Replicas
from kraftsim.broker_agent.replication.followers import Lag, SlowFetcher, StoppedFetcher
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.simulation.delays import constant
from tests.broker_agent.lagging import FOLLOWER, LEADER, OTHER, Cluster
from tests.worlds import node, pass_time


def in_step(cluster: Cluster) -> list[Log] | None:
    """What the leader finds before it appends."""
    hosted = cluster.world.agents[LEADER]
    replicas = Replicas(hosted, RETENTION)
    at = cluster.messages[LEADER]._now()
    return replicas.in_step(replicas.led(replicas.topic("t", ZERO_UUID, by_id=False), 0, at))


def pause(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].pause()


def kill(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].kill()


def cut_off(cluster: Cluster) -> None:
    cluster.cut(FOLLOWER)


def deafen(cluster: Cluster) -> None:
    cluster.world.network.deafen(node(FOLLOWER))


def slow_down_the_network(cluster: Cluster) -> None:
    cluster.world.network.delay_us = constant(1000)


def fill_a_disk(cluster: Cluster) -> None:
    hosted = cluster.world.agents[FOLLOWER]
    hosted.store.full.add(hosted.agent.config.log_dirs[0].directory_id)


def stop_a_fetcher(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].fetcher_faults.stopped.append(StoppedFetcher(None, None, 0))


def slow_a_fetcher(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].fetcher_faults.slow.append(SlowFetcher(None, None, 1000))


def throttle(cluster: Cluster) -> None:
    cluster.configure("follower.replication.throttled.replicas", f"0:{FOLLOWER}")


def keep_metadata_from_a_follower(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].agent.position.high_watermark -= 1


def lose_the_log_of_a_follower(cluster: Cluster) -> None:
    cluster.world.agents[FOLLOWER].store.logs.clear()


def let_a_follower_lag(cluster: Cluster) -> None:
    cluster.cut(FOLLOWER)
    cluster.write(b"2")
    cluster.world.network.heal()


def note_a_lag(cluster: Cluster) -> None:
    key = (cluster.world.committed.topic_ids["t"], 0)
    cluster.world.agents[LEADER].agent.followers.note_lag(key, FOLLOWER, Lag(0, 0))


def damage_the_last_batch(cluster: Cluster) -> None:
    log = cluster.log(FOLLOWER)
    log.batches[-1] = log.batches[-1][:-1] + b"?"


DISTURBANCES: tuple[Callable[[Cluster], None], ...] = (
    pause,
    kill,
    cut_off,
    deafen,
    slow_down_the_network,
    fill_a_disk,
    stop_a_fetcher,
    slow_a_fetcher,
    throttle,
    keep_metadata_from_a_follower,
    lose_the_log_of_a_follower,
    let_a_follower_lag,
    note_a_lag,
    damage_the_last_batch,
)


@pytest.fixture
def cluster() -> Cluster:
    cluster = Cluster((LEADER, FOLLOWER, OTHER))
    cluster.write(b"1")
    pass_time(cluster.world, 1)
    return cluster


def test_undisturbed_followers_are_in_step(cluster: Cluster) -> None:
    assert in_step(cluster) == [cluster.log(FOLLOWER), cluster.log(OTHER)]


@pytest.mark.parametrize("disturb", DISTURBANCES, ids=lambda disturb: disturb.__name__)
def test_a_follower_that_may_not_take_a_batch_is_not_in_step(
    cluster: Cluster, disturb: Callable[[Cluster], None]
) -> None:
    disturb(cluster)

    assert in_step(cluster) is None


def test_logs_in_step_share_each_batch(cluster: Cluster) -> None:
    cluster.write(b"2")

    logs = [cluster.log(number) for number in (LEADER, FOLLOWER, OTHER)]
    assert len({id(log.batches[-1]) for log in logs}) == 1
    assert [(log.end_offset, log.high_watermark) for log in logs] == [(2, 2)] * 3


def test_a_high_watermark_lets_only_those_look_who_wait_for_it(cluster: Cluster) -> None:
    hosted, looks = cluster.world.agents[LEADER], list[str]()
    topic_id = cluster.world.committed.topic_ids["t"]
    waits = cluster.messages[LEADER]._waits
    waits.wait([(topic_id, 0)], lambda: looks.append("this partition"))
    waits.wait([(topic_id, 1)], lambda: looks.append("another"))

    hosted.report_change((topic_id, 0))
    assert looks == ["this partition"]

    hosted.report_change()
    assert sorted(looks[1:]) == ["another", "this partition"]


def test_a_record_that_changes_no_partition_lets_nobody_look_at_logs(cluster: Cluster) -> None:
    followers = cluster.world.agents[LEADER].agent.followers
    image = cluster.world.agents[LEADER].agent.image
    offset = image.offset
    pass_time(cluster.world, 2)  # a NoOp each half second

    assert image.offset > offset
    assert not followers.note_looked(image, 1, is_in_service=True)
    assert followers.note_looked(image, 2, is_in_service=True)
