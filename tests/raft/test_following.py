"""What a follower does: it fetches, and takes what comes."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.control_records import VoterEndpoint
from kraftsim.controller.core.rpc import (
    FetchRequest,
    NodeEndpoint,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.roles import Follower, Prospective, Unattached
from tests.raft.followers import answer, batch, following, the_fetch
from tests.raft.replicas import Disk, Replicas
from tests.raft.requests import begin, vote
from tests.raft.standing import ME, lead, prospect


@pytest.fixture
def follower():
    """ME follows 2 in epoch 1, has ten records of epoch 1, and its next fetch is on its way."""
    return following()


@pytest.mark.rule("10.31", "10.32", "10.54")
def test_a_follower_says_what_it_has_and_waits_half_a_second(follower):
    request = the_fetch(follower).sent.request

    (wanted,) = request.topics[0].partitions
    assert (10, 1, 1, 0) == (
        wanted.fetch_offset,
        wanted.last_fetched_epoch,
        wanted.current_leader_epoch,
        wanted.high_watermark,
    )
    assert (500, ME) == (request.max_wait_ms, request.replica_state.replica_id)
    assert follower.quorums[ME].me.directory_id == wanted.replica_directory_id


@pytest.mark.rule("10.58")
@pytest.mark.parametrize(("bounds_fetches", "expected"), [(True, 1000), (False, 8 * 1024 * 1024)])
def test_a_follower_asks_for_as_many_bytes_as_configured_from_4_3_on(bounds_fetches, expected):
    settings = Settings(controller_quorum_fetch_max_bytes=1000)
    replicas = Replicas((1, 2, 3), settings=settings, bounds_fetches=bounds_fetches)
    replicas.ask(ME, begin(1, 2))

    assert expected == the_fetch(replicas).sent.request.max_bytes


@pytest.mark.rule("10.31")
@pytest.mark.parametrize(("told", "expected"), [(4, 4), (10, 10), (99, 10), (-1, 0)])
def test_a_follower_knows_as_committed_what_it_has_of_what_its_leader_says(
    follower, told, expected
):
    answer(follower, the_fetch(follower), high_watermark=told)

    assert expected == follower.quorums[ME].high_watermark


@pytest.mark.rule("10.31", "9.39")
def test_a_follower_that_is_told_less_keeps_what_it_knew(follower):
    for told in (8, -1, 4):
        answer(follower, the_fetch(follower), high_watermark=told)

    assert 8 == follower.quorums[ME].high_watermark


@pytest.mark.rule("10.31", "9.39")
def test_what_one_leader_said_to_be_committed_counts_not_for_the_next(follower):
    """Beyond what was here of it, another log may follow."""
    answer(follower, the_fetch(follower), high_watermark=99)
    follower.in_flight.clear()
    follower.ask(ME, begin(3, 2))
    answer(follower, the_fetch(follower), leader=(3, 2), records=(batch(10, 2, 3),))

    assert 10 == follower.quorums[ME].high_watermark


@pytest.mark.rule("10.32")
def test_a_follower_fetches_only_when_what_it_has_is_on_disk():
    replicas = Replicas((1, 2, 3), has_slow_disks=True)
    replicas.lose_everything()
    replicas.ask(ME, begin(2, 1))
    answer(replicas, the_fetch(replicas), records=(batch(0, 1, 5),), high_watermark=5)
    assert [] == replicas.requests(FetchRequest)
    assert 0 == replicas.quorums[ME].high_watermark

    replicas.flush(ME)

    assert 5 == the_fetch(replicas).sent.request.topics[0].partitions[0].fetch_offset
    assert 5 == replicas.quorums[ME].high_watermark


@pytest.mark.rule("10.32", "10.37")
def test_nor_does_it_when_it_has_lost_its_leader():
    replicas = Replicas((1, 2, 3), has_slow_disks=True)
    replicas.lose_everything()
    replicas.ask(ME, begin(2, 1))
    answer(replicas, the_fetch(replicas), records=(batch(0, 1, 5),))
    replicas.ask(ME, vote(3, 2, voter=9))
    assert isinstance(replicas.quorums[ME].role, Unattached)
    assert [] == replicas.requests(FetchRequest)

    replicas.flush(ME)

    assert 1 == len(replicas.requests(FetchRequest))


@pytest.mark.rule("10.36", "10.54")
def test_a_fetch_that_succeeds_gives_the_leader_a_whole_new_time(follower):
    follower.now_ms += 1500
    answer(follower, the_fetch(follower))

    role = follower.quorums[ME].role
    assert (follower.now_ms + 2000, True) == (role.fetch_ms, role.has_fetched)


@pytest.mark.rule("10.36")
def test_a_fetch_that_is_refused_does_not(follower):
    before = follower.quorums[ME].role
    follower.now_ms += 1500
    answer(follower, the_fetch(follower), error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)

    assert before == follower.quorums[ME].role


@pytest.mark.rule("10.36")
def test_a_voter_whose_leader_is_silent_asks_who_would_vote_for_it(follower):
    prospect(follower)

    assert isinstance(follower.quorums[ME].role, Prospective)
    assert (1, 2) == (follower.quorums[ME].epoch, follower.quorums[ME].leader_id)


@pytest.mark.rule("10.36", "10.2")
def test_an_observer_whose_leader_is_silent_looks_for_another():
    replicas = Replicas((1, 2, 3))
    replicas.add(4)
    leader = replicas.elect().me.node_id
    replicas.run_for(3000)
    assert leader == replicas.quorums[4].leader_id
    replicas.crash(leader)
    replicas.run_for(20_000)

    assert replicas.leader.me.node_id == replicas.quorums[4].leader_id != leader
    assert replicas.leader.log.end_offset == replicas.quorums[4].log.end_offset


@pytest.mark.rule("10.36", "10.38", "10.54")
def test_an_observer_whose_leader_hangs_asks_another_and_keeps_its_epochs_leader():
    """A released one does not change its role for it (KafkaRaftClient.pollFollowerAsObserver)."""
    replicas = Replicas((1, 2, 3))
    replicas.add(4)
    leader = replicas.elect().me.node_id
    replicas.run_for(1000)
    replicas.isolate(4)
    asked = []
    for _ in range(10):
        replicas.in_flight = replicas.requests(FetchRequest, sender=4)
        replicas.fire(4)
        asked += [request.receiver for request in replicas.requests(FetchRequest, sender=4)]

    observer = replicas.quorums[4]
    assert (1, leader) == (observer.epoch, observer.leader_id)
    assert isinstance(observer.role, Follower)
    assert {1, 2, 3} - {leader} & set(asked)


@pytest.mark.rule("10.54")
def test_a_refused_fetch_is_asked_again_after_a_moment(follower):
    answer(follower, the_fetch(follower), error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    follower.lose(the_fetch(follower))
    assert [] == follower.requests(FetchRequest)

    follower.now_ms += 20
    follower.step(ME, conduct.on_deadline)

    assert 2 == the_fetch(follower).receiver


@pytest.mark.rule("10.54")
def test_a_fetch_that_is_never_answered_is_lost_after_the_request_timeout(follower):
    first = the_fetch(follower)
    follower.in_flight.clear()
    follower.now_ms += 1999
    follower.step(ME, conduct.on_deadline)
    assert [] == follower.in_flight
    follower.quorums[ME].role = Follower(follower.now_ms + 2000)

    follower.now_ms += 1
    follower.step(ME, conduct.on_deadline)
    second = the_fetch(follower)
    follower.in_flight.append(first)
    answer(follower, first, records=(batch(10, 1),))

    assert second in follower.in_flight
    assert 10 == follower.quorums[ME].log.end_offset


# Finding a leader


@pytest.mark.rule("10.37")
def test_a_voter_without_a_leader_asks_the_others_in_turn():
    replicas = Replicas((1, 2, 3))
    asked = []
    for _ in range(4):
        replicas.in_flight = [the_fetch(replicas)]
        asked.append(replicas.in_flight[0].receiver)
        replicas.lose(replicas.in_flight[0])
        replicas.fire(ME)

    assert asked in ([2, 3, 2, 3], [3, 2, 3, 2])


@pytest.mark.rule("10.36", "10.38", "10.54")
def test_a_follower_that_cannot_reach_its_leader_asks_another_voter_meanwhile(follower):
    """One at a time, as released ones do (golden 4.3.1 A2); its leader's time runs on."""
    before = follower.quorums[ME].role
    follower.lose(the_fetch(follower))
    assert 3 == the_fetch(follower).receiver
    follower.now_ms += 20
    follower.step(ME, conduct.on_deadline)
    assert 3 == the_fetch(follower).receiver

    answer(follower, the_fetch(follower), error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)

    assert 2 == the_fetch(follower).receiver
    assert before == follower.quorums[ME].role


@pytest.mark.rule("10.9", "10.38")
def test_and_follows_the_later_leader_of_which_it_is_told(follower):
    follower.lose(the_fetch(follower))
    answer(follower, the_fetch(follower), error_code=ErrorCode.FENCED_LEADER_EPOCH, leader=(3, 2))

    quorum = follower.quorums[ME]
    assert (2, 3) == (quorum.epoch, quorum.leader_id)
    assert 3 == the_fetch(follower).receiver


@pytest.mark.rule("10.33", "10.37", "10.38")
def test_a_voter_that_is_asked_without_leading_names_the_leader_that_it_knows():
    replicas = Replicas((1, 2, 3))
    lead(replicas, 2)
    replicas.run_for(1000)
    replicas.lose_everything()
    replicas.disks[ME] = Disk()
    replicas.restart(ME)
    if the_fetch(replicas).receiver == 2:
        replicas.lose(the_fetch(replicas))
    replicas.deliver(the_fetch(replicas))
    assert (0, -1) == (replicas.quorums[ME].epoch, replicas.quorums[ME].leader_id)
    replicas.deliver(replicas.in_flight[-1])

    assert (1, 2) == (replicas.quorums[ME].epoch, replicas.quorums[ME].leader_id)
    assert isinstance(replicas.quorums[ME].role, Follower)


@pytest.mark.rule("10.8", "10.9", "10.38")
@pytest.mark.parametrize(
    ("endpoints", "known", "role"),
    [((), (5, -1), Unattached), ((NodeEndpoint(node_id=9, host="x", port=1),), (5, 9), Follower)],
)
def test_a_refusal_names_a_leader_that_is_followed_if_it_can_be_reached(
    follower, endpoints, known, role
):
    error = ErrorCode.FENCED_LEADER_EPOCH
    message = the_fetch(follower)
    answer(follower, message, error_code=error, leader=(9, 5), endpoints=endpoints)

    quorum = follower.quorums[ME]
    assert (known, role) == ((quorum.epoch, quorum.leader_id), type(quorum.role))


@pytest.mark.rule("10.11", "10.31")
def test_what_a_leader_of_an_older_epoch_sends_is_not_taken(follower):
    message = the_fetch(follower)
    follower.ask(ME, vote(3, 4, voter=9))
    answer(follower, message, leader=(2, 1), records=(batch(10, 1),))

    assert 10 == follower.quorums[ME].log.end_offset


@pytest.mark.rule("10.53")
def test_a_voter_that_listens_elsewhere_now_is_known_there_soon():
    replicas = Replicas((1, 2, 3))
    leader = replicas.elect()
    moved = next(node_id for node_id in replicas.ids if node_id != leader.me.node_id)
    quorum = replicas.quorums[moved]
    elsewhere = VoterEndpoint(name="CONTROLLER", host="127.0.0.1", port=7777)

    quorum.identity = replace(quorum.identity, endpoint=elsewhere)
    replicas.run_for(3000)

    known = {quorum.voters.find(moved).endpoints for quorum in replicas.quorums.values()}
    assert {(elsewhere,)} == known
