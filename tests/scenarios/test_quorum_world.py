"""Three controllers in virtual time: elected, killed, cut off, healed; what brokers see of it."""

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.control_records import LeaderChange
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    ControllerRegistrationRequest,
    CreatableTopic,
    CreateTopicsRequest,
    DescribeQuorumPartition,
    DescribeQuorumPartitionResult,
    DescribeQuorumRequest,
    DescribeQuorumTopic,
    QuorumEndpoint,
    RemoveRaftVoterRequest,
)
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.network_rules import Block
from kraftsim.simulation.world import World
from tests.raft.requests import vote
from tests.worlds import SECOND_US, ask, kinds, node, nodes, pass_time, world_of

pytestmark = pytest.mark.slow


BROKERS = (1, 2, 3)


def delays(world, low_us, high_us):
    return uniform(low_us, high_us, world.streams.of("delays"))


@pytest.fixture
def world() -> World:
    return world_of(controllers=3)


def active_id(world: World) -> int:
    assert world.active is not None, "nobody is active"
    return world.active.node.config.node_id


def until_active(world: World, *, other_than: int) -> int:
    """Virtual seconds until another controller is active."""
    began_us = world.timeline.now_us
    assert world.run_until(
        lambda: world.active is not None and active_id(world) != other_than,
        limit_us=20 * SECOND_US,
    ), "another controller becomes active"
    return world.timeline.now_us - began_us


def create(world: World, name: str) -> list[object]:
    """Ask the active controller for a topic; the list fills with its reply."""
    replies: list[object] = []
    request = CreateTopicsRequest(
        topics=(CreatableTopic(name=name, num_partitions=1, replication_factor=3),)
    )
    world.dispatch(request, replies.append)
    return replies


def is_good(replies: list[object]) -> bool:
    """Answered, and not with a refusal."""
    if not replies or isinstance(replies[0], ApiError):
        return False
    return replies[0].topics[0].error_code == 0


def created(world: World, name: str) -> None:
    replies = create(world, name)
    assert world.run_until(lambda: bool(replies), limit_us=5 * SECOND_US)
    assert is_good(replies), replies


def leaders_by_epoch(world: World) -> dict[int, set[int]]:
    """Who opened which epoch, as any controller's log tells it."""
    leaders: dict[int, set[int]] = {}
    for process in world.controllers.values():
        for batch in process.node.log.batches:
            for record in batch.records:
                if isinstance(record, LeaderChange):
                    leaders.setdefault(batch.epoch, set()).add(record.leader_id)
    return leaders


def assert_one_leader_an_epoch(world: World) -> None:
    assert all(len(ids) == 1 for ids in leaders_by_epoch(world).values()), leaders_by_epoch(world)


def assert_all_agree(world: World) -> None:
    """Every living controller has committed the same, and its image is what its log tells."""
    living = [controller.node for controller in world.controllers.values() if controller.is_alive]
    assert len({replica.high_watermark for replica in living}) == 1
    for controller in living:
        end_offset = controller.high_watermark
        committed = [batch for batch in controller.log.batches if batch.last_offset < end_offset]
        assert replay(committed) == controller.committed == world.committed


@pytest.mark.rule("9.36", "10.16", "5.63")
def test_three_controllers_elect_one_and_all_register(world: World) -> None:
    pass_time(world, 2)

    assert [3000, 3001, 3002] == list(world.committed.controllers)
    assert 1 == sum(controller.node.is_active for controller in world.controllers.values())
    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


@pytest.mark.rule("10.36", "9.15", "9.40")
def test_a_killed_leader_is_followed_by_another_and_no_broker_is_fenced(world: World) -> None:
    created(world, "before")
    killed = active_id(world)

    world.kill_controller(killed)
    took_us = until_active(world, other_than=killed)
    created(world, "after")
    pass_time(world, 30)

    assert took_us < 5 * SECOND_US
    assert world.are_unfenced(BROKERS)
    assert {"before", "after"} == set(world.committed.topic_ids)
    assert "broker_fenced" not in kinds(world)
    assert_one_leader_an_epoch(world)


@pytest.mark.rule("9.15", "2.40")
def test_failover_gives_every_lease_a_whole_new_session(world: World) -> None:
    world.agents[2].kill()
    pass_time(world, 7)  # of the nine seconds of its lease
    killed = active_id(world)

    world.kill_controller(killed)
    until_active(world, other_than=killed)
    pass_time(world, 8.5)
    assert world.are_unfenced((2,))
    pass_time(world, 2)

    assert not world.are_unfenced((2,))


@pytest.mark.rule("10.3", "10.41", "9.38")
def test_a_controller_that_comes_back_over_its_disk_follows_and_catches_up(world: World) -> None:
    killed = active_id(world)
    world.kill_controller(killed)
    until_active(world, other_than=killed)
    created(world, "missed")

    world.start_controller(killed)
    pass_time(world, 3)

    assert active_id(world) != killed
    assert "missed" in world.controllers[killed].node.committed.topic_ids
    assert_all_agree(world)


@pytest.mark.rule("10.51", "10.52")
def test_a_voter_is_removed_and_added_again_without_any_socket(world: World) -> None:
    """The leader asks the new one what it supports, and nobody listens on a port here."""
    leader = active_id(world)
    (voter, *_) = (voter for voter in described(world).current_voters if voter.replica_id != leader)
    named = {"voter_id": voter.replica_id, "voter_directory_id": voter.replica_directory_id}
    port = world.controllers[voter.replica_id].node.config.port
    at = QuorumEndpoint(name="CONTROLLER", host="127.0.0.1", port=port)

    assert 0 == ask(world, RemoveRaftVoterRequest(**named)).error_code
    assert voter.replica_id not in {voter.replica_id for voter in described(world).current_voters}
    pass_time(world, 3)  # it fetches on, as an observer
    assert 0 == ask(world, AddRaftVoterRequest(**named, listeners=(at,))).error_code

    assert voter.replica_id in {voter.replica_id for voter in described(world).current_voters}


def described(world: World) -> DescribeQuorumPartitionResult:
    partition = DescribeQuorumPartition(partition_index=0)
    topic = DescribeQuorumTopic(topic_name="__cluster_metadata", partitions=(partition,))
    (answer,) = ask(world, DescribeQuorumRequest(topics=(topic,))).topics[0].partitions
    assert isinstance(answer, DescribeQuorumPartitionResult)
    return answer


@pytest.mark.rule("10.25", "10.18", "9.29", "0A.13")
def test_a_leader_that_is_cut_off_steps_down_and_what_it_wrote_alone_is_gone(world: World) -> None:
    cut_off = active_id(world)
    world.network.isolate(node(cut_off), nodes(world.controllers))
    lost = create(world, "lost")

    until_active(world, other_than=cut_off)
    pass_time(world, 5)
    assert isinstance(lost[0], ApiError)
    assert lost[0].code == ErrorCode.NOT_CONTROLLER
    created(world, "kept")
    world.network.heal()
    pass_time(world, 5)

    assert {"kept"} == set(world.committed.topic_ids)
    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


@pytest.mark.rule("10.18", "10.1")
def test_a_follower_that_was_cut_off_returns_without_an_election(world: World) -> None:
    """KIP-996: it asks first whether it would win, and does not raise its epoch."""
    leader = active_id(world)
    follower = next(controller for controller in world.controllers if controller != leader)
    epoch = world.controllers[leader].node.epoch

    world.network.isolate(node(follower), nodes(world.controllers))
    pass_time(world, 20)
    world.network.heal()
    pass_time(world, 5)

    assert (leader, epoch) == (active_id(world), world.controllers[follower].node.epoch)
    assert_all_agree(world)


@pytest.mark.rule("10.25")
def test_a_leader_that_hears_nobody_steps_down_though_the_others_hear_it(world: World) -> None:
    """One-way: its requests and answers arrive, nothing comes back to it."""
    deaf = active_id(world)
    others = nodes(set(world.controllers) - {deaf})
    world.network.cut = {(other, node(deaf)) for other in others}

    until_active(world, other_than=deaf)
    created(world, "by-another")
    world.network.heal()
    pass_time(world, 5)

    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


@pytest.mark.rule("10.25", "10.41")
def test_a_paused_leader_finds_another_when_it_goes_on(world: World) -> None:
    paused = active_id(world)

    world.pause_controller(paused)
    until_active(world, other_than=paused)
    world.resume_controller(paused)
    pass_time(world, 5)

    assert active_id(world) != paused
    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


@pytest.mark.rule("10.39", "10.40")
def test_leadership_is_handed_to_the_one_that_is_named(world: World) -> None:
    leader = active_id(world)
    chosen = next(controller for controller in world.controllers if controller != leader)

    world.controllers[leader].hosted.resign(chosen)
    took_us = until_active(world, other_than=leader)

    assert chosen == active_id(world)
    assert took_us < SECOND_US / 2


def test_every_controller_is_restarted_at_once_and_nothing_is_lost(world: World) -> None:
    created(world, "kept")
    for node_id in world.controllers:
        world.kill_controller(node_id)
    pass_time(world, 2)

    for node_id in world.controllers:
        world.start_controller(node_id)
    until_active(world, other_than=-1)
    pass_time(world, 5)

    assert {"kept"} == set(world.committed.topic_ids)
    assert world.are_unfenced(BROKERS)
    assert_all_agree(world)


@pytest.mark.parametrize("seed", range(20))
def test_a_cold_boot_of_all_at_once_ends_with_a_leader_soon(seed: int) -> None:
    world = world_of(brokers=0, controllers=3, seed=seed)

    until_active(world, other_than=-1)

    assert world.timeline.now_us < 10 * SECOND_US
    assert_one_leader_an_epoch(world)


@pytest.mark.parametrize("seed", range(10))
def test_a_network_that_loses_and_delays_loses_nothing_that_was_acknowledged(seed: int) -> None:
    world = world_of(controllers=3, seed=seed)
    world.network.loss, world.network.delay_us = 0.1, delays(world, 1_000, 20_000)
    asked = []
    for number in range(10):
        asked.append((f"topic-{number}", create(world, f"topic-{number}")))
        if number == 5:
            world.kill_controller(world.controller.node.config.node_id)
        pass_time(world, 3)

    world.network.loss, world.network.delay_us = 0.0, None
    until_active(world, other_than=-1)
    pass_time(world, 5)

    acknowledged = {name for name, replies in asked if is_good(replies)}
    assert acknowledged <= set(world.committed.topic_ids)
    assert len(acknowledged) >= 3  # a lost answer costs a fetch its whole timeout
    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


@pytest.mark.rule("9.29", "9.40")
@pytest.mark.parametrize("seed", range(20))
def test_a_kill_at_any_moment_under_load_loses_nothing_that_was_acknowledged(seed: int) -> None:
    world = world_of(controllers=3, seed=seed)
    world.network.delay_us = delays(world, 100, 3_000)
    asked = [(f"topic-{number}", create(world, f"topic-{number}")) for number in range(3)]
    pass_time(world, world.streams.draw_of("test")() / 50)  # some of them are on their way
    world.kill_controller(active_id(world))
    for number in range(3, 90):
        asked.append((f"topic-{number}", create(world, f"topic-{number}")))
        pass_time(world, 0.1)
    pass_time(world, 5)

    acknowledged = {name for name, replies in asked if is_good(replies)}
    assert acknowledged <= set(world.committed.topic_ids)
    assert len(acknowledged) > 5
    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


def test_a_slow_voter_holds_up_nobody(world: World) -> None:
    """Two of three are a majority, however late the third answers."""
    slow = next(controller for controller in world.controllers if controller != active_id(world))
    world.pause_controller(slow)
    before_us = world.timeline.now_us

    created(world, "without-the-slow-one")

    assert world.timeline.now_us - before_us < SECOND_US / 2
    world.resume_controller(slow)
    pass_time(world, 5)
    assert_all_agree(world)


def test_with_two_of_three_paused_nothing_is_acknowledged(world: World) -> None:
    """A process that is stopped takes no answers either, so its fetches come to an end."""
    leader = active_id(world)
    for node_id in set(world.controllers) - {leader}:
        world.pause_controller(node_id)
    pass_time(world, 1)

    replies = create(world, "held")
    pass_time(world, 10)

    assert not is_good(replies)
    assert "held" not in world.committed.topic_ids
    for node_id in world.controllers:
        world.resume_controller(node_id)
    pass_time(world, 5)
    assert_one_leader_an_epoch(world)
    assert_all_agree(world)


def test_the_same_seed_gives_the_same_story() -> None:
    def story(seed: int) -> list[object]:
        world = world_of(controllers=3, seed=seed)
        world.network.delay_us = delays(world, 100, 5_000)
        world.kill_controller(active_id(world))
        pass_time(world, 20)
        return world.journal.since(0)

    assert story(7) == story(7)
    assert story(7) != story(8)


def test_a_registration_that_is_lost_while_nobody_leads_does_not_stop_time(world: World) -> None:
    """Its time runs out at an instant at which this controller knows of no leader."""
    lonely = next(controller for controller in world.controllers if controller != active_id(world))
    world.network.add(
        Block(lambda message: isinstance(message.request, ControllerRegistrationRequest))
    )
    world.kill_controller(lonely)
    world.start_controller(lonely)
    pass_time(world, 0.5)
    for other in world.controllers:
        if other != lonely:
            world.kill_controller(other)
    process = world.controllers[lonely]
    asked = vote(3099, process.node.epoch + 1, cluster_id=world.topology.cluster_id)
    process.submit(asked, lambda reply: None)
    assert process.node.leader_id == -1

    pass_time(world, 10)

    assert process.node.deadline_ms > world.timeline.now_ms
