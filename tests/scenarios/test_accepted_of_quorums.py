"""What properties accept of a quorum: rare lives that break no rule of Kafka."""

from dataclasses import replace
from random import Random

import pytest

from kraftsim.controller.core.node_id import CONTROLLER
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    FetchRequest,
    FetchSnapshotRequest,
    RemoveRaftVoterRequest,
    SnapshotPartition,
    SnapshotTopic,
)
from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.raft import messages
from kraftsim.controller.raft.roles import Candidate, Prospective
from kraftsim.scenarios.running.run import run
from kraftsim.simulation.delays import constant
from kraftsim.simulation.message import Message
from kraftsim.simulation.network_rules import Block, Delay, Duplicate
from kraftsim.simulation.processes import Processes
from tests.scenarios.lives import active_id, follower_id
from tests.scenarios.read_library import Library
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import CLIENT, topic
from tests.scenarios.watched import ask as begin_to_ask
from tests.scenarios.watched_cluster import elected_before_it_is_active, watched
from tests.worlds import SECOND_US, create_topic, node, pass_time

pytestmark = pytest.mark.slow


@pytest.mark.rule("10.18")
def test_a_voter_of_3_9_may_depose_a_leader_that_the_others_follow():
    scenario = Library()["one-way-standby"]
    expect = replace(scenario.expect, always=("stability",))
    result = run(replace(scenario, profile="kafka-3.9", expect=expect), 17)
    assert ["never[0]", "never[1]"] == sorted(broken.name for broken in result.violations)


def killed_while_its_disk_stalls(world, voter_id):
    """The process starts over what it had written before, stands, and writes nothing."""
    world.kill_controller(voter_id)
    world.controllers[voter_id].disk.stall()
    world.start_controller(voter_id)
    pass_time(world, 5)
    unwritten = world.controllers[voter_id].node.log.batches[-1]
    world.kill_controller(voter_id)
    world.controllers[voter_id].disk.go_on()
    return unwritten


def test_an_election_that_no_disk_has_is_won_again_with_another_entry():
    """S4: its first entry has left the process no more than its vote."""
    world, watching = watched("S4", controllers=1)
    (voter_id,) = world.controllers
    unwritten = killed_while_its_disk_stalls(world, voter_id)
    world.start_controller(voter_id)
    pass_time(world, 5)

    (written,) = world.controllers[voter_id].node.log.read(unwritten.base_offset, 1)
    assert (written.base_offset, written.epoch) == (unwritten.base_offset, unwritten.epoch)
    assert written != unwritten
    assert watching.finish() == ()


def test_a_leader_that_is_late_to_know_that_it_leads_decides_from_its_own_log():
    """S35: it is so slow that another has led since, and has committed more."""
    world, watching = watched("S35")
    former_id = active_id(world)
    world.kill_controller(former_id)
    late = elected_before_it_is_active(world)
    Processes(world).slow(node(late.config.node_id), constant(1_400_000))
    world.start_controller(former_id)
    assert world.run_until(lambda: world.active is not None, limit_us=5 * SECOND_US)
    assert active_id(world) != late.config.node_id
    create_topic(world, "later", (1, 2))

    assert world.run_until(lambda: late.active is not None, limit_us=SECOND_US)
    assert watching.finish() == ()


def test_a_leader_that_was_paused_has_read_the_fetches_that_came_meanwhile():
    """S38: by these it names its successors."""
    world, watching = watched("S38")
    leader = world.active
    ahead, behind = (process for process in world.controllers.values() if process is not leader)
    separate(world, leader, behind)
    create_topic(world, "missed", (1,))
    pass_time(world, 0.1)
    separate(world, leader, ahead)
    begin_to_ask(world, topic("missed-by-both"))
    rejoin(world, leader, behind)
    assert world.run_until(lambda: has_all(leader, behind), limit_us=3 * SECOND_US)
    world.pause_controller(leader.node.config.node_id)
    pass_time(world, 0.1)
    world.resume_controller(leader.node.config.node_id)
    leader.stop()

    assert watching.finish() == ()


def test_a_leader_that_was_paused_is_judged_by_the_fetches_that_follow():
    """S38: after the pause every voter has fetched again, and one of them lacks a record."""
    world, watching = watched("S38")
    leader = world.active
    world.pause_controller(leader.node.config.node_id)
    pass_time(world, 0.1)
    world.resume_controller(leader.node.config.node_id)
    pass_time(world, 2)
    assert not watching.properties["S38"].exercised
    separate(world, leader, a_standby(world))
    create_topic(world, "missed", (1,))
    pass_time(world, 0.6)
    leader.stop()

    assert watching.properties["S38"].exercised
    assert watching.finish() == ()


def test_the_end_of_a_new_voter_is_known_from_its_time_as_an_observer():
    """S38: as an observer it got records that another voter lacks."""
    world, watching = watched("S38")
    leader = world.active
    former, other = (process for process in world.controllers.values() if process is not leader)
    former_id = former.node.config.node_id
    begin(world, "quorum.remove", {"on": former_id})
    pass_time(world, 2)
    separate(world, leader, other)
    begin_to_ask(world, topic("missed"))
    pass_time(world, 0.5)
    begin(world, "quorum.add", {"on": former_id, "waits": False})
    voters = leader.node.quorum
    assert world.run_until(lambda: former_id in voters.voters.ids, limit_us=SECOND_US)
    leader.stop()

    assert former.node.log.end_offset > other.node.log.end_offset
    assert watching.finish() == ()


def test_a_late_copy_of_a_fetch_is_believed_by_the_leader():
    """S38: it names an earlier epoch and end, by which the leader names its successors."""
    world, watching = watched("S38")
    former_id, arrived = active_id(world), []
    copies = Duplicate(is_fetch, probability=1.0, lag=constant(4 * SECOND_US), draw=Random(1))
    world.network.add(copies)
    world.kill_controller(former_id)
    leader = next_leader(world, former_id)
    leader_id, epoch = leader.config.node_id, leader.epoch
    pass_time(world, 0.1)
    world.network.remove(copies)
    world.start_controller(former_id)
    former = world.controllers[former_id]
    caught_up = world.run_until(
        lambda: has_all(world.controllers[leader_id], former), limit_us=3 * SECOND_US
    )
    assert caught_up
    pass_time(world, 0.1)
    separate(world, world.controllers[leader_id], former)
    create_topic(world, "missed", (1,))
    world.network.arrived.append(
        lambda message: arrived.append(message) if is_fetch_before(epoch, message) else None
    )

    assert world.run_until(lambda: bool(arrived), limit_us=4 * SECOND_US)
    world.controllers[leader_id].stop()

    assert watching.finish() == ()


def is_fetch(message):
    return isinstance(message.request, FetchRequest) and not message.is_reply


def is_fetch_before(epoch, message):
    """True for the fetch of a voter that knows the leader of `epoch`, and has no record of it."""
    if not is_fetch(message) or message.sender.kind is not CONTROLLER:
        return False
    at = message.request.topics[0].partitions[0]
    return at.last_fetched_epoch < at.current_leader_epoch == epoch


def a_standby(world):
    return next(process for process in world.controllers.values() if process is not world.active)


def has_all(leader, voter):
    return voter.node.log.end_offset == leader.node.log.end_offset


def both_ways(leader, voter):
    leader, voter = (node(process.node.config.node_id) for process in (leader, voter))
    return {(leader, voter), (voter, leader)}


def separate(world, leader, voter):
    world.network.cut |= both_ways(leader, voter)


def rejoin(world, leader, voter):
    world.network.cut -= both_ways(leader, voter)


def test_a_former_leader_with_records_of_its_own_is_not_named_first():
    """S38: it fetches from behind the new leader's end, and is told to truncate."""
    world, watching = watched("S38")
    former_id = active_id(world)
    cut = Block(lambda message: node(former_id) in (message.sender, message.receiver))
    world.network.add(cut)
    names = [f"lost-{number}" for number in range(20)]
    topics = [CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in names]
    world.dispatch(CreateTopicsRequest(topics=tuple(topics)), [].append)
    leader = next_leader(world, former_id)
    world.network.remove(cut)
    world.network.add(slow_replies_to(former_id))
    pass_time(world, 3)

    Processes(world).stop(node(leader.config.node_id))
    pass_time(world, 1)

    former = world.controllers[former_id].node
    assert former.log.end_offset > leader.log.end_offset
    assert watching.finish() == ()


def next_leader(world, former_id):
    """Returns the node of the controller that becomes active after the former one."""
    others = [process for number, process in world.controllers.items() if number != former_id]

    def active():
        return [process.node for process in others if process.node.active is not None]

    assert world.run_until(lambda: bool(active()), limit_us=20 * SECOND_US)
    return active()[0]


def slow_replies_to(voter_id):
    return Delay(
        lambda message: message.is_reply and message.receiver == node(voter_id),
        lag=constant(5 * SECOND_US),
    )


def test_a_candidate_that_hears_late_that_it_won_lacks_what_a_later_epoch_committed():
    """S7: it was paused; the others have elected a leader of the next epoch, which committed."""
    world, watching = watched("S7")
    former_id = active_id(world)
    world.kill_controller(former_id)
    late = candidate_with_a_vote_under_way(world)
    world.pause_controller(late.config.node_id)
    world.start_controller(former_id)
    leader = next_leader(world, late.config.node_id)
    create_topic(world, "later", (1, 2))
    assert late.log.end_offset < leader.quorum.high_watermark
    world.resume_controller(late.config.node_id)

    assert world.run_until(lambda: late.quorum.is_leader, limit_us=SECOND_US)
    assert late.quorum.epoch < leader.quorum.epoch
    assert watching.finish() == ()


def candidate_with_a_vote_under_way(world):
    """Returns the candidate for which the only other voter that runs has voted."""
    nodes = [process.node for process in world.controllers.values() if process.is_running]

    def voted_for():
        voter_ids = {node.config.node_id for node in nodes}
        votes = [node.quorum.voted for node in nodes]
        chosen = {vote.node_id for vote in votes if vote is not None}
        agreed = None not in votes and len(chosen) == 1 and chosen <= voter_ids
        return agreed and len({node.quorum.epoch for node in nodes}) == 1

    def candidates():
        return [node for node in nodes if isinstance(node.quorum.role, Candidate)]

    assert world.run_until(lambda: voted_for() and bool(candidates()), limit_us=20 * SECOND_US)
    (candidate,) = candidates()
    return candidate


@pytest.mark.rule("10.25")
def test_a_wiped_voter_that_fetches_a_snapshot_keeps_no_leader_in_office():
    """S37: it has another directory id, so that a majority has fetched only with the next voter."""
    world, watching = watched("S37", controllers=5)
    leader = world.active.node
    first, second, *others = [number for number in world.controllers if number != active_id(world)]
    for other in others:
        world.kill_controller(other)
    hold(world, second)
    pass_time(world, 1)
    hold(world, first)
    world.send_request(CLIENT, snapshot_fetch(others[0], leader), lambda _: None, active_id(world))
    pass_time(world, 0.3)
    deadline_ms = leader.quorum.role.check_quorum_ms
    let_go(world, second)
    assert world.run_until(
        lambda: leader.quorum.role.check_quorum_ms > deadline_ms, limit_us=2 * SECOND_US
    )
    hold(world, second)

    assert world.run_until(lambda: not leader.quorum.is_leader, limit_us=4 * SECOND_US)
    assert watching.properties["S37"].exercised
    assert watching.finish() == ()


def hold(world, voter_id):
    world.network.cut |= both_ways_with_the_leader(world, voter_id)


def let_go(world, voter_id):
    world.network.cut -= both_ways_with_the_leader(world, voter_id)


def both_ways_with_the_leader(world, voter_id):
    return both_ways(world.active, world.controllers[voter_id])


def snapshot_fetch(voter_id, leader):
    """What a voter of this id with a new directory asks for."""
    wanted = SnapshotPartition(
        partition=0,
        current_leader_epoch=leader.quorum.epoch,
        snapshot_id=leader.quorum.snapshot_id,
        position=0,
        replica_directory_id=b"formatted again!",
    )
    topic_ = SnapshotTopic(name=METADATA_TOPIC, partitions=(wanted,))
    return FetchSnapshotRequest(replica_id=voter_id, topics=(topic_,))


@pytest.mark.rule("10.25")
@pytest.mark.parametrize(("beyond", "counted"), [(0, 1), (1000, 0)])
def test_a_voter_whose_log_differs_counts_for_no_majority(beyond, counted):
    """S37: it is told where its log differs, and the leader waits for it as before."""
    world, watching = watched("S37", controllers=5)
    leader, voter = world.active.node, world.controllers[follower_id(world)].node
    reign = watching.properties["S37"].reigns.by_leader[leader.config.node_id]
    reign.fetched.clear()
    request = messages.fetch_request(voter.quorum, 500)
    (topic,) = request.topics
    (at,) = topic.partitions
    differs = replace(at, fetch_offset=leader.log.end_offset + beyond)
    request = replace(request, topics=(replace(topic, partitions=(differs,)),))

    sender, receiver = node(voter.config.node_id), node(leader.config.node_id)
    watching.properties["S37"].reigns.arrived(Message(sender, receiver, request))

    assert len(reign.fetched) == counted


@pytest.mark.rule("10.14")
def test_a_vote_that_was_granted_before_a_voter_followed_counts_until_the_pre_vote_ends():
    """L2: a majority follows by then; the last vote comes from a voter that has just started."""
    world, watching = watched("L2", controllers=5, controller_quorum_election_timeout_ms=30_000)
    leader = world.active
    rebel, first, last, _ = [each for each in world.controllers.values() if each is not leader]
    for voter in (first, last):
        world.kill_controller(voter.node.config.node_id)
        separate(world, leader, voter)
    pass_time(world, 1)
    separate(world, leader, rebel)
    world.start_controller(first.node.config.node_id)
    assert world.run_until(lambda: len(granted_to(rebel)) == 2, limit_us=9 * SECOND_US)
    rejoin(world, leader, first)
    pass_time(world, 6)
    world.start_controller(last.node.config.node_id)
    epoch = leader.node.quorum.epoch

    assert world.run_until(lambda: rebel.node.quorum.epoch > epoch, limit_us=9 * SECOND_US)
    assert watching.finish() == ()


def granted_to(voter):
    """Returns the voters that have granted a voter its pre-vote."""
    role = voter.node.quorum.role
    return role.granted if isinstance(role, Prospective) else frozenset()


@pytest.mark.rule("10.14")
def test_no_leader_is_due_while_a_change_of_the_voters_lets_nobody_win():
    """L1, hunt 77: a removal was in some logs only, and the longest was that of no voter."""
    world, watching = watched("L1", controllers=2)
    leader = active_id(world)
    other = follower_id(world)
    world.kill_controller(other)
    directory_id = world.controllers[leader].node.config.directory_id
    removal = RemoveRaftVoterRequest(voter_id=leader, voter_directory_id=directory_id)
    begin_to_ask(world, removal)
    pass_time(world, 0.1)
    world.kill_controller(leader)
    for node_id in (leader, other):
        world.start_controller(node_id)
    pass_time(world, 60)

    assert world.active is None
    assert watching.finish() == ()
