"""Voters are removed, the leader itself included; texts are those of golden 4.3.1."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    EndQuorumEpochRequest,
    RemoveRaftVoterResponse,
)
from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from kraftsim.controller.raft import conduct, messages
from kraftsim.controller.raft.roles import Follower, Resigned
from tests.builders import uuid_of
from tests.raft.changes import led_with_an_observer, named, refusal, result
from tests.raft.replicas import Replicas, key_of
from tests.raft.requests import add_voter, begin, fetch_by, remove_voter
from tests.raft.standing import ME


@pytest.fixture
def leader():
    return led_with_an_observer()


@pytest.mark.rule("10.52", "10.50")
def test_a_voter_that_is_removed_is_an_observer_at_once(leader):
    leader.submit(ME, remove_voter(3), "remove")
    quorum = leader.quorums[ME]
    assert (1, 2) == quorum.voters.ids
    assert {key_of(3), key_of(4)} == set(quorum.role.observers)
    assert [] == leader.answers("remove")

    leader.run_for(500)

    assert [RemoveRaftVoterResponse()] == leader.answers("remove")
    assert not leader.quorums[3].is_voter
    leader.run_for(60_000)
    assert isinstance(leader.quorums[3].role, Follower)


@pytest.mark.rule("10.52")
def test_who_is_no_voter_is_not_removed(leader):
    """Golden 4.3.1 A3, seq 572: the directory counts."""
    wrong = uuid_of("x")
    text = (
        f"Cannot remove voter ReplicaKey(id=3, directoryId={uuid_text(wrong)}) from the set of "
        f"voters {named(1, 2, 3)}"
    )
    assert (127, text) == refusal(leader, remove_voter(3, voter_directory_id=wrong))
    text = f"Cannot remove voter {named(9)} from the set of voters {named(1, 2, 3)}"
    assert (127, text) == refusal(leader, remove_voter(9, cluster_id=None))


@pytest.mark.rule("10.52")
def test_a_removal_is_checked_in_order(leader):
    invalid = remove_voter(3, voter_directory_id=ZERO_UUID)
    text = "Remove voter request didn't include a valid voter"
    assert (ErrorCode.INVALID_REQUEST, text) == refusal(leader, invalid)
    foreign = remove_voter(3, voter_directory_id=ZERO_UUID, cluster_id="x")
    assert ErrorCode.INCONSISTENT_CLUSTER_ID == refusal(leader, foreign)[0]


@pytest.mark.rule("10.52")
def test_the_last_voter_is_not_removed():
    replicas = Replicas((1,))

    assert ErrorCode.VOTER_NOT_FOUND == refusal(replicas, remove_voter(1))[0]


@pytest.mark.rule("10.52", "10.54")
def test_a_removal_that_is_not_committed_in_time_is_answered_so_and_may_still_happen(leader):
    leader.isolate(ME)
    leader.submit(ME, remove_voter(3), "remove")
    leader.run_for(2000)
    assert [(ErrorCode.REQUEST_TIMED_OUT, "The request timed out.")] == result(leader, "remove")

    assert (1, 2) == leader.quorums[ME].voters.ids


@pytest.mark.rule("10.26", "10.28", "10.52")
def test_a_leader_that_is_removed_leads_until_that_is_committed_and_then_resigns(leader):
    """Golden 4.3.1 A3, seq 661 to 675."""
    quorum = leader.quorums[ME]
    leader.isolate(ME)
    leader.in_flight.clear()
    leader.submit(ME, remove_voter(ME), "remove")
    end_offset = leader.write(2)
    leader.submit(ME, fetch_by(2, quorum, offset=end_offset - 2), "two")
    assert (True, (2, 3)) == (quorum.is_leader, quorum.voters.ids)
    assert [] == leader.answers("remove")

    leader.submit(ME, fetch_by(3, quorum, offset=end_offset - 2), "three")

    assert [RemoveRaftVoterResponse()] == leader.answers("remove")
    assert isinstance(quorum.role, Resigned)
    leader.lose_everything()
    leader.step(ME, conduct.on_deadline)
    request = leader.requests(EndQuorumEpochRequest, sender=ME)[0].sent.request
    assert {2, 3} == {key.node_id for key in messages.successors(request)}


@pytest.mark.rule("10.25", "10.28")
@pytest.mark.parametrize(("fetching", "stays"), [((2,), False), ((2, 3), True)])
def test_a_leader_that_is_removed_does_not_count_itself(leader, fetching, stays):
    """Nor does its commit happen here: those that fetch have none of it."""
    quorum = leader.quorums[ME]
    leader.isolate(ME)
    leader.lose_everything()
    leader.submit(ME, remove_voter(ME), "remove")
    offset = quorum.history.latest_offset
    for _ in range(10):
        leader.now_ms += 500
        for node_id in fetching if quorum.is_leader else ():
            leader.submit(ME, fetch_by(node_id, quorum, offset=offset), node_id)
        leader.step(ME, conduct.on_deadline)

    assert stays == quorum.is_leader


@pytest.mark.rule("10.2", "10.26", "10.39")
def test_a_leader_that_was_removed_follows_the_next_one(leader):
    leader.submit(ME, remove_voter(ME), "remove")
    leader.run_for(20_000)

    quorum = leader.quorums[ME]
    assert leader.leader.me.node_id in (2, 3)
    assert (leader.leader.me.node_id, Follower) == (quorum.leader_id, type(quorum.role))
    assert leader.leader.log.end_offset == quorum.log.end_offset


@pytest.mark.rule("10.39", "10.8")
def test_a_removed_leader_that_nobody_answers_raises_its_epoch_once_and_never_stands(leader):
    leader.submit(ME, remove_voter(ME), "remove")
    leader.run_for(10)
    assert isinstance(leader.quorums[ME].role, Resigned)
    for node_id in (2, 3, 4):
        leader.crash(node_id)
    leader.run_for(60_000)

    assert 2 == leader.quorums[ME].epoch
    assert leader.quorums[ME].leader_id == -1


@pytest.mark.rule("10.50")
def test_voters_that_are_truncated_were_never_voters(leader):
    leader.isolate(ME)
    leader.submit(ME, remove_voter(3), "remove")
    assert (1, 2) == leader.quorums[ME].voters.ids
    leader.run_for(10_000)
    leader.heal()
    leader.run_for(5000)

    assert {(1, 2, 3)} == {quorum.voters.ids for quorum in leader.quorums.values()}


@pytest.mark.rule("10.51", "10.52")
def test_a_change_by_a_leader_that_leads_no_more_is_answered_so(leader):
    leader.submit(ME, add_voter(4), "add")
    leader.ask(ME, begin(3, 9))

    assert [ErrorCode.NOT_LEADER_OR_FOLLOWER] == [code for code, _ in result(leader, "add")]
