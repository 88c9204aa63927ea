"""A leader gives up, and says to whom."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    EndQuorumEpochPartition,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    EndQuorumEpochTopic,
    PreferredCandidate,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.raft import conduct, messages
from kraftsim.controller.raft.roles import Follower, Prospective, Resigned, Unattached
from tests.raft.replicas import Replicas, key_of
from tests.raft.requests import end
from tests.raft.standing import ME, ROLES, grant, lead, standing, votes_asked


def error_of(response):
    assert response.error_code == 0, response
    return response.topics[0].partitions[0].error_code


@pytest.mark.rule("10.40")
@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (end(2, 1, cluster_id="another"), ErrorCode.INCONSISTENT_CLUSTER_ID),
        (end(2, 1, topic="another"), ErrorCode.INVALID_REQUEST),
    ],
)
def test_an_end_that_is_refused_as_a_whole_changes_nothing(request_, code):
    replicas = standing("follower")
    before = replicas.quorums[ME].role

    assert EndQuorumEpochResponse(error_code=code) == replicas.ask(ME, request_)
    assert before == replicas.quorums[ME].role


@pytest.mark.rule("10.40", "10.8")
@pytest.mark.parametrize(
    ("leader", "epoch", "code", "known"),
    [
        (2, 0, ErrorCode.FENCED_LEADER_EPOCH, (1, 2)),
        (-1, 1, ErrorCode.INVALID_REQUEST, (1, 2)),
        (2, 1, ErrorCode.NONE, (1, 2)),
        (3, 4, ErrorCode.NONE, (4, 3)),
    ],
)
def test_an_end_is_checked_in_order(leader, epoch, code, known):
    replicas = standing("follower")
    response = replicas.ask(ME, end(leader, epoch))

    quorum = replicas.quorums[ME]
    assert code == error_of(response)
    assert known == (quorum.epoch, quorum.leader_id)


@pytest.mark.rule("10.40")
@pytest.mark.parametrize(
    ("successors", "backoff_ms"),
    [
        ((ME,), 0),
        ((ME, 3), 0),
        ((3, ME), 500),
        ((3, ME, 4), 250),
        ((3, 4, ME), 500),
        ((3, 4, 5, ME), 500),
        ((3, 4, 5), 1000),
        ((), 1000),
    ],
)
def test_successors_stand_one_after_the_other(successors, backoff_ms):
    replicas = standing("content follower")
    replicas.lose_everything()
    replicas.ask(ME, end(2, 1, successors))

    assert replicas.now_ms + backoff_ms == replicas.quorums[ME].role.fetch_ms


@pytest.mark.rule("10.40")
@pytest.mark.parametrize(
    ("directory", "backoff_ms"), [(key_of(ME).directory_id, 0), (ZERO_UUID, 0), (b"x" * 16, 1000)]
)
def test_a_successor_is_named_with_its_directory(directory, backoff_ms):
    """One that was reborn is another replica; an older leader names ids alone."""
    replicas = standing("content follower")
    replicas.lose_everything()
    named = PreferredCandidate(candidate_id=ME, candidate_directory_id=directory)
    said = EndQuorumEpochPartition(leader_id=2, leader_epoch=1, preferred_candidates=(named,))
    topic = EndQuorumEpochTopic(topic_name=messages.METADATA_TOPIC, partitions=(said,))
    replicas.ask(ME, EndQuorumEpochRequest(topics=(topic,)))

    assert replicas.now_ms + backoff_ms == replicas.quorums[ME].role.fetch_ms


@pytest.mark.rule("10.40")
def test_only_whoever_follows_that_leader_waits_less():
    replicas = standing("follower")
    before = replicas.quorums[ME].role
    replicas.ask(ME, end(3, 1, (ME,)))

    assert before == replicas.quorums[ME].role


@pytest.mark.rule("10.39")
def test_a_leader_that_resigns_names_those_who_have_most_of_its_log_first():
    replicas = Replicas((1, 2, 3, 4))
    lead(replicas, 1)
    replicas.run_for(1000)
    replicas.isolate(2)
    replicas.write(3)
    replicas.run_for(100)
    replicas.isolate(3)
    replicas.write(3)
    replicas.run_for(100)
    replicas.heal()
    replicas.resign(1)

    request = replicas.requests(EndQuorumEpochRequest)[0].sent.request
    assert [4, 3, 2] == [key.node_id for key in messages.successors(request)]
    assert [key_of(node_id) for node_id in (4, 3, 2)] == list(messages.successors(request))
    assert () == request.leader_endpoints


@pytest.mark.rule("10.39")
def test_whoever_is_to_follow_is_named_first():
    replicas = standing("leader")
    replicas.lose_everything()
    replicas.resign(ME, successor_id=3)

    request = replicas.requests(EndQuorumEpochRequest)[0].sent.request
    assert [3, 2] == [key.node_id for key in messages.successors(request)]


@pytest.mark.rule("10.39", "10.40")
def test_the_first_successor_asks_for_votes_at_once():
    """It need not win: the others may be content with the leader that they have lost."""
    replicas = standing("leader")
    replicas.run_for(1000)
    replicas.resign(ME, successor_id=3)
    for request in replicas.requests(EndQuorumEpochRequest):
        replicas.deliver(request)
    replicas.fire(3)

    assert isinstance(replicas.quorums[3].role, Prospective)
    assert isinstance(replicas.quorums[2].role, Follower)
    replicas.elect()
    assert 2 == replicas.leader.epoch


@pytest.mark.rule("10.39")
def test_a_resigned_leader_says_so_until_each_voter_has_heard():
    replicas = standing("resigned")
    replicas.lose_everything()
    replicas.step(ME, conduct.on_deadline)
    first, second = replicas.requests(EndQuorumEpochRequest)
    replicas.answer(first, messages.end_response(replicas.quorums[ME], ErrorCode.NONE))
    replicas.lose_everything()
    replicas.step(ME, conduct.on_deadline)

    again = replicas.requests(EndQuorumEpochRequest)
    assert [second.receiver] == [request.receiver for request in again]


@pytest.mark.rule("10.39", "10.8")
def test_a_resigned_leader_waits_for_an_election_and_then_stands_in_a_higher_epoch():
    replicas = standing("resigned")
    election_ms = replicas.quorums[ME].role.election_ms
    while isinstance(replicas.quorums[ME].role, Resigned):
        assert replicas.now_ms < election_ms
        replicas.lose_everything()
        replicas.fire(ME)

    assert (2, Unattached) == (replicas.quorums[ME].epoch, type(replicas.quorums[ME].role))
    replicas.fire(ME)
    assert (2, Prospective) == (replicas.quorums[ME].epoch, type(replicas.quorums[ME].role))


@pytest.mark.rule("10.39")
def test_a_single_voter_that_gives_up_leads_again_two_epochs_later():
    replicas = Replicas((ME,))
    replicas.resign(ME)
    replicas.elect()

    assert (ME, 3) == (replicas.leader.me.node_id, replicas.leader.epoch)


@pytest.mark.rule("10.39")
def test_a_single_voter_without_pre_votes_that_gives_up_leads_the_next_epoch():
    """Released 3.9.1 goes from epoch 1 to 2, 4.x to 3."""
    replicas = Replicas((ME,), has_pre_votes=False)
    replicas.resign(ME)
    replicas.elect()

    assert (ME, 2) == (replicas.leader.me.node_id, replicas.leader.epoch)


@pytest.mark.rule("10.26", "10.39")
@pytest.mark.parametrize("role", ROLES)
def test_a_replica_that_stops_begins_no_election(role):
    """Hunt 7: a controller that handed over led the next epoch but one."""
    replicas = standing(role)
    epoch = replicas.quorums[ME].epoch
    replicas.step(ME, conduct.stop)
    for _ in range(10):
        replicas.lose_everything()
        replicas.now_ms += 10_000
        replicas.step(ME, conduct.on_deadline)

    assert epoch == replicas.quorums[ME].epoch


@pytest.mark.rule("10.26")
def test_a_candidate_that_stops_resigns_if_it_wins():
    replicas = standing("candidate")
    replicas.step(ME, conduct.stop)
    grant(replicas, votes_asked(replicas)[0])

    assert isinstance(replicas.quorums[ME].role, Resigned)
    assert replicas.quorums[ME].log.end_offset == 0
    assert replicas.requests(EndQuorumEpochRequest)


@pytest.mark.rule("10.14", "10.26")
def test_a_leader_that_stops_votes_for_the_next_one():
    replicas = standing("leader")
    replicas.run_for(1000)
    replicas.step(ME, conduct.stop)
    replicas.isolate(3)
    replicas.elect()

    assert (2, 2) == (replicas.leader.me.node_id, replicas.leader.epoch)
