"""How epochs and leaders are learned, announced and given up; and how a process begins."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchRequest,
    VoteRequest,
)
from kraftsim.controller.raft import conduct, messages
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import LostMemoryError
from kraftsim.controller.raft.roles import Candidate, Follower, Prospective, Resigned, Unattached
from tests.builders import uuid_of
from tests.raft.replicas import Disk, Replicas, endpoint_of, key_of
from tests.raft.requests import begin, describe, end, fetch_by, vote
from tests.raft.standing import ME, lead, standing, vote_answer, votes_asked


def error_of(response):
    assert response.error_code == 0, response
    return response.topics[0].partitions[0].error_code


# BeginQuorumEpoch


@pytest.mark.rule("10.23")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"cluster_id": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"topic": "another"}, ErrorCode.INVALID_REQUEST),
        ({"cluster_id": "another", "topic": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
    ],
)
def test_a_beginning_that_is_refused_as_a_whole_teaches_nothing(fields, code):
    replicas = standing("unattached")

    assert BeginQuorumEpochResponse(error_code=code) == replicas.ask(ME, begin(2, 4, **fields))
    assert 0 == replicas.quorums[ME].epoch


@pytest.mark.rule("10.23", "10.9")
@pytest.mark.parametrize(
    ("leader", "epoch", "fields", "code", "known"),
    [
        (2, 2, {}, ErrorCode.FENCED_LEADER_EPOCH, (3, -1)),
        (-1, 2, {}, ErrorCode.FENCED_LEADER_EPOCH, (3, -1)),
        (-1, 4, {}, ErrorCode.INVALID_REQUEST, (3, -1)),
        (2, 4, {"voter": 3}, ErrorCode.INVALID_VOTER_KEY, (4, 2)),
        (2, 4, {"voter": ME, "voter_directory": uuid_of("x")}, ErrorCode.INVALID_VOTER_KEY, (4, 2)),
        (2, 4, {"voter": ME}, ErrorCode.NONE, (4, 2)),
        (2, 3, {"cluster_id": None}, ErrorCode.NONE, (3, 2)),
    ],
)
def test_a_beginning_is_checked_in_order(leader, epoch, fields, code, known):
    replicas = standing("unattached")
    replicas.ask(ME, vote(2, 3, voter=9))

    response = replicas.ask(ME, begin(leader, epoch, **fields))

    quorum = replicas.quorums[ME]
    data = response.topics[0].partitions[0]
    assert code == error_of(response)
    assert known == (quorum.epoch, quorum.leader_id)
    assert known == (data.leader_epoch, data.leader_id)


@pytest.mark.rule("10.5", "10.9", "10.6")
def test_a_leader_is_durable_before_it_is_followed():
    replicas = standing("unattached")
    turn = replicas.turn()
    conduct.on_request(replicas.quorums[ME], begin(2, 4), "token", turn)

    assert ElectionState(epoch=4, leader_id=2) == turn.election
    assert [FetchRequest] == [type(send.request) for send in turn.sends]


@pytest.mark.rule("10.6")
def test_a_vote_is_kept_after_the_leader_is_known():
    replicas = standing("unattached")
    replicas.ask(ME, vote(2, 3))
    replicas.ask(ME, begin(2, 3))

    assert ElectionState(epoch=3, leader_id=2, voted=key_of(2)) == replicas.disks[ME].election


@pytest.mark.rule("10.9")
def test_an_epoch_whose_leader_cannot_be_reached_is_learned_without_it():
    replicas = standing("unattached")
    replicas.ask(ME, begin(9, 4, has_endpoint=False))

    quorum = replicas.quorums[ME]
    assert (4, -1, Unattached) == (quorum.epoch, quorum.leader_id, type(quorum.role))


@pytest.mark.rule("10.10")
@pytest.mark.parametrize("role", ["unattached", "prospective", "candidate"])
def test_a_leader_that_is_learned_in_the_own_epoch_is_followed(role):
    replicas = standing(role)
    replicas.ask(ME, begin(3, 1))

    assert (3, Follower) == (replicas.quorums[ME].leader_id, type(replicas.quorums[ME].role))


@pytest.mark.rule("10.10", "9.36")
@pytest.mark.parametrize(("role", "leader"), [("follower", 2), ("leader", ME), ("resigned", ME)])
def test_a_second_leader_of_an_epoch_is_not_believed(role, leader):
    """Kafka's process ends there; ours stays with the leader that it has."""
    replicas = standing(role)
    before = type(replicas.quorums[ME].role)
    replicas.ask(ME, begin(3, 1))

    assert (leader, before) == (replicas.quorums[ME].leader_id, type(replicas.quorums[ME].role))


@pytest.mark.rule("10.22")
def test_a_new_leader_says_so_to_every_voter_once():
    replicas = Replicas((1, 2, 3, 4, 5))
    told = []
    while replicas.now_ms < 20_000:
        told += [one for one in replicas.requests(BeginQuorumEpochRequest) if one not in told]
        if replicas.in_flight:
            replicas.deliver(replicas.in_flight[0])
        else:
            replicas.fire(min(replicas.quorums, key=replicas.due_ms.get))

    leader = replicas.leader.me.node_id
    assert sorted({1, 2, 3, 4, 5} - {leader}) == sorted(one.receiver for one in told)
    assert {endpoint_of(leader).port} == {
        one.port for message in told for one in message.sent.request.leader_endpoints
    }


@pytest.mark.rule("10.22", "10.54")
def test_a_voter_that_does_not_fetch_is_told_again_after_half_a_fetch_timeout():
    replicas = standing("leader")
    replicas.lose_everything()
    replicas.isolate(3)
    told = []
    began_ms = replicas.now_ms
    while replicas.now_ms < began_ms + 2500:
        replicas.run_for(100)
        replicas.fire(ME)
        told += [one for one in replicas.requests(BeginQuorumEpochRequest) if one not in told]

    assert {3} == {one.receiver for one in told}
    assert len(told) >= 1


# Epochs


@pytest.mark.rule("10.8", "10.11")
def test_an_answer_of_a_lower_epoch_is_ignored():
    replicas = standing("candidate")
    message = votes_asked(replicas)[0]
    before = replicas.quorums[ME].role
    replicas.answer(message, vote_answer(0, granted=False, error=74, leader_id=2))

    assert (1, -1, before) == (
        replicas.quorums[ME].epoch,
        replicas.quorums[ME].leader_id,
        replicas.quorums[ME].role,
    )


@pytest.mark.rule("9.38", "10.6")
@pytest.mark.parametrize("role", ["follower", "candidate", "leader", "resigned", "prospective"])
def test_an_epoch_survives_a_crash(role):
    replicas = standing(role)
    epoch = replicas.quorums[ME].epoch
    replicas.restart(ME)

    assert epoch == replicas.quorums[ME].epoch


# Starting


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

    requests = [one.sent.request for one in replicas.requests(EndQuorumEpochRequest, sender=ME)]
    (partition,) = {messages.end_partition(one) for one in requests}
    assert (2, ME, 1, (), ()) == (
        len(requests),
        partition.leader_id,
        partition.leader_epoch,
        partition.preferred_successors,
        partition.preferred_candidates,
    )
    assert {()} == {one.leader_endpoints for one in requests}
    assert isinstance(replicas.quorums[ME].role, Resigned)


@pytest.mark.rule("10.2", "10.3", "10.16")
def test_a_candidate_that_is_no_voter_any_more_does_not_go_on():
    replicas = Replicas((2, 3))
    replicas.disks[ME] = Disk(ElectionState(4, -1, key_of(ME)))
    replicas.start(ME)

    assert (4, Unattached) == (replicas.quorums[ME].epoch, type(replicas.quorums[ME].role))
    assert [] == replicas.requests(VoteRequest, sender=ME)


# EndQuorumEpoch


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
    assert [key_of(one) for one in (4, 3, 2)] == list(messages.successors(request))
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
    for one in replicas.requests(EndQuorumEpochRequest):
        replicas.deliver(one)
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
    assert [second.receiver] == [one.receiver for one in again]


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


# A voter without a disk


@pytest.mark.rule("9.37")
def test_a_quorum_of_volatile_voters_elects_a_leader_when_it_first_boots():
    replicas = Replicas((1, 2, 3), is_volatile=True)
    assert 1 == replicas.elect().epoch


@pytest.mark.rule("9.37")
def test_a_volatile_voter_takes_no_part_until_a_majority_of_the_others_has_seen_no_epoch():
    replicas = Replicas((1, 2, 3, 4, 5), is_volatile=True)
    replicas.in_flight.clear()
    for heard in (2, 3):
        replicas.ask(1, fetch_by(heard, replicas.quorums[1]))
        assert not granted_by(replicas)
    assert replicas.quorums[1].heard_of_no_epoch == {2, 3}
    replicas.now_ms += 60_000
    replicas.step(1, conduct.on_deadline)
    assert isinstance(replicas.quorums[1].role, Unattached)
    assert [] == replicas.requests(VoteRequest)

    replicas.ask(1, fetch_by(4, replicas.quorums[1]))
    assert granted_by(replicas)


def granted_by(replicas):
    response = replicas.ask(1, vote(2, 0, offset=100, pre_vote=True))
    return response.topics[0].partitions[0].vote_granted


@pytest.mark.rule("9.37")
@pytest.mark.parametrize(
    "request_",
    [
        vote(2, 1),
        vote(2, 1, pre_vote=True),
        begin(2, 1),
        end(2, 1),
    ],
    ids=["vote", "pre-vote", "begin", "end"],
)
def test_a_volatile_voter_that_hears_of_an_epoch_must_not_go_on(request_):
    replicas = Replicas((1, 2, 3), is_volatile=True)

    with pytest.raises(LostMemoryError, match="controller 2 is at epoch 1"):
        replicas.ask(1, request_)


@pytest.mark.rule("9.37")
def test_what_others_than_voters_say_of_an_epoch_is_no_reason_to_stop():
    replicas = Replicas((1, 2, 3), is_volatile=True)
    replicas.ask(1, describe())
    replicas.ask(1, vote(9, 0, pre_vote=True))

    assert frozenset() == replicas.quorums[1].heard_of_no_epoch


@pytest.mark.rule("9.37")
@pytest.mark.parametrize("victim", ["leader", "follower"])
def test_a_volatile_voter_that_is_reborn_under_its_old_directory_must_not_vote(victim):
    replicas = Replicas((1, 2, 3), is_volatile=True)
    leader = replicas.elect().me.node_id
    follower = min({1, 2, 3} - {leader})
    replicas.run_for(1000)
    reborn = leader if victim == "leader" else follower
    replicas.restart(reborn, loses_disk=True)

    with pytest.raises(LostMemoryError, match=f"controller {reborn} keeps its log in memory"):
        replicas.run_for(10_000)


@pytest.mark.rule("9.37")
def test_a_single_volatile_voter_has_promised_nobody_anything():
    replicas = Replicas((1,), is_volatile=True)
    replicas.restart(1, loses_disk=True)

    assert replicas.quorums[1].is_leader
