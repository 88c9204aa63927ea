"""A voter that keeps its log and its vote in memory: what it may do, and what it may not."""

import pytest

from kraftsim.controller.core.rpc import (
    VoteRequest,
)
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.quorum import LostMemoryError
from kraftsim.controller.raft.roles import Unattached
from tests.raft.replicas import Replicas
from tests.raft.requests import begin, describe, end, fetch_by, vote


@pytest.mark.rule("9.37")
def test_a_quorum_of_volatile_voters_elects_a_leader_when_it_first_boots():
    replicas = Replicas((1, 2, 3), may_have_lost_log=True)
    assert 1 == replicas.elect().epoch


@pytest.mark.rule("9.37")
def test_a_volatile_voter_takes_no_part_until_a_majority_of_the_others_has_seen_no_epoch():
    replicas = Replicas((1, 2, 3, 4, 5), may_have_lost_log=True)
    replicas.in_flight.clear()
    for heard in (2, 3):
        replicas.ask(1, fetch_by(heard, replicas.quorums[1]))
        assert not granted_by(replicas)
    assert replicas.quorums[1].peers_without_epoch == {2, 3}
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
    replicas = Replicas((1, 2, 3), may_have_lost_log=True)

    with pytest.raises(LostMemoryError, match="controller 2 is at epoch 1"):
        replicas.ask(1, request_)


@pytest.mark.rule("9.37")
def test_what_others_than_voters_say_of_an_epoch_is_no_reason_to_stop():
    replicas = Replicas((1, 2, 3), may_have_lost_log=True)
    replicas.ask(1, describe())
    replicas.ask(1, vote(9, 0, pre_vote=True))

    assert frozenset() == replicas.quorums[1].peers_without_epoch


@pytest.mark.rule("9.37")
@pytest.mark.parametrize("victim", ["leader", "follower"])
def test_a_volatile_voter_that_is_reborn_under_its_old_directory_must_not_vote(victim):
    replicas = Replicas((1, 2, 3), may_have_lost_log=True)
    leader = replicas.elect().me.node_id
    follower = min({1, 2, 3} - {leader})
    replicas.run_for(1000)
    reborn = leader if victim == "leader" else follower
    replicas.restart(reborn, loses_disk=True)

    with pytest.raises(LostMemoryError, match=f"controller {reborn} has lost its log and its vote"):
        replicas.run_for(10_000)


@pytest.mark.rule("9.37")
def test_a_single_volatile_voter_has_promised_nobody_anything():
    replicas = Replicas((1,), may_have_lost_log=True)
    replicas.restart(1, loses_disk=True)

    assert replicas.quorums[1].is_leader


@pytest.mark.rule("9.37")
def test_two_of_three_static_volatile_voters_elect_a_leader():
    replicas = Replicas((1, 2, 3), kraft_version=0, may_have_lost_log=True)
    replicas.crash(3)

    replicas.run_for(5_000)

    assert 1 == len([quorum for quorum in replicas.quorums.values() if quorum.is_leader])


@pytest.mark.rule("9.37")
def test_a_static_volatile_voter_that_hears_of_an_epoch_must_not_go_on():
    replicas = Replicas((1, 2, 3), kraft_version=0, may_have_lost_log=True)
    replicas.elect()
    replicas.run_for(1000)
    replicas.crash(3)
    replicas.restart(1, loses_disk=True)

    with pytest.raises(LostMemoryError, match="controller 1 has lost its log and its vote"):
        replicas.run_for(10_000)
