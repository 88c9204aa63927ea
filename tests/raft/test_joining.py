"""An observer with controller.quorum.auto.join.enable joins the voters by itself (KIP-1186)."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.raft import conduct
from kraftsim.controller.raft.identity import Identity
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, ElectionState, Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.snapshot import by_reference
from kraftsim.controller.raft.voters import VoterSet
from tests.builders import CLUSTER_ID, uuid_of
from tests.raft.replicas import Replicas, endpoint_of, key_of
from tests.raft.standing import ME, lead

JOINING = Settings(controller_quorum_auto_join_enable=True)
FETCH_TIMEOUT_MS = JOINING.controller_quorum_fetch_timeout_ms
NEWCOMER = 4


def led(settings=JOINING, *, kraft_version=1):
    replicas = Replicas((1, 2, 3), settings=settings, kraft_version=kraft_version)
    lead(replicas, ME)
    replicas.run_for(1_000)
    return replicas


def reborn(replicas, node_id):
    """The controller returns with another directory: its disk was formatted again."""
    replicas.crash(node_id, loses_disk=True)
    replicas.directories[node_id] = uuid_of(f"new-directory-{node_id}")
    replicas.start(node_id)


def voter_keys(replicas):
    voters = replicas.quorums[ME].voters.voters
    return [(voter.voter_id, voter.voter_directory_id) for voter in voters]


def run_until(replicas, kind):
    """Runs until the newcomer sends a request of this kind, which it returns undelivered."""
    for _ in range(10_000):
        sent = replicas.requests(kind)
        if sent:
            return sent[0]
        if replicas.in_flight:
            replicas.deliver(replicas.in_flight[0])
        else:
            replicas.fire(min(replicas.quorums, key=lambda node_id: replicas.due_ms[node_id]))
    raise AssertionError(f"no {kind.__name__}")


@pytest.mark.rule("10.55")
def test_an_observer_adds_itself_after_a_fetch_timeout():
    replicas = led()
    replicas.add(NEWCOMER)
    replicas.run_for(FETCH_TIMEOUT_MS - 100)
    assert not replicas.quorums[NEWCOMER].is_voter

    replicas.run_for(1_000)
    assert (1, 2, 3, NEWCOMER) == replicas.quorums[ME].voters.ids
    assert replicas.quorums[NEWCOMER].is_voter
    assert replicas.quorums[ME].history.latest_offset < replicas.quorums[ME].high_watermark


@pytest.mark.rule("10.55")
def test_the_request_names_the_observer_and_does_not_wait_for_the_commit():
    replicas = led()
    replicas.add(NEWCOMER)
    request = run_until(replicas, AddRaftVoterRequest).request

    assert (NEWCOMER, key_of(NEWCOMER).directory_id) == (
        request.voter_id,
        request.voter_directory_id,
    )
    assert (9004, JOINING.controller_quorum_request_timeout_ms, False) == (
        request.listeners[0].port,
        request.timeout_ms,
        request.ack_when_committed,
    )


@pytest.mark.rule("10.55")
def test_a_new_disk_removes_the_former_one_before_it_joins():
    replicas = led()
    reborn(replicas, 3)
    removal = run_until(replicas, RemoveRaftVoterRequest).request
    assert key_of(3).directory_id == removal.voter_directory_id

    replicas.run_for(2 * FETCH_TIMEOUT_MS)
    assert (3, uuid_of("new-directory-3")) in voter_keys(replicas)
    assert (1, 2, 3) == replicas.quorums[ME].voters.ids


@pytest.mark.rule("10.55")
@pytest.mark.parametrize(
    ("settings", "kraft_version"), [(Settings(), 1), (JOINING, 0)], ids=["disabled", "static"]
)
def test_no_observer_joins_unless_it_is_enabled_and_voters_are_dynamic(settings, kraft_version):
    replicas = led(settings, kraft_version=kraft_version)
    replicas.add(NEWCOMER)
    replicas.run_for(5 * FETCH_TIMEOUT_MS)

    assert (1, 2, 3) == replicas.quorums[ME].voters.ids


@pytest.mark.rule("10.55")
@pytest.mark.parametrize(
    "code",
    [ErrorCode.REQUEST_TIMED_OUT, ErrorCode.DUPLICATE_VOTER, ErrorCode.NOT_LEADER_OR_FOLLOWER],
)
def test_a_refused_observer_asks_again_after_a_fetch_timeout(code):
    replicas = led()
    replicas.add(NEWCOMER)
    replicas.answer(run_until(replicas, AddRaftVoterRequest), AddRaftVoterResponse(error_code=code))
    refused_ms = replicas.now_ms
    run_until(replicas, AddRaftVoterRequest)

    assert FETCH_TIMEOUT_MS <= replicas.now_ms - refused_ms < FETCH_TIMEOUT_MS + 600


@pytest.mark.rule("10.55")
def test_a_removal_that_another_made_is_no_failure():
    replicas = led()
    reborn(replicas, 3)
    gone = RemoveRaftVoterResponse(error_code=ErrorCode.VOTER_NOT_FOUND)
    replicas.answer(run_until(replicas, RemoveRaftVoterRequest), gone)
    assert replicas.in_flight  # it fetches at once, without the backoff of a failure


@pytest.mark.rule("10.37")
def test_an_observer_without_voters_fetches_from_the_bootstrap_servers_in_turn():
    quorum = Quorum(
        Identity(
            key=key_of(NEWCOMER),
            cluster_id=CLUSTER_ID,
            endpoint=endpoint_of(NEWCOMER),
            voters=VoterSet(),
            kraft_version=0,
            bootstrap_servers=(endpoint_of(1), endpoint_of(2)),
        ),
        settings=Settings(),
        random=lambda: 0.0,
        snapshot_format=by_reference(),
        log=MetadataLog(),
        stored=ElectionState(),
    )
    started, failed = Turn(0, 0), Turn(0, 0)
    conduct.start(quorum, started)
    failure = Answered(channel=Channel.RAFT, peer_id=-2, number=1, response=None)
    conduct.on_answer(quorum, failure, failed)

    sent = [(send.peer_id, send.endpoint) for send in (*started.sends, *failed.sends)]
    assert [(-2, endpoint_of(1)), (-3, endpoint_of(2))] == sent
    assert not quorum.is_voter
