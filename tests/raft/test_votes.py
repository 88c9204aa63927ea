"""Votes: in which order they are checked, and who grants them."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import VoteResponse
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.roles import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    Unattached,
)
from tests.builders import uuid_of
from tests.raft.replicas import Replicas, key_of
from tests.raft.requests import vote
from tests.raft.standing import ME, ROLES, grant, standing, votes_asked

TYPES = {
    "unattached": Unattached,
    "follower": Follower,
    "content follower": Follower,
    "prospective": Prospective,
    "candidate": Candidate,
    "leader": Leader,
    "resigned": Resigned,
}
MY_DIRECTORY = key_of(ME).directory_id


def asked(replicas, request, node_id=ME):
    """(error, granted)"""
    response = replicas.ask(node_id, request)
    assert response.error_code == 0, response
    data = response.topics[0].partitions[0]
    return data.error_code, data.vote_granted


@pytest.fixture
def unattached():
    """At epoch 3, without a vote."""
    replicas = standing("unattached")
    replicas.ask(ME, vote(2, 3, voter=9))
    return replicas


# The checks


@pytest.mark.rule("10.13")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"cluster_id": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"topic": "another"}, ErrorCode.INVALID_REQUEST),
        ({"partition": 1}, ErrorCode.INVALID_REQUEST),
        ({"cluster_id": "another", "topic": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
    ],
)
def test_a_vote_that_is_refused_as_a_whole_teaches_no_epoch(unattached, fields, code):
    assert VoteResponse(error_code=code) == unattached.ask(ME, vote(2, 9, **fields))
    assert 3 == unattached.quorums[ME].epoch


@pytest.mark.rule("10.13")
@pytest.mark.parametrize(
    ("candidate", "epoch", "fields", "code"),
    [
        (2, 4, {"offset": -1}, ErrorCode.INVALID_REQUEST),
        (2, 4, {"last_epoch": -1}, ErrorCode.INVALID_REQUEST),
        (2, 4, {"last_epoch": 4}, ErrorCode.INVALID_REQUEST),
        (2, 2, {"last_epoch": 2}, ErrorCode.INVALID_REQUEST),
        (2, 2, {"last_epoch": 1}, ErrorCode.FENCED_LEADER_EPOCH),
        (-1, 2, {}, ErrorCode.FENCED_LEADER_EPOCH),
        (-1, 4, {}, ErrorCode.INVALID_REQUEST),
        (2, 3, {"voter": 2}, ErrorCode.INVALID_VOTER_KEY),
        (2, 3, {"voter": ME, "voter_directory": uuid_of("x")}, ErrorCode.INVALID_VOTER_KEY),
        (2, 3, {"voter": ME, "voter_directory": MY_DIRECTORY}, ErrorCode.NONE),
        (2, 3, {"voter": ME, "voter_directory": ZERO_UUID}, ErrorCode.NONE),
        (2, 3, {"voter": -1, "voter_directory": uuid_of("x")}, ErrorCode.NONE),
        (2, 3, {"cluster_id": None}, ErrorCode.NONE),
    ],
)
def test_votes_are_checked_in_order(unattached, candidate, epoch, fields, code):
    assert (code, not code) == asked(unattached, vote(candidate, epoch, **fields))


@pytest.mark.rule("10.13")
@pytest.mark.parametrize(
    ("candidate", "fields", "epoch"), [(2, {"offset": -1}, 3), (-1, {}, 3), (2, {"voter": 2}, 7)]
)
def test_a_voter_key_is_checked_after_the_epoch_is_learned(unattached, candidate, fields, epoch):
    """And everything else before."""
    asked(unattached, vote(candidate, 7, **fields))

    assert epoch == unattached.quorums[ME].epoch


@pytest.mark.rule("10.1", "10.13")
@pytest.mark.parametrize(("last_epoch", "code"), [(3, 0), (4, ErrorCode.INVALID_REQUEST)])
def test_a_pre_vote_may_have_its_own_epoch_in_its_log(unattached, last_epoch, code):
    """It is asked before the epoch is raised."""
    request = vote(2, 3, last_epoch=last_epoch, pre_vote=True)

    assert (code, not code) == asked(unattached, request)


@pytest.mark.rule("10.13")
def test_a_late_candidate_is_told_who_leads():
    replicas = standing("leader")

    response = replicas.ask(ME, vote(2, 0, last_epoch=0, pre_vote=True))
    data = response.topics[0].partitions[0]
    assert (ErrorCode.FENCED_LEADER_EPOCH, ME, 1) == (
        data.error_code,
        data.leader_id,
        data.leader_epoch,
    )
    assert [(ME, 9001)] == [
        (endpoint.node_id, endpoint.port) for endpoint in response.node_endpoints
    ]


# Who grants


@pytest.mark.rule("10.14", "10.1")
@pytest.mark.parametrize("role", ROLES)
def test_a_vote_is_granted_by_whoever_has_neither_voted_nor_a_leader(role):
    replicas = standing(role)
    assert isinstance(replicas.quorums[ME].role, TYPES[role])
    epoch = max(1, replicas.quorums[ME].epoch)

    granted = asked(replicas, vote(3, epoch, last_epoch=epoch - 1, offset=100))

    assert (0, role in ("unattached", "prospective")) == granted


@pytest.mark.rule("10.14", "10.1")
@pytest.mark.parametrize("role", ROLES)
def test_a_pre_vote_is_granted_by_all_but_those_content_with_their_leader(role):
    replicas = standing(role)
    quorum = replicas.quorums[ME]
    before = quorum.role, quorum.voted, replicas.disks[ME].election

    granted = asked(
        replicas, vote(3, quorum.epoch, last_epoch=quorum.epoch, offset=100, pre_vote=True)
    )

    assert (0, role not in ("content follower", "leader")) == granted
    assert before == (quorum.role, quorum.voted, replicas.disks[ME].election)


@pytest.mark.rule("10.12", "10.14")
@pytest.mark.parametrize("pre_vote", [False, True])
@pytest.mark.parametrize(
    ("last_epoch", "offset", "expected"),
    [(1, -1, False), (1, 0, True), (1, 1, True), (0, 100, False), (2, -5, True)],
)
def test_only_a_log_that_is_not_behind_gets_a_vote(last_epoch, offset, expected, pre_vote):
    """The epoch counts before the offset, which is relative to our own end."""
    replicas = standing("resigned")
    end_offset = replicas.quorums[ME].log.end_offset
    request = vote(
        2, 5, last_epoch=last_epoch, offset=max(0, end_offset + offset), pre_vote=pre_vote
    )

    assert (0, expected) == asked(replicas, request)


@pytest.mark.rule("10.14", "9.37")
def test_a_replica_votes_once_an_epoch(unattached):
    assert (0, True) == asked(unattached, vote(2, 3))
    assert (0, False) == asked(unattached, vote(3, 3, offset=100))
    assert (0, True) == asked(unattached, vote(2, 3))
    assert (0, True) == asked(unattached, vote(3, 4))


@pytest.mark.rule("10.14")
def test_a_vote_is_for_a_directory_where_it_named_one(unattached):
    asked(unattached, vote(2, 3))

    assert (0, False) == asked(unattached, vote(2, 3, directory=uuid_of("reborn")))


@pytest.mark.rule("10.14")
def test_the_log_is_not_looked_at_again_for_the_same_candidate():
    replicas = standing("resigned")
    asked(replicas, vote(2, 5, last_epoch=1, offset=100))

    assert (0, True) == asked(replicas, vote(2, 5))


@pytest.mark.rule("9.37", "10.5")
def test_a_vote_is_durable_before_it_is_told(unattached):
    turn = unattached.turn()
    conduct.on_request(unattached.quorums[ME], vote(2, 3), "token", turn)

    assert ElectionState(epoch=3, voted=key_of(2)) == turn.election
    assert [True] == [reply.topics[0].partitions[0].vote_granted for _, reply in turn.replies]


@pytest.mark.rule("9.37", "9.38", "10.3")
def test_a_vote_survives_a_crash(unattached):
    asked(unattached, vote(2, 3))
    unattached.restart(ME)

    assert (3, key_of(2)) == (unattached.quorums[ME].epoch, unattached.quorums[ME].voted)
    assert (0, False) == asked(unattached, vote(3, 3, offset=100))


@pytest.mark.rule("10.15")
def test_a_receiver_asks_not_whether_anybody_is_a_voter():
    replicas = Replicas((1, 2, 3))
    replicas.add(4)

    assert (0, True) == asked(replicas, vote(9, 1), node_id=4)


@pytest.mark.rule("10.15")
def test_a_candidate_counts_only_voters():
    replicas = standing("candidate")
    quorum = replicas.quorums[ME]
    quorum.role = Candidate(quorum.role.election_ms, quorum.role.granted | {9})
    grant(replicas, votes_asked(replicas)[0], granted=False)

    assert isinstance(quorum.role, Candidate)
