"""How leaders are announced, and how epochs are learned."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    FetchRequest,
)
from kraftsim.controller.raft import conduct, fetch_answer
from kraftsim.controller.raft.epochs import RISE_MAX, RISE_PERIOD_MS
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.roles import Follower, Unattached
from tests.builders import CLUSTER_ID, uuid_of
from tests.raft.replicas import Replicas, endpoint_of, key_of
from tests.raft.requests import begin, vote
from tests.raft.standing import ME, standing, vote_answer, votes_asked

EPOCH_LAST = 2**31 - 1


def error_of(response):
    assert response.error_code == 0, response
    return response.topics[0].partitions[0].error_code


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


@pytest.mark.rule("10.9")
def test_a_leader_of_several_listeners_is_followed_at_the_name_of_the_own_listener():
    replicas = standing("unattached")
    request = begin(3, 4)
    plain = request.leader_endpoints[0]
    others = [replace(plain, name=name, port=port) for name, port in (("A", 1), ("Z", 2))]
    replicas.ask(ME, replace(request, leader_endpoints=(others[0], plain, others[1])))

    assert plain.port == replicas.quorums[ME].leader_endpoint.port


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
        told += [
            request for request in replicas.requests(BeginQuorumEpochRequest) if request not in told
        ]
        if replicas.in_flight:
            replicas.deliver(replicas.in_flight[0])
        else:
            replicas.fire(min(replicas.quorums, key=replicas.due_ms.get))

    leader = replicas.leader.me.node_id
    assert sorted({1, 2, 3, 4, 5} - {leader}) == sorted(send.receiver for send in told)
    assert {endpoint_of(leader).port} == {
        endpoint.port for message in told for endpoint in message.sent.request.leader_endpoints
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
        told += [
            request for request in replicas.requests(BeginQuorumEpochRequest) if request not in told
        ]

    assert {3} == {send.receiver for send in told}
    assert len(told) >= 1


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


# Epochs far ahead


@pytest.mark.rule("10.8", "10.13")
@pytest.mark.parametrize("pre_vote", [False, True])
def test_a_vote_far_ahead_raises_the_epoch_only_a_part_of_the_way(pre_vote):
    """One frame with such an epoch must not end a quorum for good."""
    replicas = standing("leader")

    response = replicas.ask(ME, vote(7, EPOCH_LAST, pre_vote=pre_vote))

    assert ErrorCode.INVALID_REQUEST == error_of(response)
    assert (1 + RISE_MAX, False) == (replicas.quorums[ME].epoch, replicas.quorums[ME].is_leader)


@pytest.mark.rule("10.8", "10.23")
@pytest.mark.parametrize(
    ("ahead", "code", "known"),
    [
        (RISE_MAX - 1, ErrorCode.NONE, (RISE_MAX, 2)),
        (RISE_MAX, ErrorCode.NONE, (RISE_MAX + 1, 2)),
        (RISE_MAX + 1, ErrorCode.INVALID_REQUEST, (RISE_MAX + 1, -1)),
        (EPOCH_LAST - 1, ErrorCode.INVALID_REQUEST, (RISE_MAX + 1, -1)),
    ],
)
def test_a_leader_is_followed_as_far_ahead_as_an_epoch_is_learned_at_once(ahead, code, known):
    replicas = standing("follower")
    replicas.now_ms += RISE_PERIOD_MS

    response = replicas.ask(ME, begin(2, 1 + ahead))

    quorum = replicas.quorums[ME]
    assert (code, known) == (error_of(response), (quorum.epoch, quorum.leader_id))


@pytest.mark.rule("10.8")
def test_however_many_messages_name_the_last_epoch_it_stays_far_away():
    replicas = standing("unattached")
    began_ms, before = replicas.now_ms, replicas.quorums[ME].epoch
    while replicas.now_ms < began_ms + 5 * RISE_PERIOD_MS:
        replicas.ask(ME, vote(7, EPOCH_LAST))
        replicas.ask(ME, begin(2, EPOCH_LAST))
        replicas.now_ms += 10

    assert before + 5 * RISE_MAX == replicas.quorums[ME].epoch
    assert replicas.elect().epoch <= before + 6 * RISE_MAX


@pytest.mark.rule("10.8", "10.9")
def test_a_voter_that_slept_through_many_epochs_follows_in_the_end():
    replicas = Replicas((1, 2, 3))
    replicas.isolate(3)
    replicas.elect()
    for node_id in (1, 2):
        turn = replicas.turn()
        replicas.quorums[node_id].become_unattached(3 * RISE_MAX, turn)
        replicas.carry_out(node_id, turn)
    leader = replicas.elect()
    replicas.heal()
    replicas.run_for(10_000)

    assert leader.epoch > 3 * RISE_MAX
    assert {(leader.epoch, leader.leader_id)} == {
        (quorum.epoch, quorum.leader_id) for quorum in replicas.quorums.values()
    }


@pytest.mark.rule("10.54")
def test_a_higher_epoch_that_is_not_learned_is_asked_about_again_only_after_a_pause():
    replicas = standing("follower")
    replicas.now_ms += RISE_PERIOD_MS
    replicas.ask(ME, vote(7, EPOCH_LAST))
    replicas.lose_everything()
    replicas.step(ME, conduct.on_deadline)
    (fetch,) = replicas.requests(FetchRequest, sender=ME)
    fenced = fetch_answer.Leadership(
        leads=False, cluster_id=CLUSTER_ID, leader_id=2, epoch=EPOCH_LAST, endpoints=()
    )
    response = fetch_answer.refused(fenced, ErrorCode.FENCED_LEADER_EPOCH)
    replicas.answer(fetch, response)

    asked = {request.receiver for request in replicas.requests(FetchRequest, sender=ME)}
    assert fetch.receiver not in asked
    assert 1 + RISE_MAX == replicas.quorums[ME].epoch
