"""A replica moves between the directories of its broker, part by part as a throttle allows."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from kraftsim.broker_agent.descriptions import describe_log_dirs
from kraftsim.broker_agent.leading import moving
from kraftsim.broker_agent.replication.copying import cut_where_logs_part
from kraftsim.controller.core import rpc
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.world import World
from tests.broker_agent.lagging import LEADER, Cluster
from tests.worlds import create_topic, node, nodes, partition, pass_time, unstarted_world

RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
VALUE = bytes(100_000)
BATCH_BYTES = 100_071
RESTART_S = 30


def jbod_world() -> World:
    """Three brokers with two directories each."""
    world = unstarted_world(brokers=3, log_dirs=2, profile=KAFKA_4_3)
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2, 3)), limit_us=60_000_000)
    return world


@dataclass
class Jbod(Cluster):
    """A topic with one replica, which holds 60 batches of 100 kB."""

    replicas: tuple[int, ...] = (LEADER,)
    world: World = field(default_factory=jbod_world)

    def __post_init__(self) -> None:
        super().__post_init__()
        for _ in range(60):
            self.write(VALUE)
        self.source = self.place()

    def directories(self) -> list[Uuid]:
        return [of.directory_id for of in self.world.hosts[node(LEADER)].log_dirs]

    def place(self) -> Uuid:
        directory = partition(self.world, "t").directory_of(LEADER)
        assert directory is not None
        return directory

    @property
    def target(self) -> Uuid:
        return next(of for of in self.directories() if of != self.source)

    def move(self, directory: Uuid, topic: str = "t") -> None:
        key = (self.world.committed.topic_ids[topic], 0)
        moving.move(self.world.agents[LEADER], key, directory)

    def throttle(self, bytes_per_second: int) -> None:
        self.configure_broker(LEADER, RATE, str(bytes_per_second))

    def described(self) -> list[tuple[bool, int, int, bool]]:
        """Whether it is in the target, batches, lag and whether it is a future replica."""
        hosted = self.world.agents[LEADER]
        moving.go_on(hosted)
        image, log = hosted.agent.image, hosted.store.logs
        response = describe_log_dirs(
            hosted.store.on_disk(image, LEADER),
            hosted.store.futures(image),
            rpc.DescribeLogDirsRequest(),
            self.world.hosts[node(LEADER)].log_dirs,
            (),
            (),
            {("t", 0): next(iter(log.values())).size},
        )
        return [
            (
                directory_id == self.target,
                of.partition_size // BATCH_BYTES,
                of.offset_lag,
                of.is_future_key,
            )
            for directory_id, row in zip(self.directories(), response.results, strict=True)
            for topic in row.topics
            for of in topic.partitions
        ]

    def lags(self) -> dict[str, int]:
        """The lag of each future replica, by topic."""
        hosted = self.world.agents[LEADER]
        futures = hosted.store.futures(hosted.agent.image)
        return {of.replica.topic: of.offset_lag for of in futures}

    def future(self) -> list[tuple[int, int]]:
        """Batches and lag of the future replica."""
        return [(batches, lag) for _, batches, lag, is_future in self.described() if is_future]


@pytest.fixture
def cluster() -> Jbod:
    return Jbod()


@pytest.mark.rule("B5.53", "B7.41", "B7.51")
@pytest.mark.parametrize(
    ("rate", "steps_s", "report_s"),
    [(180_000, (0, 6, 12, 17, 23, 28), 34), (300_000, (0, 4, 7, 11, 15, 18), 22)],
)
def test_a_throttled_move_takes_the_time_of_its_bytes(
    cluster: Jbod, rate: int, steps_s: tuple[int, ...], report_s: int
) -> None:
    """As 4.3.1: 6 MB in parts of 1 MB; the future replica waits for the rate once more at its end.

    4.3.1 had it in its place 0.5 s after `report_s`.
    """
    cluster.throttle(rate)
    cluster.move(cluster.target)

    passed_s = 0.0
    for number, (begins_s, ends_s) in enumerate(pairwise((*steps_s, report_s)), 1):
        for at_s in (begins_s + 0.3, ends_s - 0.3):
            pass_time(cluster.world, at_s - passed_s)
            assert (at_s, cluster.future()) == (at_s, [(10 * number, 60 - 10 * number)])
            passed_s = at_s
    pass_time(cluster.world, 1)

    assert cluster.described() == [(True, 60, 0, False)]
    assert cluster.place() == cluster.target


@pytest.mark.rule("B7.51")
def test_a_move_without_a_throttle_takes_no_time_but_that_of_the_controller(
    cluster: Jbod,
) -> None:
    cluster.move(cluster.target)
    assert sorted(cluster.described()) == [(False, 60, 0, False), (True, 60, 0, True)]
    log = cluster.log(LEADER)
    pass_time(cluster.world, 1)

    assert cluster.described() == [(True, 60, 0, False)]
    assert cluster.log(LEADER).batches == log.batches
    assert cluster.log(LEADER).high_watermark == log.high_watermark


@pytest.mark.rule("B7.51")
def test_what_is_written_during_a_move_is_in_the_moved_log(cluster: Jbod) -> None:
    cluster.world.network.isolate(node(LEADER), nodes(cluster.world.controllers))
    cluster.move(cluster.target)
    pass_time(cluster.world, 2)
    cluster.write(VALUE)
    assert cluster.future() == [(61, 0)]
    cluster.write(VALUE)
    cluster.world.network.heal()
    pass_time(cluster.world, 60)

    assert cluster.described() == [(True, 62, 0, False)]
    result = cluster.write(VALUE)
    assert [of.base_offset for of in result] == [62]


@pytest.mark.rule("B7.50")
def test_a_move_back_drops_what_was_copied(cluster: Jbod) -> None:
    """As 4.3.1: the rate that the first move used holds back the second one."""
    cluster.throttle(200_000)
    cluster.move(cluster.target)
    pass_time(cluster.world, 1)

    cluster.move(cluster.source)
    assert cluster.described() == [(False, 60, 0, False)]
    cluster.move(cluster.target)
    assert cluster.future() == [(0, 60)]
    pass_time(cluster.world, 6)

    assert cluster.future() == [(10, 50)]


@pytest.mark.rule("B5.53")
def test_a_raised_rate_acts_at_the_next_look(cluster: Jbod) -> None:
    cluster.throttle(200_000)
    cluster.move(cluster.target)
    pass_time(cluster.world, 2)

    cluster.throttle(10_000_000_000)
    pass_time(cluster.world, 2)

    assert cluster.described() == [(True, 60, 0, False)]


@pytest.mark.rule("B7.51")
def test_the_next_process_copies_what_the_last_one_left(cluster: Jbod) -> None:
    cluster.throttle(200_000)
    cluster.move(cluster.target)
    pass_time(cluster.world, 7)
    cluster.world.agents[LEADER].kill()
    pass_time(cluster.world, RESTART_S)
    assert cluster.future() == [(20, 40)]

    cluster.world.agents[LEADER].start()
    pass_time(cluster.world, 30)

    assert cluster.described() == [(True, 60, 0, False)]
    assert len(cluster.log(LEADER).batches) == 60


def test_a_paused_broker_copies_nothing(cluster: Jbod) -> None:
    cluster.throttle(200_000)
    cluster.move(cluster.target)
    cluster.world.agents[LEADER].pause()
    pass_time(cluster.world, 60)
    future = next(iter(cluster.world.agents[LEADER].store.moves.values())).future
    assert len(future.batches) == 10

    cluster.world.agents[LEADER].resume()
    pass_time(cluster.world, 60)

    assert cluster.described() == [(True, 60, 0, False)]


@pytest.mark.rule("B7.53")
def test_the_future_replica_is_cut_where_the_current_one_was(cluster: Jbod) -> None:
    cluster.throttle(200_000)
    cluster.move(cluster.target)
    pass_time(cluster.world, 1)
    other = Cluster(replicas=(LEADER,), world=jbod_world())
    for number in range(5):
        other.write(b"%d" % number)

    cut_where_logs_part(other.log(LEADER), cluster.log(LEADER), 0)
    pass_time(cluster.world, 30)

    assert cluster.log(LEADER).end_offset == 5
    assert cluster.described() == [(True, 5, 0, False)]


def test_a_slow_disk_takes_its_time_for_each_part(cluster: Jbod) -> None:
    cluster.world.agents[LEADER].disk.latency_us = lambda: 1_000_000
    cluster.move(cluster.target)
    assert cluster.future() == [(0, 60)]
    pass_time(cluster.world, 2.5)
    assert cluster.future() == [(20, 40)]
    pass_time(cluster.world, 5)

    assert cluster.described() == [(True, 60, 0, False)]


@pytest.mark.rule("B7.62")
def test_a_directory_that_is_full_ends_the_move(cluster: Jbod) -> None:
    if cluster.target == cluster.directories()[0]:  # without which the broker ends
        cluster.move(cluster.target)
        pass_time(cluster.world, 2)
        cluster.source = cluster.place()
    cluster.throttle(200_000)
    cluster.move(cluster.target)
    hosted = cluster.world.agents[LEADER]
    hosted.store.full.add(cluster.target)
    pass_time(cluster.world, 10)

    assert (hosted.store.failed, hosted.store.moves) == ({cluster.target}, {})
    assert [of.base_offset for of in cluster.write(VALUE)] == [60]


def test_replicas_move_one_after_the_other(cluster: Jbod) -> None:
    create_topic(cluster.world, "s", (LEADER,))
    pass_time(cluster.world, 2)
    source = partition(cluster.world, "s").directory_of(LEADER)
    cluster.write(VALUE, topic="s")
    cluster.throttle(100_000)
    cluster.move(cluster.target)
    cluster.move(next(of for of in cluster.directories() if of != source), topic="s")
    assert cluster.lags() == {"s": 1, "t": 50}

    pass_time(cluster.world, 11)

    assert cluster.lags() == {"s": 0, "t": 50}  # the second part of t waits for the rate
