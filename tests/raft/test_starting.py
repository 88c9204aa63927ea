"""How a process begins: from what the last one left on its disk."""

import pytest

from kraftsim.controller.core.rpc import (
    EndQuorumEpochRequest,
    VoteRequest,
)
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.roles import Candidate, Follower, Resigned, Unattached
from tests.builders import uuid_of
from tests.raft.replicas import Disk, Replicas, key_of
from tests.raft.requests import begin, vote
from tests.raft.standing import ME, lead, standing


def started(state, *, voters=(1, 2, 3), log_of=None, node_id=ME):
    """A replica whose disk says `state`, with the log of a leader of epoch 1 if `log_of`."""
    replicas = Replicas(voters)
    if log_of is not None:
        lead(replicas, log_of)
        replicas.run_for(1000)
    batches = replicas.disks[node_id].batches
    replicas.crash(node_id)
    replicas.disks[node_id] = Disk(state, batches)
    replicas.in_flight.clear()
    replicas.start(node_id)
    return replicas


@pytest.mark.rule("10.3")
@pytest.mark.parametrize(
    ("state", "role", "epoch", "leader", "voted"),
    [
        (ElectionState(), Unattached, 0, -1, None),
        (ElectionState(4), Unattached, 4, -1, None),
        (ElectionState(4, ME, key_of(ME)), Resigned, 4, ME, key_of(ME)),
        (ElectionState(4, -1, key_of(ME)), Candidate, 4, -1, key_of(ME)),
        (ElectionState(4, -1, key_of(2)), Unattached, 4, -1, key_of(2)),
        (ElectionState(4, 2, key_of(2)), Follower, 4, 2, key_of(2)),
        (ElectionState(4, 2, key_of(ME)), Follower, 4, 2, key_of(ME)),
        (ElectionState(4, 9), Unattached, 4, 9, None),
    ],
)
def test_a_process_takes_up_what_the_last_one_left(state, role, epoch, leader, voted):
    quorum = started(state).quorums[ME]

    assert (role, epoch, leader, voted) == (
        type(quorum.role),
        quorum.epoch,
        quorum.leader_id,
        quorum.voted,
    )


@pytest.mark.rule("10.3")
def test_a_state_older_than_the_log_counts_for_nothing():
    replicas = started(ElectionState(0, -1, key_of(3)), log_of=2)
    quorum = replicas.quorums[ME]

    assert (1, -1, None) == (quorum.epoch, quorum.leader_id, quorum.voted)
    assert isinstance(quorum.role, Unattached)
    assert ElectionState(1) == replicas.disks[ME].election


@pytest.mark.rule("10.3", "10.14")
def test_a_leader_whose_endpoint_is_not_known_is_still_the_leader():
    replicas = started(ElectionState(4, 9))

    response = replicas.ask(ME, vote(2, 4, offset=100))
    assert not response.topics[0].partitions[0].vote_granted
    replicas.ask(ME, begin(9, 4))
    assert isinstance(replicas.quorums[ME].role, Follower)


@pytest.mark.rule("10.4", "10.16")
@pytest.mark.parametrize(
    "state",
    [ElectionState(1, ME, key_of(ME)), ElectionState(1), ElectionState(1, -1, key_of(2))],
)
def test_a_single_voter_leads_at_once_in_the_next_epoch(state):
    quorum = started(state, voters=(ME,)).quorums[ME]

    assert (True, 2, 0) == (quorum.is_leader, quorum.epoch, quorum.leader_id - ME)


@pytest.mark.rule("10.4", "5.36")
def test_one_reborn_under_the_id_of_the_single_voter_does_not_lead():
    replicas = Replicas((ME,))
    quorum = replicas.quorums[ME]
    replicas.crash(ME, loses_disk=True)
    replicas.directories[ME] = uuid_of("reborn")
    replicas.start(ME)
    replicas.run_for(10_000)

    assert quorum is not replicas.quorums[ME]
    assert (0, Unattached) == (replicas.quorums[ME].epoch, type(replicas.quorums[ME].role))


@pytest.mark.rule("10.41", "10.3", "10.4")
def test_a_leader_that_restarts_resigns_with_an_empty_list_of_successors():
    replicas = standing("leader")
    replicas.restart(ME)

    requests = [
        request.sent.request for request in replicas.requests(EndQuorumEpochRequest, sender=ME)
    ]
    (partition,) = {request.topics[0].partitions[0] for request in requests}
    assert (2, ME, 1, (), ()) == (
        len(requests),
        partition.leader_id,
        partition.leader_epoch,
        partition.preferred_successors,
        partition.preferred_candidates,
    )
    assert {()} == {request.leader_endpoints for request in requests}
    assert isinstance(replicas.quorums[ME].role, Resigned)


@pytest.mark.rule("10.2", "10.3", "10.16")
def test_a_candidate_that_is_no_voter_any_more_does_not_go_on():
    replicas = Replicas((2, 3))
    replicas.disks[ME] = Disk(ElectionState(4, -1, key_of(ME)))
    replicas.start(ME)

    assert (4, Unattached) == (replicas.quorums[ME].epoch, type(replicas.quorums[ME].role))
    assert [] == replicas.requests(VoteRequest, sender=ME)
