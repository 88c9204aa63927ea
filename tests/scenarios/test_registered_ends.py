"""A broker says by its registration how its last process ended, and the controller believes it."""

from collections.abc import Callable
from typing import Any

import pytest

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import BrokerRegistrationRequest
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.world import World
from tests.broker_agent.lagging import ALL, FOLLOWER, LEADER, Cluster
from tests.scenarios.request_worlds import begin
from tests.worlds import node, partition, pass_time, unstarted_world

STOP_S = 20
UNCLEAN = -1


def world_with_elr() -> World:
    world = unstarted_world(brokers=3, log_dirs=2, profile=KAFKA_4_3)
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2, 3)), limit_us=60_000_000)
    assert world.committed.features["eligible.leader.replicas.version"] == 1
    return world


class Registered(Cluster):
    """A topic of two replicas that both have to be in sync, and what brokers register."""

    def __init__(self) -> None:
        super().__init__(world=world_with_elr())
        self.configure("min.insync.replicas", "2")
        self.write(b"a", acks=ALL)
        self._named: list[int] = []
        self.world.sent_listeners.append(self._note)

    def _note(self, sender: Any, request: Any) -> None:
        if isinstance(request, BrokerRegistrationRequest):
            self._named.append(request.previous_broker_epoch)

    def elr(self) -> tuple[int, ...]:
        return partition(self.world, "t").elr

    def epoch(self, broker_id: int) -> int:
        return self.world.committed.brokers[broker_id].broker_epoch

    def begin_again(self, broker_id: int) -> int:
        """Starts the broker; returns the epoch that it names, once it is registered."""
        former = self.epoch(broker_id)
        self._named.clear()
        self.world.agents[broker_id].start()
        assert self.world.run_until(lambda: self.epoch(broker_id) > former, limit_us=60_000_000)
        (named, *_) = set(self._named)
        return named


def end_in_good_order(cluster: Registered, broker_id: int) -> None:
    cluster.world.agents[broker_id].stop()


def kill(cluster: Registered, broker_id: int) -> None:
    cluster.world.agents[broker_id].kill()


def cut_the_power(cluster: Registered, broker_id: int) -> None:
    begin(cluster.world, "log.lose_tail", {"on": broker_id})


def end_and_lose_the_disk(cluster: Registered, broker_id: int) -> None:
    cluster.world.agents[broker_id].stop()
    pass_time(cluster.world, STOP_S)
    Processes(cluster.world).wipe(node(broker_id))


@pytest.fixture
def cluster() -> Registered:
    return Registered()


@pytest.mark.rule("1.36", "1.37", "1.38")
@pytest.mark.parametrize("end", [kill, cut_the_power, end_and_lose_the_disk])
def test_a_broker_whose_process_did_not_end_in_good_order_leaves_the_elr(
    cluster: Registered, end: Callable[[Registered, int], None]
) -> None:
    end(cluster, FOLLOWER)
    pass_time(cluster.world, STOP_S)
    assert (cluster.isr(), cluster.elr()) == ((LEADER,), (FOLLOWER,))

    assert cluster.begin_again(FOLLOWER) == UNCLEAN
    assert cluster.elr() == ()
    pass_time(cluster.world, 5)

    assert cluster.isr() == (LEADER, FOLLOWER)
    assert cluster.log(FOLLOWER).batches == cluster.log(LEADER).batches


@pytest.mark.rule("1.36", "1.37", "1.38")
def test_a_broker_whose_process_ended_in_good_order_stays_in_the_elr(cluster: Registered) -> None:
    end_in_good_order(cluster, FOLLOWER)
    pass_time(cluster.world, STOP_S)
    assert cluster.world.agents[FOLLOWER].state is ProcessState.NOT_RUNNING
    former = cluster.epoch(FOLLOWER)

    assert cluster.begin_again(FOLLOWER) == former
    assert cluster.elr() == (FOLLOWER,)


@pytest.mark.rule("1.38")
def test_a_broker_names_no_epoch_unless_each_directory_has_the_same(cluster: Registered) -> None:
    """As 4.3.1 with a directory that failed, and after its repair."""
    process = cluster.world.agents[FOLLOWER]
    second = cluster.world.hosts[node(FOLLOWER)].log_dirs[1].directory_id
    named = []
    for failed in ({second}, set(), set()):
        end_in_good_order(cluster, FOLLOWER)
        pass_time(cluster.world, STOP_S)
        process.store.failed.clear()
        process.store.failed.update(failed)
        former = cluster.epoch(FOLLOWER)
        named.append(cluster.begin_again(FOLLOWER) == former)
        pass_time(cluster.world, 5)

    assert named == [False, False, True]


@pytest.mark.rule("1.37", "4.28")
def test_a_lost_tail_of_the_last_leader_is_lost_by_an_election_of_the_last_known_leader(
    cluster: Registered,
) -> None:
    """It says that it may lack records, and no other replica is known to have more."""
    kill(cluster, FOLLOWER)
    pass_time(cluster.world, STOP_S)
    cluster.begin_again(FOLLOWER)
    cluster.cut(FOLLOWER)
    pass_time(cluster.world, 5)
    cut_the_power(cluster, LEADER)
    pass_time(cluster.world, STOP_S)
    assert (cluster.elr(), partition(cluster.world, "t").leader) == ((LEADER,), NO_LEADER)

    assert cluster.begin_again(LEADER) == UNCLEAN
    pass_time(cluster.world, 10)

    assert partition(cluster.world, "t").leader == LEADER
    assert (cluster.isr(), cluster.elr()) == ((LEADER,), ())
    assert cluster.log(LEADER).end_offset == 0
