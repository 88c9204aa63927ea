"""A quorum that was configured with its voters (kraft.version 0) is told to keep them in its log,
and changes them from then on (KIP-853)."""

from typing import Any

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.control_records import KRaftVersion, Voters
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    FeatureUpdate,
    KRaftVersionFeature,
    QuorumEndpoint,
    RemoveRaftVoterRequest,
    Request,
    UpdateFeaturesRequest,
    UpdateRaftVoterRequest,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft.voters import VoterSet
from kraftsim.simulation.world import World
from tests.worlds import SECOND_US, ask, pass_time, world_of

IDS = (3000, 3001, 3002)
RAISE = UpdateFeaturesRequest(
    feature_updates=(FeatureUpdate(feature="kraft.version", max_version_level=1),)
)


@pytest.fixture
def world() -> World:
    """Three static voters, all of which have registered and described themselves."""
    world = world_of(1, controllers=3, kraft_version=0)
    pass_time(world, 5)
    return world


@pytest.fixture
def raised(world: World) -> World:
    assert 0 == ask(world, RAISE).error_code
    pass_time(world, 1)
    return world


def voters_of(world: World, node_id: int) -> VoterSet:
    return world.controllers[node_id].node.quorum.voters


def leader_id(world: World) -> int:
    assert world.active is not None, "nobody is active"
    return world.active.node.config.node_id


def a_follower(world: World) -> int:
    return next(node_id for node_id in IDS if node_id != leader_id(world))


def put(world: World, request: Request) -> Any:
    """To the leader of the quorum, which answers by its own messages."""
    replies: list[Any] = []
    world.controllers[leader_id(world)].submit(request, replies.append)
    assert world.run_until(lambda: bool(replies), limit_us=5 * SECOND_US), "an answer"
    pass_time(world, 1)
    return replies[0]


@pytest.mark.rule("10.49", "10.50", "5.56")
def test_the_voters_move_from_the_configuration_into_the_log(world: World) -> None:
    assert {ZERO_UUID} == {voter.voter_directory_id for voter in voters_of(world, 3000).voters}
    before = world.committed_log.end_offset

    assert 0 == ask(world, RAISE).error_code
    pass_time(world, 1)

    directories = [world.controllers[node_id].node.config.directory_id for node_id in IDS]
    (control,) = (batch for batch in world.committed_log.read(before) if batch.is_control)
    version, told = control.records
    assert KRaftVersion(kraft_version=1) == version
    assert isinstance(told, Voters)
    assert directories == [voter.voter_directory_id for voter in told.voters]
    for process in world.controllers.values():
        assert VoterSet(told.voters) == process.node.quorum.voters
        assert 1 == process.node.quorum.history.kraft_version == process.node.latest.kraft_version
    assert replay(world.committed_log.batches) == world.committed


@pytest.mark.rule("5.56", "10.53")
def test_nothing_is_raised_before_every_voter_has_described_itself() -> None:
    world = world_of(1, controllers=3, kraft_version=0)
    world.kill_controller(a_follower(world))
    pass_time(world, 5)

    reply = ask(world, RAISE)

    assert ErrorCode.INVALID_UPDATE_VERSION == reply.error_code
    assert reply.error_message.endswith("not all of the voters support it")


@pytest.mark.rule("10.52", "10.51")
def test_a_voter_can_be_removed_and_added_again(raised: World) -> None:
    node_id = a_follower(raised)
    voter = voters_of(raised, node_id).find(node_id)
    assert voter is not None
    key = {"voter_id": node_id, "voter_directory_id": voter.voter_directory_id}
    where = tuple(
        QuorumEndpoint(name=endpoint.name, host=endpoint.host, port=endpoint.port)
        for endpoint in voter.endpoints
    )

    assert 0 == put(raised, RemoveRaftVoterRequest(**key)).error_code
    assert node_id not in voters_of(raised, leader_id(raised)).ids
    assert 0 == put(raised, AddRaftVoterRequest(**key, listeners=where)).error_code

    assert {IDS} == {voters_of(raised, node_id).ids for node_id in IDS}


@pytest.mark.rule("10.53")
def test_a_voter_can_move(raised: World) -> None:
    node_id = a_follower(raised)
    quorum = raised.controllers[leader_id(raised)].node.quorum
    voter = quorum.voters.find(node_id)
    assert voter is not None
    elsewhere = UpdateRaftVoterRequest(
        current_leader_epoch=quorum.epoch,
        voter_id=node_id,
        voter_directory_id=voter.voter_directory_id,
        listeners=(QuorumEndpoint(name="CONTROLLER", host="elsewhere.test", port=1),),
        k_raft_version_feature=KRaftVersionFeature(
            min_supported_version=0, max_supported_version=1
        ),
    )

    assert 0 == put(raised, elsewhere).error_code

    third = next(voter_id for voter_id in IDS if voter_id not in (node_id, leader_id(raised)))
    moved = voters_of(raised, third).find(node_id)
    assert moved is not None
    assert "elsewhere.test" == moved.endpoints[0].host


@pytest.mark.rule("10.3", "10.21", "1.7")
def test_a_restart_and_a_failover_keep_what_was_raised(raised: World) -> None:
    first = leader_id(raised)
    told = voters_of(raised, first)

    raised.kill_controller(first)
    pass_time(raised, 10)
    raised.start_controller(first)
    pass_time(raised, 10)

    assert first != leader_id(raised)
    assert {told} == {voters_of(raised, voter_id) for voter_id in IDS}
    assert 1 == raised.committed.finalized["kraft.version"]
