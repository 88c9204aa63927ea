"""Elections: who asks, who wins, who asks again, and when."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import VoteRequest, VoteResponse
from kraftsim.controller.raft import conduct, messages
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.roles import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Unattached,
)
from kraftsim.controller.time.timeline import NEVER_MS
from tests.raft.replicas import Replicas, key_of
from tests.raft.requests import begin, vote
from tests.raft.standing import ME, grant, lead, prospect, standing, vote_answer, votes_asked

# Who wins


@pytest.mark.rule("10.1", "10.16")
def test_a_prospective_asks_every_other_voter_without_raising_its_epoch():
    replicas = standing("prospective")

    sent = votes_asked(replicas)
    partitions = [messages.vote_partition(request.sent.request) for request in sent]
    assert {2, 3} == {request.sent.request.voter_id for request in sent}
    assert {(0, True)} == {
        (partition.replica_epoch, partition.pre_vote) for partition in partitions
    }
    assert ElectionState() == replicas.disks[ME].election


@pytest.mark.rule("10.16", "9.37")
def test_a_candidate_raises_its_epoch_and_votes_for_itself():
    replicas = standing("candidate")

    assert ElectionState(epoch=1, voted=key_of(ME)) == replicas.disks[ME].election


@pytest.mark.rule("10.16", "10.19")
def test_a_majority_elects():
    replicas = Replicas((1, 2, 3, 4, 5))
    lead(replicas, 1)

    change = replicas.leader.log.batches[0].records[0]
    assert 1 in change.granting_voters
    assert len(change.granting_voters) >= 3


@pytest.mark.rule("10.16")
@pytest.mark.parametrize(("voters", "grants"), [(2, 1), (3, 1), (4, 2), (5, 2)])
def test_less_than_a_majority_does_not(voters, grants):
    replicas = Replicas(range(1, voters + 1))
    prospect(replicas)
    for next_role in (Candidate, Leader):
        requests = votes_asked(replicas)
        for request in requests[: grants - 1]:
            grant(replicas, request)
        assert not isinstance(replicas.quorums[ME].role, next_role)
        grant(replicas, requests[grants - 1])
        assert isinstance(replicas.quorums[ME].role, next_role)


@pytest.mark.rule("10.14", "10.17")
def test_a_split_vote_is_followed_by_another_election():
    replicas = Replicas((1, 2))
    prospect(replicas, 1)
    prospect(replicas, 2)
    for node_id in (1, 2):
        grant(replicas, votes_asked(replicas, node_id)[0])
    roles = [type(quorum.role) for quorum in replicas.quorums.values()]
    epochs = {quorum.epoch for quorum in replicas.quorums.values()}
    assert ([Candidate, Candidate], {1}) == (roles, epochs)

    leader = replicas.elect()

    assert leader.epoch >= 2
    assert 1 == sum(quorum.is_leader for quorum in replicas.quorums.values())


@pytest.mark.rule("10.14")
def test_two_candidates_of_an_epoch_refuse_each_other():
    response = standing("candidate").ask(ME, vote(2, 1, offset=100))

    assert not messages.vote_answer(response).vote_granted


@pytest.mark.rule("10.17")
def test_a_candidate_that_lost_waits_for_its_time_and_asks_without_raising_its_epoch():
    replicas = standing("candidate")
    for request in votes_asked(replicas):
        grant(replicas, request, granted=False)
    assert isinstance(replicas.quorums[ME].role, Candidate)

    while isinstance(replicas.quorums[ME].role, Candidate):
        replicas.fire(ME)

    assert isinstance(replicas.quorums[ME].role, Prospective)
    assert 1 == replicas.quorums[ME].epoch


@pytest.mark.rule("10.16", "10.17")
@pytest.mark.parametrize(("refusals", "asked"), [(1, {3, 4, 5}), (2, {4, 5}), (3, set())])
def test_a_candidate_that_a_majority_has_refused_asks_no_more(refusals, asked):
    """Released ones send no Vote after it (KafkaRaftClient.maybeSendVoteRequests)."""
    replicas = Replicas((1, 2, 3, 4, 5))
    prospect(replicas)
    for request in votes_asked(replicas)[:2]:
        grant(replicas, request)
    for request in votes_asked(replicas)[:refusals]:
        grant(replicas, request, granted=False)

    assert isinstance(replicas.quorums[ME].role, Candidate)
    assert asked == {request.receiver for request in votes_asked(replicas)}


@pytest.mark.rule("10.1", "10.16")
def test_a_prospective_that_meets_a_voter_without_pre_votes_is_a_candidate_at_once():
    """Released 3.9 voters know Vote 1 alone."""
    replicas = standing("prospective")
    message = votes_asked(replicas)[0]
    replicas.answer(message, VoteResponse(error_code=ErrorCode.UNSUPPORTED_VERSION))

    assert ElectionState(epoch=1, voted=key_of(ME)) == replicas.disks[ME].election
    again = [request.sent.request for request in votes_asked(replicas)]
    assert {2, 3} == {request.voter_id for request in again}
    assert {False} == {messages.vote_partition(request).pre_vote for request in again}


@pytest.mark.rule("10.16", "10.18")
def test_a_voter_without_pre_votes_is_a_candidate_when_its_time_ends():
    replicas = Replicas((1, 2, 3), has_pre_votes=False)
    while not replicas.requests(VoteRequest):
        replicas.lose_everything()
        replicas.fire(ME)

    sent = [message.sent.request for message in replicas.requests(VoteRequest, sender=ME)]
    partitions = [messages.vote_partition(request) for request in sent]
    assert {(1, False)} == {(asked.replica_epoch, asked.pre_vote) for asked in partitions}
    assert ElectionState(epoch=1, voted=key_of(ME)) == replicas.disks[ME].election


@pytest.mark.rule("10.16", "10.18")
def test_voters_without_pre_votes_elect_a_leader():
    replicas = Replicas((1, 2, 3), has_pre_votes=False)
    replicas.elect()

    assert replicas.leader.epoch >= 1


@pytest.mark.rule("10.54")
def test_a_candidate_that_is_told_so_asks_again_only_after_a_pause():
    replicas = standing("candidate")
    message = votes_asked(replicas)[0]
    replicas.answer(message, VoteResponse(error_code=ErrorCode.UNSUPPORTED_VERSION))

    assert message.receiver not in {request.receiver for request in replicas.requests(VoteRequest)}
    assert 1 == replicas.quorums[ME].epoch


# Two at a time


def both_prospective():
    """1 and 2 have lost 3, which led, in the same moment; nothing that they ask has arrived."""
    replicas = Replicas((1, 2, 3))
    lead(replicas, 3)
    replicas.run_for(1000)
    replicas.crash(3)
    replicas.lose_everything()
    replicas.now_ms = max(replicas.due_ms[node_id] for node_id in (1, 2)) + 3000
    for node_id in (1, 2):
        replicas.step(node_id, conduct.on_deadline)
        assert isinstance(replicas.quorums[node_id].role, Prospective)
    return replicas


@pytest.mark.rule("10.14", "10.17")
def test_of_two_voters_that_lose_their_leader_at_once_the_one_with_the_lower_id_leads():
    """Else both stand, and refuse each other, for one to two seconds more."""
    replicas = both_prospective()
    replicas.run_for(10)

    assert (1, 2) == (replicas.leader.me.node_id, replicas.leader.epoch)


@pytest.mark.rule("10.17")
def test_a_voter_that_lets_another_go_first_does_not_wait_for_long():
    replicas = both_prospective()
    (request,) = (
        request for request in replicas.requests(VoteRequest, sender=1) if request.receiver == 2
    )
    replicas.deliver(request)
    replicas.crash(1)
    replicas.start(1)
    replicas.run_for(99)
    assert replicas.leader is None
    replicas.run_for(10)

    assert 2 == replicas.leader.me.node_id


@pytest.mark.rule("10.17")
def test_a_voter_lets_another_go_first_once_however_often_it_is_asked():
    replicas = both_prospective()
    request = vote(1, 1, last_epoch=1, offset=100, pre_vote=True)
    replicas.ask(2, request)
    stands_ms = replicas.quorums[2].role.stands_ms
    replicas.now_ms += 50
    replicas.ask(2, request)

    assert stands_ms == replicas.quorums[2].role.stands_ms == replicas.now_ms + 50


@pytest.mark.rule("10.15", "10.17")
@pytest.mark.parametrize("candidate", [3, 0])
def test_nobody_holds_back_for_a_higher_id_or_for_one_that_is_no_voter(candidate):
    replicas = both_prospective()
    replicas.ask(2, vote(candidate, 1, last_epoch=1, offset=100, pre_vote=True))

    assert 0 == replicas.quorums[2].role.stands_ms


@pytest.mark.rule("10.18", "10.1")
def test_a_replica_that_was_cut_off_disturbs_nobody_when_it_returns():
    replicas = Replicas((1, 2, 3))
    leader = replicas.elect()
    cut_off = min({1, 2, 3} - {leader.me.node_id})
    replicas.isolate(cut_off)
    replicas.run_for(60_000)
    assert 1 == replicas.quorums[cut_off].epoch

    replicas.heal()
    replicas.run_for(10_000)

    assert (leader, 1) == (replicas.leader, leader.epoch)
    assert isinstance(replicas.quorums[cut_off].role, Follower)


@pytest.mark.rule("10.1", "10.36")
def test_a_prospective_that_is_refused_returns_to_the_leader_it_knows():
    replicas = standing("follower")
    prospect(replicas)
    for request in votes_asked(replicas):
        grant(replicas, request, granted=False)

    role = replicas.quorums[ME].role
    assert isinstance(role, Follower)
    assert (2, replicas.now_ms + 2000) == (replicas.quorums[ME].leader_id, role.fetch_ms)


@pytest.mark.rule("10.7")
def test_a_prospective_that_is_refused_and_knows_no_leader_draws_its_time_anew():
    replicas = standing("prospective")
    replicas.now_ms += 900
    before_ms = replicas.quorums[ME].role.election_ms
    for request in votes_asked(replicas):
        grant(replicas, request, granted=False)

    role = replicas.quorums[ME].role
    assert isinstance(role, Unattached)
    assert before_ms != role.election_ms
    assert replicas.now_ms + 1000 <= role.election_ms < replicas.now_ms + 2000


@pytest.mark.rule("10.11", "10.16")
@pytest.mark.parametrize("late", ["epoch", "kind"])
def test_a_vote_for_another_election_does_not_count(late):
    replicas = standing("unattached")
    prospect(replicas)
    message = votes_asked(replicas)[0]
    quorum = replicas.quorums[ME]
    if late == "epoch":
        quorum.become_unattached(4, replicas.turn())
        quorum.become_prospective(replicas.turn())
    else:
        quorum.become_candidate(replicas.turn())
    role = quorum.role
    replicas.answer(message, vote_answer(0))

    assert role == quorum.role


@pytest.mark.rule("10.8", "10.9")
@pytest.mark.parametrize("leader_id", [-1, 3])
def test_a_refusal_from_a_higher_epoch_ends_a_candidacy(leader_id):
    replicas = standing("candidate")
    message = votes_asked(replicas)[0]
    replicas.answer(message, vote_answer(6, granted=False, error=74, leader_id=leader_id))

    quorum = replicas.quorums[ME]
    assert (6, leader_id, None) == (quorum.epoch, quorum.leader_id, quorum.voted)
    assert isinstance(quorum.role, Unattached if leader_id == -1 else Follower)


@pytest.mark.rule("10.54")
def test_a_vote_that_is_not_answered_is_asked_again():
    replicas = standing("unattached")
    prospect(replicas)
    message = votes_asked(replicas)[0]
    replicas.answer(message, None)
    replicas.in_flight.clear()
    replicas.step(ME, conduct.on_deadline)
    assert [] == replicas.requests(VoteRequest)

    replicas.now_ms += 20
    replicas.step(ME, conduct.on_deadline)

    assert [message.receiver] == [request.receiver for request in replicas.requests(VoteRequest)]


# Times


@pytest.mark.rule("10.7", "10.54")
def test_patience_for_an_election_is_drawn_from_one_to_two_timeouts():
    drawn = {Replicas((1, 2, 3), seed=seed).quorums[1].role.election_ms for seed in range(200)}

    assert 1000 <= min(drawn) < 1050
    assert 1950 < max(drawn) < 2000


@pytest.mark.rule("10.7")
@pytest.mark.parametrize(
    ("role", "stays"),
    [
        ("unattached", True),
        ("prospective", True),
        ("candidate", True),
        ("resigned", True),
        ("follower", False),
        ("leader", False),
    ],
)
def test_a_higher_epoch_leaves_an_election_the_rest_of_its_time(role, stays):
    replicas = standing(role)
    before_ms = getattr(replicas.quorums[ME].role, "election_ms", None)
    replicas.ask(ME, vote(2, 9, voter=2))

    after_ms = replicas.quorums[ME].role.election_ms
    assert stays == (before_ms == after_ms)
    assert stays or replicas.now_ms + 1000 <= after_ms < replicas.now_ms + 2000


@pytest.mark.rule("10.7")
def test_a_vote_draws_a_new_time():
    replicas = standing("unattached")
    replicas.now_ms += 500
    before_ms = replicas.quorums[ME].role.election_ms
    replicas.ask(ME, vote(2, 3))

    assert before_ms != replicas.quorums[ME].role.election_ms


@pytest.mark.rule("10.2", "10.7")
def test_an_observer_never_stands_for_election():
    replicas = Replicas((1, 2, 3))
    replicas.add(4)
    assert NEVER_MS == replicas.quorums[4].role.election_ms
    leader = replicas.elect()
    replicas.run_for(1000)
    for node_id in (1, 2, 3):
        replicas.crash(node_id)
    replicas.run_for(60_000)

    observer = replicas.quorums[4]
    assert (1, leader.me.node_id) == (observer.epoch, observer.leader_id)
    assert isinstance(observer.role, Follower)


@pytest.mark.rule("10.2", "10.14")
def test_an_observer_that_learns_an_epoch_still_waits_for_ever():
    replicas = Replicas((1, 2, 3))
    replicas.add(4)
    replicas.ask(4, begin(2, 3))
    replicas.ask(4, vote(2, 8, voter=2))

    assert NEVER_MS == replicas.quorums[4].role.election_ms
