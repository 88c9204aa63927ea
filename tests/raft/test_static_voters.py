"""Voters that are known by configuration (kraft.version 0), and how the log comes to know them:
each describes itself to its leader, which may then raise kraft.version (KIP-853, rule 10.53)."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.control_records import KRaftVersion, VersionRange, Voters
from kraftsim.controller.core.rpc import UpdateRaftVoterRequest
from kraftsim.controller.core.uuid import ZERO_UUID
from tests.builders import uuid_of
from tests.raft.replicas import Replicas, identity_of
from tests.raft.requests import add_voter, remove_voter, update_voter
from tests.raft.standing import ME, lead, win

NOTHING = VersionRange(min_supported_version=0, max_supported_version=0)


class Descriptions:
    """Who has described itself to whom, as it was sent."""

    def __init__(self):
        self.seen = {}

    def __call__(self, replicas, _):
        for request in replicas.requests(UpdateRaftVoterRequest):
            self.seen[request.sender, request.receiver, request.sent.number] = request

    @property
    def told(self):
        return sorted((sender, receiver) for sender, receiver, _ in self.seen)


@pytest.fixture
def descriptions():
    return Descriptions()


@pytest.fixture
def static(descriptions):
    """ME leads 2 and 3, which have described themselves."""
    replicas = Replicas((1, 2, 3), kraft_version=0, watch=descriptions)
    lead(replicas, ME)
    replicas.run_for(3000)
    return replicas


def raise_kraft_version(replicas):
    """What UpdateFeatures makes a leader write."""
    leader = replicas.leader
    records = (KRaftVersion(kraft_version=1), Voters(voters=leader.known_voters.voters))
    turn = replicas.turn()
    leader.append(records, (0, 0), turn, is_control=True)
    replicas.carry_out(leader.me.node_id, turn)


@pytest.mark.rule("10.53", "5.37")
def test_at_first_a_leader_knows_only_itself():
    replicas = Replicas((1, 2, 3), kraft_version=0)
    lead(replicas, ME)

    me, *others = replicas.leader.known_voters.voters

    assert replicas.leader.identity.as_voter == me
    assert [(2, ZERO_UUID, NOTHING), (3, ZERO_UUID, NOTHING)] == [
        (node_id.voter_id, node_id.voter_directory_id, node_id.k_raft_version_feature)
        for node_id in others
    ]


@pytest.mark.rule("10.53")
def test_every_voter_describes_itself_to_its_leader_once(static, descriptions):
    """Golden 4.3.1 A2, seq 154 and 155; no other until there is another leader."""
    static.run_for(60_000)

    assert [(2, ME), (3, ME)] == descriptions.told
    assert identity_of(ME, (1, 2, 3)).voters == static.leader.known_voters


@pytest.mark.rule("10.53")
def test_the_next_leader_is_told_again(static, descriptions):
    """Golden 4.3.1 A2, seq 1565 and 1726: what one leader knew is gone with its leadership."""
    static.resign(ME, 2)
    static.run_for(10_000)

    assert 2 == static.leader.me.node_id
    assert [(1, 2), (2, 1), (3, 1), (3, 2)] == descriptions.told
    assert identity_of(ME, (1, 2, 3)).voters == static.leader.known_voters


@pytest.mark.rule("10.53")
def test_a_voter_that_is_not_heard_describes_itself_again(descriptions):
    replicas = Replicas((1, 2, 3), kraft_version=0, watch=descriptions)
    lead(replicas, ME)
    while not replicas.requests(UpdateRaftVoterRequest, sender=2):
        if replicas.in_flight:
            replicas.deliver(replicas.in_flight[0])
        else:
            replicas.fire(min(replicas.due_ms, key=replicas.due_ms.get))
    replicas.lose(replicas.requests(UpdateRaftVoterRequest, sender=2)[0])
    replicas.run_for(10_000)

    assert 2 == descriptions.told.count((2, ME))


@pytest.mark.rule("10.53")
def test_a_voter_that_comes_back_under_another_directory_takes_the_place_of_the_first(static):
    reborn = update_voter(2, 1, voter_directory_id=uuid_of("reborn"))

    assert ErrorCode.NONE == static.ask(ME, reborn).error_code
    assert uuid_of("reborn") == static.leader.known_voters.find(2).voter_directory_id
    assert ZERO_UUID == static.leader.voters.find(2).voter_directory_id


@pytest.mark.rule("10.53")
@pytest.mark.parametrize(
    "fields", [{"voter_directory_id": ZERO_UUID}, {"listeners": ()}, {"versions": (-1, 1)}], ids=str
)
def test_what_could_not_stand_in_the_log_is_refused_before_all_else(fields):
    """Also by a leader that can change nothing yet."""
    replicas = Replicas((1, 2, 3), kraft_version=0)
    win(replicas)

    assert ErrorCode.INVALID_REQUEST == replicas.ask(ME, update_voter(2, 1, **fields)).error_code
    assert ErrorCode.REQUEST_TIMED_OUT == replicas.ask(ME, update_voter(2, 1)).error_code


def test_what_a_leader_has_been_told_belongs_to_its_state(static):
    before = static.leader.fingerprint()
    static.ask(ME, update_voter(2, 1))

    assert before != static.leader.fingerprint()


@pytest.mark.rule("10.49", "10.50")
def test_everybody_takes_the_voters_from_the_log_once_they_stand_there(static):
    raise_kraft_version(static)
    static.run_for(1000)

    for quorum in static.quorums.values():
        assert 1 == quorum.history.kraft_version
        assert identity_of(ME, (1, 2, 3)).voters == quorum.voters


@pytest.mark.rule("10.21", "10.50")
def test_the_voters_of_an_upgrade_need_not_be_told_again(static, descriptions):
    raise_kraft_version(static)
    static.run_for(1000)
    static.restart(2)
    static.resign(ME, 3)
    static.run_for(10_000)

    assert [(2, ME), (3, ME)] == descriptions.told
    opening = [batch for batch in static.leader.log.batches if batch.is_control][-1]
    assert (static.leader.epoch, 1) == (opening.epoch, len(opening.records))


@pytest.mark.rule("10.51", "10.52", "10.53")
def test_once_that_is_committed_voters_change_by_the_log(static):
    raise_kraft_version(static)
    assert ErrorCode.REQUEST_TIMED_OUT == static.ask(ME, remove_voter(3)).error_code
    static.run_for(1000)

    static.add(4)
    static.run_for(3000)
    static.submit(ME, add_voter(4), "add")
    static.run_for(1000)
    static.submit(ME, remove_voter(3), "remove")
    static.run_for(1000)
    assert ErrorCode.NONE == static.ask(ME, update_voter(2, 1)).error_code
    static.run_for(1000)

    assert [0, 0] == [static.answers(change)[0].error_code for change in ("add", "remove")]
    for quorum in static.quorums.values():
        assert (1, 2, 4) == quorum.voters.ids
        assert 7777 == quorum.voters.find(2).endpoints[0].port


@pytest.mark.rule("10.50", "10.34")
def test_an_upgrade_that_is_lost_with_its_leader_can_be_made_by_the_next(static):
    static.isolate(ME)
    raise_kraft_version(static)
    assert 1 == static.quorums[ME].history.kraft_version
    static.run_for(10_000)
    assert ME != static.leader.me.node_id

    static.heal()
    static.run_for(10_000)
    assert {0} == {quorum.history.kraft_version for quorum in static.quorums.values()}
    assert {ZERO_UUID} == {voter.voter_directory_id for voter in static.quorums[ME].voters.voters}

    raise_kraft_version(static)
    static.run_for(1000)
    assert {1} == {quorum.history.kraft_version for quorum in static.quorums.values()}
    assert identity_of(ME, (1, 2, 3)).voters == static.quorums[ME].voters


@pytest.mark.rule("10.43", "10.47")
def test_who_restarts_from_a_snapshot_of_the_upgrade_knows_the_voters(static):
    raise_kraft_version(static)
    static.run_for(1000)
    static.take_snapshot(2)
    static.restart(2)

    assert 1 == static.quorums[2].history.kraft_version
    assert identity_of(2, (1, 2, 3)).voters == static.quorums[2].voters
