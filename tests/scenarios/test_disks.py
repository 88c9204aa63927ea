"""What a disk keeps, when, and what it costs a quorum if it does not."""

from typing import Any

import pytest

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import ElectionState, Turn
from kraftsim.simulation.controller_process import ControllerProcess
from kraftsim.simulation.delays import constant, uniform
from kraftsim.simulation.world import World
from tests.raft.requests import vote
from tests.worlds import SECOND_US, node, nodes, pass_time, world_of

pytestmark = pytest.mark.slow


EPOCH = 50  # later than any that these worlds come to by themselves


@pytest.fixture
def world() -> World:
    return world_of(controllers=3)


def active(world: World) -> ControllerProcess:
    assert world.active is not None, "nobody is active"
    return world.active


def followers(world: World) -> list[int]:
    leader_id = active(world).node.config.node_id
    return [controller for controller in world.controllers if controller != leader_id]


def asked_for_topic(world: World, name: str) -> list[object]:
    replies: list[object] = []
    topics = (CreatableTopic(name=name, num_partitions=1, replication_factor=1),)
    world.dispatch(CreateTopicsRequest(topics=topics), replies.append)
    return replies


def is_good(replies: list[Any]) -> bool:
    """Answered, and not with a refusal."""
    if not replies or isinstance(replies[0], ApiError):
        return False
    return bool(replies[0].topics[0].error_code == 0)


def created(world: World, name: str) -> int:
    """Microseconds until it was."""
    began_us, replies = world.timeline.now_us, asked_for_topic(world, name)
    assert world.run_until(lambda: is_good(replies), limit_us=30 * SECOND_US), replies
    return world.timeline.now_us - began_us


def assert_all_agree(world: World) -> None:
    """All have committed the same, and have it on their disks, between two records of idleness."""
    nodes = [controller.node for controller in world.controllers.values()]
    assert world.run_until(
        lambda: len({node_disk.high_watermark for node_disk in nodes}) == 1, limit_us=10**6
    )
    end_offset = nodes[0].high_watermark
    logs = [
        [batch for batch in process.disk.stored.log.batches if batch.last_offset < end_offset]
        for process in world.controllers.values()
    ]
    assert all(node.high_watermark == end_offset for node in nodes)
    assert all(node.committed == nodes[0].committed for node in nodes)
    assert all(log == logs[0] for log in logs)


class Voter:
    """A follower that nobody else reaches, asked for its vote."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.node_id, *others = followers(world)
        self.candidates = (*others, active(world).node.config.node_id)
        self.process = world.controllers[self.node_id]
        world.network.isolate(node(self.node_id), nodes(world.controllers))

    def directory_of(self, node_id: int) -> Uuid:
        return self.world.controllers[node_id].disk.stored.directory_id

    def asked_by(self, place: int) -> list[bool]:
        """Ask in the name of a candidate; the list fills with what is answered."""
        granted: list[bool] = []
        candidate = self.candidates[place]
        request = vote(
            candidate,
            EPOCH,
            last_epoch=EPOCH - 1,
            offset=1 << 40,
            directory=self.directory_of(candidate),
            cluster_id=None,
        )
        self.process.submit_from_peer(
            request,
            lambda reply: granted.append(
                reply is not None and reply.topics[0].partitions[0].vote_granted
            ),
        )
        return granted

    def crash(self) -> None:
        self.world.kill_controller(self.node_id)

    def start(self) -> None:
        self.world.start_controller(self.node_id)


@pytest.mark.rule("10.5", "10.14")
def test_an_honest_voter_votes_once_in_an_epoch_whatever_crashes(world: World) -> None:
    voter = Voter(world)
    assert [True] == voter.asked_by(0)

    voter.crash()
    voter.start()

    assert [False] == voter.asked_by(1)
    assert [True] == voter.asked_by(0)
    assert 0 == voter.process.disk.lost


def test_a_voter_whose_disk_lies_votes_twice_after_a_crash(world: World) -> None:
    voter = Voter(world)
    voter.process.disk.lie()
    assert [True] == voter.asked_by(0)

    voter.crash()
    voter.start()

    assert [True] == voter.asked_by(1)
    assert voter.process.disk.lost > 0


def test_a_disk_that_has_become_honest_has_kept_what_it_had_said(world: World) -> None:
    voter = Voter(world)
    voter.process.disk.lie()
    assert [True] == voter.asked_by(0)
    voter.process.disk.be_honest()

    voter.crash()
    voter.start()

    assert [False] == voter.asked_by(1)


@pytest.mark.rule("10.5")
def test_a_vote_leaves_only_once_it_is_durable(world: World) -> None:
    voter = Voter(world)
    voter.process.disk.latency_us = constant(30_000)

    first, second = voter.asked_by(0), voter.asked_by(1)
    pass_time(world, 0.029)
    assert ([], []) == (first, second)
    pass_time(world, 0.002)

    assert ([True], [False]) == (first, second)
    assert voter.process.disk.delayed > 0


@pytest.mark.rule("10.5")
def test_a_vote_that_a_crash_takes_back_was_told_to_nobody(world: World) -> None:
    voter = Voter(world)
    voter.process.disk.stall()
    first = voter.asked_by(0)
    pass_time(world, 0.5)

    voter.crash()
    voter.process.disk.go_on()
    voter.start()

    assert [False] == first  # the connection broke
    assert [True] == voter.asked_by(1)


def test_a_stopped_process_hears_of_its_disk_once_it_goes_on(world: World) -> None:
    voter = Voter(world)
    voter.process.disk.latency_us = constant(30_000)
    granted = voter.asked_by(0)

    world.pause_controller(voter.node_id)
    pass_time(world, 1)
    assert [] == granted
    world.resume_controller(voter.node_id)

    assert [True] == granted


def test_what_is_created_over_slow_disks_takes_as_long_as_a_majority_of_them(world: World) -> None:
    assert created(world, "fast") < 1000
    for process in world.controllers.values():
        process.disk.latency_us = constant(40_000)
    took_us = created(world, "slow")

    assert 40_000 <= took_us < 200_000
    for process in world.controllers.values():
        process.disk.latency_us = None
    pass_time(world, 1)
    assert created(world, "fast-again") < 1000
    pass_time(world, 2)
    assert_all_agree(world)


def test_with_the_disks_of_a_majority_stalled_nothing_is_acknowledged(world: World) -> None:
    disks = [world.controllers[follower].disk for follower in followers(world)]
    for disk in disks:
        disk.stall()

    replies = asked_for_topic(world, "held")
    pass_time(world, 1)
    assert [] == replies
    assert "held" not in world.committed.topic_ids
    for disk in disks:
        disk.go_on()
    pass_time(world, 1)

    assert is_good(replies)


@pytest.mark.rule("9.29", "10.32")
def test_a_leader_with_a_stalled_disk_counts_only_what_the_others_have(world: World) -> None:
    leader = active(world)
    leader.disk.stall()
    on_disk = leader.disk.stored.log.end_offset

    created(world, "by-the-others")

    assert on_disk == leader.disk.stored.log.end_offset < leader.node.high_watermark


def written_unsynced(seed: int) -> tuple[ControllerProcess, int, int]:
    """A follower whose disk tears, crashed with writes under way; (process, synced, written)."""
    world = world_of(controllers=3, seed=seed)
    process = world.controllers[followers(world)[0]]
    process.disk.lie()
    process.disk.tears = True
    synced = process.disk.stored.log.end_offset
    for number in range(4):
        created(world, f"topic-{number}")
    written = process.node.log.end_offset
    world.kill_controller(process.node.config.node_id)
    return process, synced, written


def test_a_torn_write_keeps_whole_batches_up_to_some_point() -> None:
    kept = set()
    for seed in range(12):
        process, synced, written = written_unsynced(seed)
        stored = process.disk.stored.log
        assert synced <= stored.end_offset <= written
        assert stored.batches == process.node.log.batches[: len(stored.batches)]
        kept.add(stored.end_offset - synced)
    assert len(kept) > 3


def test_a_follower_fetches_again_what_its_disk_has_lost() -> None:
    world = world_of(controllers=3)
    torn = followers(world)[0]
    disk = world.controllers[torn].disk
    disk.lie()
    for number in range(5):
        created(world, f"topic-{number}")
    world.kill_controller(torn)
    assert disk.lost > 0

    disk.be_honest()
    world.start_controller(torn)
    pass_time(world, 5)

    assert_all_agree(world)


def test_a_controller_whose_disk_is_full_ends_and_says_why(world: World) -> None:
    told: list[tuple[int, str]] = []
    world.controller_listeners.append(lambda *change: told.append(change))
    leader = active(world)
    leader_id = leader.node.config.node_id
    leader.disk.is_full = True

    replies = asked_for_topic(world, "too-much")

    assert ("NOT_RUNNING", [(leader_id, "NOT_RUNNING")]) == (leader.state, told)
    assert "no space is left" in str(leader.failure)
    assert not is_good(replies)
    assert world.run_until(lambda: world.active is not None, limit_us=20 * SECOND_US)
    created(world, "by-another")
    leader.disk.is_full = False
    world.start_controller(leader_id)
    pass_time(world, 5)
    assert ("RUNNING", None) == (leader.state, leader.failure)
    assert "too-much" not in world.committed.topic_ids
    assert_all_agree(world)


def test_a_backup_that_comes_back_has_forgotten_its_vote_and_catches_up(world: World) -> None:
    voter = Voter(world)
    backup = voter.process.disk.stored.copy()
    assert [True] == voter.asked_by(0)
    created(world, "after-the-backup")

    voter.crash()
    voter.process.disk.restore(backup)
    voter.start()
    assert backup.election == voter.process.disk.stored.election != ElectionState()

    assert [True] == voter.asked_by(1)


@pytest.mark.rule("10.32", "10.34")
def test_whatever_a_controller_counts_as_safe_its_disk_has_also_after_a_truncation(
    world: World,
) -> None:
    claimed: list[int] = []

    def watch(node: Node, _: Turn) -> None:
        stored = world.controllers[node.config.node_id].disk.stored.log.batches
        safe = node.quorum.persisted_offset
        if any(batch not in stored for batch in node.log.batches if batch.last_offset < safe):
            claimed.append(safe)

    cut_off = active(world)
    cut_off.disk.latency_us = constant(10 * SECOND_US)
    world.network.isolate(node(cut_off.node.config.node_id), nodes(world.controllers))
    asked_for_topic(world, "lost-1")
    asked_for_topic(world, "lost-2")
    assert world.run_until(lambda: world.active not in (None, cut_off), limit_us=9 * SECOND_US)
    world.step_listeners.append(watch)
    world.network.heal()
    pass_time(world, 15)
    cut_off.disk.latency_us = None
    pass_time(world, 15)

    assert [] == claimed
    assert_all_agree(world)


@pytest.mark.rule("9.29", "10.5")
@pytest.mark.parametrize("seed", range(12))
def test_slow_disks_and_crashes_lose_nothing_that_was_acknowledged(seed: int) -> None:
    world = stormy(seed)
    asked = lived_through(world)

    acknowledged = {name for name, replies in asked if is_good(replies)}
    assert acknowledged <= set(world.committed.topic_ids)
    assert len(acknowledged) > 5
    assert sum(controller.disk.lost for controller in world.controllers.values()) > 0
    assert_all_agree(world)


def stormy(seed: int) -> World:
    world = world_of(controllers=3, seed=seed)
    world.network.delay_us = uniform(100, 5_000, world.streams.of("delays"))
    for node_id, process in world.controllers.items():
        stream = world.streams.of(f"latency/{node_id}")
        process.disk.latency_us = uniform(20_000, 120_000, stream)
        process.disk.tears = seed % 2 == 1
    return world


def lived_through(world: World) -> list[tuple[str, list[object]]]:
    """Topics are asked for, leaders are crashed and come back, and then all is calm."""
    asked = []
    for number in range(60):
        asked.append((f"topic-{number}", asked_for_topic(world, f"topic-{number}")))
        pass_time(world, 0.015)
        if number % 12 == 7:
            world.kill_controller(world.controller.node.config.node_id)
        pass_time(world, 0.1)
        if number % 12 == 11:
            for node_id in world.controllers:
                world.start_controller(node_id)
    for node_id, process in world.controllers.items():
        process.disk.latency_us = None
        world.start_controller(node_id)
    assert world.run_until(lambda: world.active is not None, limit_us=20 * SECOND_US)
    pass_time(world, 5)
    return asked


def test_the_same_seed_gives_the_same_log_twice() -> None:
    def told(seed: int) -> tuple[object, ...]:
        world = stormy(seed)
        lived_through(world)
        return (world.committed_log.batches, world.journal.since(0))

    assert told(3) == told(3)
    assert told(3) != told(4)
