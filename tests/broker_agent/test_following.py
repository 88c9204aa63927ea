"""A broker follows a leader that it can reach by its listener only, as in another process."""

from collections.abc import Callable, Iterator
from functools import partial as bound
from typing import Any

import pytest

from kraftsim.broker_agent.following.leaders import Following
from kraftsim.broker_agent.log.recovery import Part, damage
from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.broker_agent.replication.followers import SlowFetcher, StoppedFetcher
from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.rpc import FetchRequest, Request, Response
from kraftsim.controller.core.rpc.stored_messages import ListOffsetsRequest
from kraftsim.simulation.world import World
from tests.broker_agent.lagging import ALL, FOLLOWER, LAG_S, LEADER, ONE, Cluster
from tests.broker_agent.test_other_replicas import fetched
from tests.worlds import create_topic, partition, pass_time

BACKOFF_S, SOCKET_TIMEOUT_S = 1, 30


class Wires:
    """Connections between the listeners of a world; a dead broker refuses them."""

    def __init__(self, world: World, messages: dict[int, Messages]) -> None:
        self._world, self._messages = world, messages
        self.sent: list[tuple[int, int, Request]] = []
        self._lines: dict[tuple[int, int], int] = {}  # how often each was opened
        self._is_open: set[tuple[int, int]] = set()

    def send(
        self,
        sender_id: int,
        leader_id: int,
        address: tuple[str, int],
        request: Request,
        version_max: int,
        on_answer: Callable[[Response | None], None],
    ) -> None:
        assert address[1] == self._world.topology.brokers[leader_id - 1].port
        self.sent.append((sender_id, leader_id, request))
        line = (sender_id, leader_id)
        if line not in self._is_open:
            self._is_open.add(line)
            self._lines[line] = self._lines.get(line, 0) + 1
        number = self._lines[line]

        def back(response: Any) -> None:
            if line in self._is_open and self._lines[line] == number:
                on_answer(response)

        self.after(1, bound(self._arrive, leader_id, request, bound(self.after, 1), back))

    def _arrive(
        self,
        leader_id: int,
        request: Request,
        after: Callable[[Callable[[], None]], None],
        back: Callable[[Any], None],
    ) -> None:
        leader = self._world.agents[leader_id]
        if not leader.is_alive:
            back(None)
        elif not leader.is_paused:
            messages = self._messages[leader_id]
            if isinstance(request, FetchRequest):
                messages.fetch(request, lambda response: after(bound(back, response)))
            elif isinstance(request, ListOffsetsRequest):
                after(bound(back, messages.list_offsets(request)))

    def hang_up(self, sender_id: int, leader_id: int) -> None:
        self._is_open.discard((sender_id, leader_id))

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        self._world.timeline.after(delay_ms * 1000, action)

    def fetches(self) -> Iterator[FetchRequest]:
        for _, _, request in self.sent:
            if isinstance(request, FetchRequest):
                yield request


class Apart(Cluster):
    """The cluster of `lagging.py`, each of whose brokers is in a process of its own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wires = Wires(self.world, self.messages)
        self.opened = 0
        for broker_id, hosted in self.world.agents.items():
            hosted.peer = {broker_id: hosted}.get
            following = Following({broker_id: hosted}, self._open, self._note)
            hosted.on_metadata = bound(following.observe, broker_id)
            self.world.agent_listeners.append(bound(self._on_state, broker_id))
            following.observe(broker_id)
        pass_time(self.world, 2)

    def _open(self) -> Wires:
        self.opened += 1
        return self.wires

    def _note(self, broker_id: int, key: Any, size: int) -> None:
        self.world.agents[broker_id].report_change()

    def _on_state(self, broker_id: int, changed: int, state: object) -> None:
        if changed == broker_id:
            self.world.agents[broker_id].on_metadata()

    def are_alike(self) -> bool:
        return bool(self.log(LEADER).batches == self.log(FOLLOWER).batches)


@pytest.fixture
def apart() -> Apart:
    """A topic on two brokers."""
    return Apart()


@pytest.mark.rule("B5.1", "B5.20", "B6.30")
def test_what_all_acknowledge_is_at_the_follower(apart: Apart) -> None:
    results = apart.write(b"a", acks=ALL)
    assert results == []  # it has yet to be fetched

    pass_time(apart.world, 1)

    assert [result.error_code for result in results] == [0]
    assert apart.are_alike()
    assert apart.log(FOLLOWER).high_watermark == 1
    assert apart.isr() == (LEADER, FOLLOWER)


@pytest.mark.rule("B5.3")
def test_an_idle_follower_fetches_after_each_wait(apart: Apart) -> None:
    before = len(apart.wires.sent)

    pass_time(apart.world, 10)

    assert 18 <= len(apart.wires.sent) - before <= 20  # replica.fetch.wait.max.ms is 500


def test_one_request_has_all_partitions_of_a_leader(apart: Apart) -> None:
    create_topic(apart.world, "u", (LEADER, FOLLOWER), (FOLLOWER, LEADER), (LEADER, FOLLOWER))
    pass_time(apart.world, 2)

    last = {(sender, leader): request for sender, leader, request in apart.wires.sent}
    wanted = {
        way: sum(len(topic.partitions) for topic in request.topics)
        for way, request in last.items()
        if isinstance(request, FetchRequest)
    }
    assert wanted == {(FOLLOWER, LEADER): 3, (LEADER, FOLLOWER): 1}


def test_without_a_leader_elsewhere_nothing_is_opened() -> None:
    apart = Apart(replicas=(LEADER,))

    apart.write(b"a", acks=ALL)
    pass_time(apart.world, 60)

    assert (apart.opened, apart.wires.sent) == (0, [])


@pytest.mark.rule("B5.23")
def test_a_consumer_at_the_follower_gets_what_is_committed(apart: Apart) -> None:
    apart.write(b"a")
    pass_time(apart.world, 2)

    answer = fetched(apart.messages[FOLLOWER], apart.world, 18, 0)

    assert answer.responses[0].partitions[0].records


@pytest.mark.rule("B6.10", "B6.23")
def test_a_paused_follower_leaves_the_isr_and_returns(apart: Apart) -> None:
    apart.write(b"a")
    pass_time(apart.world, 2)
    apart.world.agents[FOLLOWER].pause()
    apart.write(b"b")
    sent = len(apart.wires.sent)
    pass_time(apart.world, 2 * LAG_S)
    assert apart.isr() == (LEADER,)
    assert len(apart.wires.sent) == sent

    apart.world.agents[FOLLOWER].resume()
    pass_time(apart.world, 5)

    assert apart.isr() == (LEADER, FOLLOWER)
    assert apart.are_alike()


@pytest.mark.rule("B6.10")
def test_a_follower_that_is_cut_off_leaves_the_isr_and_returns(apart: Apart) -> None:
    apart.write(b"a")
    pass_time(apart.world, 2)
    apart.cut(FOLLOWER)
    pass_time(apart.world, 1)
    apart.write(b"b")
    pass_time(apart.world, 2 * LAG_S)
    assert apart.isr() == (LEADER,)
    assert apart.log(FOLLOWER).end_offset == 1

    apart.world.network.heal()
    pass_time(apart.world, 5)

    assert apart.isr() == (LEADER, FOLLOWER)
    assert apart.are_alike()


def test_a_fault_stops_the_fetcher_of_a_partition(apart: Apart) -> None:
    hosted = apart.world.agents[FOLLOWER]
    fault = StoppedFetcher(None, None, hosted.clock.now_ms)
    hosted.fetcher_faults.stopped.append(fault)
    pass_time(apart.world, 1)
    apart.write(b"a")
    pass_time(apart.world, 5)
    assert apart.log(LEADER).end_offset == 1
    assert hosted.store.logs == {}
    assert len(fault.hit) == 1

    hosted.fetcher_faults.stopped.remove(fault)
    pass_time(apart.world, 2)

    assert apart.are_alike()


def test_a_slow_fetcher_takes_its_time_for_what_it_got(apart: Apart) -> None:
    apart.world.agents[FOLLOWER].fetcher_faults.slow.append(SlowFetcher(None, None, 1_000))
    apart.write(bytes(60_000))

    pass_time(apart.world, 1.5 * LAG_S + 5)
    assert FOLLOWER not in apart.isr()
    assert apart.world.agents[FOLLOWER].store.logs == {}
    pass_time(apart.world, 15)

    assert apart.are_alike()


def test_a_link_that_has_ended_leaves_its_successor_alone(apart: Apart) -> None:
    apart.write(b"a")
    pass_time(apart.world, 2)
    apart.world.agents[FOLLOWER].pause()
    pass_time(apart.world, 1)
    apart.world.agents[FOLLOWER].resume()
    pass_time(apart.world, SOCKET_TIMEOUT_S - 2)
    sent = len(apart.wires.sent)

    pass_time(apart.world, 10)

    assert len(apart.wires.sent) > sent + 10


@pytest.mark.rule("B5.51")
def test_a_follower_throttles_itself_while_it_is_behind(apart: Apart) -> None:
    stopped = StoppedFetcher(None, None, apart.world.agents[FOLLOWER].clock.now_ms)
    apart.world.agents[FOLLOWER].fetcher_faults.stopped.append(stopped)
    for _ in range(30):
        apart.write(bytes(100_000))
    pass_time(apart.world, 1.5 * LAG_S + 1)
    apart.configure("follower.replication.throttled.replicas", "*")
    apart.configure_broker(FOLLOWER, "follower.replication.throttled.rate", "100000")
    apart.world.agents[FOLLOWER].fetcher_faults.stopped.clear()

    pass_time(apart.world, 5)
    assert apart.log(FOLLOWER).end_offset == 1 + 10  # one came before, a reply has 1 MiB
    pass_time(apart.world, 40)

    assert apart.are_alike()


@pytest.mark.rule("B5.40")
def test_a_follower_of_a_silent_leader_hangs_up_and_asks_again(apart: Apart) -> None:
    apart.write(b"a")
    pass_time(apart.world, 2)
    apart.world.agents[LEADER].pause()
    sent = len(apart.wires.sent)
    pass_time(apart.world, 5)
    assert len(apart.wires.sent) <= sent + 1

    apart.world.agents[LEADER].resume()
    pass_time(apart.world, SOCKET_TIMEOUT_S + BACKOFF_S)

    assert len(apart.wires.sent) > sent + 1


@pytest.mark.rule("B6.50")
def test_a_follower_that_is_elected_leads_with_all_of_it(apart: Apart) -> None:
    apart.write(b"a", acks=ALL)
    pass_time(apart.world, 2)

    apart.world.agents[LEADER].kill()
    pass_time(apart.world, 20)
    results = apart.write(b"b", at=FOLLOWER)

    assert partition(apart.world, "t").leader == FOLLOWER
    assert results[0].base_offset == 1
    assert apart.log(FOLLOWER).high_watermark == 2


@pytest.mark.rule("B5.6")
def test_without_a_leader_nothing_is_fetched() -> None:
    apart = Apart(replicas=(LEADER, FOLLOWER))
    apart.world.agents[FOLLOWER].pause()
    apart.write(b"a")
    pass_time(apart.world, 2 * LAG_S)
    apart.world.agents[LEADER].kill()  # the last of the ISR
    pass_time(apart.world, 20)
    apart.world.agents[FOLLOWER].resume()
    pass_time(apart.world, 20)
    sent = len(apart.wires.sent)

    pass_time(apart.world, 20)

    assert partition(apart.world, "t").leader == NO_LEADER
    assert len(apart.wires.sent) == sent


@pytest.mark.rule("B5.10", "B5.11", "B6.80")
def test_what_only_a_lost_leader_had_is_given_up_as_it_follows(apart: Apart) -> None:
    apart.write(b"a", acks=ALL)
    pass_time(apart.world, 2)
    apart.cut(LEADER)
    pass_time(apart.world, 1)
    apart.write(b"lost", acks=ONE)
    apart.world.agents[LEADER].kill()
    apart.world.network.heal()
    pass_time(apart.world, 20)
    apart.write(b"b", at=FOLLOWER)

    apart.world.agents[LEADER].start()
    pass_time(apart.world, 20)

    assert apart.are_alike()
    assert set(apart.isr()) == {LEADER, FOLLOWER}
    ((broker_id, detail),) = apart.truncations()
    assert (broker_id, detail["from_offset"], detail["records"]) == (LEADER, 1, 1)


@pytest.mark.rule("B6.74")
def test_a_process_that_was_killed_goes_on_from_its_disk(apart: Apart) -> None:
    apart.write(b"a", acks=ALL)
    pass_time(apart.world, 2)
    hosted = apart.world.agents[FOLLOWER]
    hosted.kill()
    apart.write(b"b")
    before = len(list(apart.wires.fetches()))
    pass_time(apart.world, 1)
    assert len(list(apart.wires.fetches())) == before

    hosted.start()
    pass_time(apart.world, 30)

    assert apart.are_alike()
    first, *_ = list(apart.wires.fetches())[before:]
    assert first.topics[0].partitions[0].fetch_offset == 1
    assert first.replica_state.replica_epoch == hosted.agent.broker_epoch > 0


@pytest.mark.rule("B5.43")
def test_a_replica_in_a_lost_directory_is_not_fetched(apart: Apart) -> None:
    hosted = apart.world.agents[FOLLOWER]
    hosted.store.full.add(hosted.agent.config.log_dirs[0].directory_id)

    apart.write(b"a")
    pass_time(apart.world, 5)

    assert hosted.store.failed
    assert hosted.store.logs == {}


def test_a_damaged_batch_is_not_taken(apart: Apart) -> None:
    follower = apart.world.agents[FOLLOWER]
    follower.pause()
    apart.write(b"a")
    log = apart.log(LEADER)
    whole = log.batches[0]
    damage(log, 0, Part.RECORDS)
    follower.resume()
    pass_time(apart.world, 3)
    assert apart.log(FOLLOWER).end_offset == 0

    log.batches[0] = whole
    pass_time(apart.world, 2)

    assert apart.are_alike()


@pytest.mark.rule("B5.40")
def test_a_dead_leader_is_tried_each_second_while_it_leads(apart: Apart) -> None:
    apart.world.agents[LEADER].kill()
    before = len(apart.wires.sent)

    pass_time(apart.world, 5)  # within its session

    assert 4 <= len(apart.wires.sent) - before <= 6
