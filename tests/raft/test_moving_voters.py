"""A voter says where it listens now."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.rpc import EndQuorumEpochRequest, QuorumEndpoint
from tests.builders import uuid_of
from tests.raft.changes import led_with_an_observer
from tests.raft.replicas import endpoint_of
from tests.raft.requests import update_voter
from tests.raft.standing import ME, standing


@pytest.fixture
def leader():
    return led_with_an_observer()


@pytest.mark.rule("10.53")
def test_a_voter_that_moves_is_believed_at_once(leader):
    quorum = leader.quorums[ME]
    before = quorum.high_watermark
    response = leader.ask(ME, update_voter(2, 1))

    assert (0, ME, 1, 9001) == (
        response.error_code,
        response.current_leader.leader_id,
        response.current_leader.leader_epoch,
        response.current_leader.port,
    )
    assert (7777, before) == (quorum.voters.find(2).endpoints[0].port, quorum.high_watermark)


@pytest.mark.rule("10.53")
def test_a_voter_that_says_nothing_new_is_written_again(leader):
    quorum, known = leader.quorums[ME], endpoint_of(2).port
    voters, end_offset = quorum.voters, quorum.log.end_offset

    assert 0 == leader.ask(ME, update_voter(2, 1, port=known)).error_code
    assert (voters, end_offset + 1) == (quorum.voters, quorum.log.end_offset)
    assert (Voters(voters=voters.voters),) == quorum.log.read(end_offset)[0].records


@pytest.mark.rule("10.53")
def test_a_voter_with_two_listeners_is_asked_at_that_of_the_controllers(leader):
    names = ("OTHER", "CONTROLLER")
    listeners = tuple(
        QuorumEndpoint(name=name, host="127.0.0.1", port=port)
        for name, port in zip(names, (6666, 7777), strict=True)
    )
    leader.ask(ME, update_voter(2, 1, listeners=listeners))
    endpoints = leader.quorums[ME].voters.find(2).endpoints
    leader.resign(ME)

    assert names == tuple(endpoint.name for endpoint in endpoints), "the order of Kafka's record"
    asked = [m for m in leader.requests(EndQuorumEpochRequest, sender=ME) if m.receiver == 2]
    assert [7777] == [message.sent.endpoint.port for message in asked]


@pytest.mark.rule("10.51", "10.53")
def test_the_name_of_a_listener_is_written_in_capitals(leader):
    listener = QuorumEndpoint(name="controller", host="127.0.0.1", port=7777)
    response = leader.ask(ME, update_voter(2, 1, listeners=(listener,)))

    [endpoint] = leader.quorums[ME].voters.find(2).endpoints
    assert (0, "CONTROLLER") == (response.error_code, endpoint.name)


@pytest.mark.rule("10.53")
@pytest.mark.parametrize(
    ("node_id", "epoch", "fields", "code"),
    [
        (2, 0, {"cluster_id": "x"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        (2, 0, {"versions": (5, 6)}, ErrorCode.FENCED_LEADER_EPOCH),
        (2, 2, {"versions": (5, 6)}, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (9, 1, {"versions": (0, 0)}, ErrorCode.INVALID_REQUEST),
        (9, 1, {"versions": (2, 3)}, ErrorCode.INVALID_REQUEST),
        (9, 1, {"versions": (1, 0)}, ErrorCode.INVALID_REQUEST),
        (9, 1, {"listeners": ()}, ErrorCode.INVALID_REQUEST),
        (9, 1, {}, ErrorCode.VOTER_NOT_FOUND),
        (2, 1, {"voter_directory_id": uuid_of("x")}, ErrorCode.VOTER_NOT_FOUND),
        (2, 1, {"cluster_id": None}, ErrorCode.NONE),
    ],
)
def test_a_move_is_checked_in_order(leader, node_id, epoch, fields, code):
    before = leader.quorums[ME].voters
    response = leader.ask(ME, update_voter(node_id, epoch, **fields))

    assert code == response.error_code
    assert bool(code) == (before == leader.quorums[ME].voters)


@pytest.mark.rule("10.53", "10.33")
@pytest.mark.parametrize(("epoch", "code"), [(0, 74), (1, 6), (2, 75)])
def test_a_move_is_told_to_a_leader_and_the_epoch_is_checked_first(epoch, code):
    replicas = standing("follower")
    response = replicas.ask(ME, update_voter(2, epoch))

    assert (code, 2, 9002) == (
        response.error_code,
        response.current_leader.leader_id,
        response.current_leader.port,
    )
