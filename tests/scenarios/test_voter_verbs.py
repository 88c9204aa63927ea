"""Voters that leave and join by verbs and by themselves, and replies that no leader could send."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.rpc import AddRaftVoterRequest, RemoveRaftVoterRequest
from kraftsim.controller.raft import membership
from kraftsim.controller.raft.peers import Peers
from kraftsim.controller.raft.voters import VoterSet
from kraftsim.scenarios.properties import ALWAYS
from tests.scenarios.lives import (
    a_voter_that_leaves_and_returns,
    active_id,
    follower_id,
    forged_replies,
)
from tests.scenarios.planted_rules import removes_any_voter
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import BY_NUMBER, settled_world
from tests.worlds import create_topic, pass_time

pytestmark = pytest.mark.slow


def voters(world):
    return world.active.node.quorum.voters.ids


@pytest.mark.parametrize("waits", [True, False])
def test_a_voter_that_was_removed_is_added_again(waits):
    world, watching = settled_world(classes=ALWAYS)
    voter = follower_id(world)
    begin(world, "quorum.remove", {"on": voter})
    pass_time(world, 5)
    assert voter not in voters(world)
    begin(world, "quorum.add", {"on": voter, "waits": waits})
    pass_time(world, 5)

    assert voters(world) == tuple(world.controllers)
    assert watching.violations == {}


def test_a_voter_that_was_removed_joins_by_itself():
    world, watching = settled_world(classes=ALWAYS, controller_quorum_auto_join_enable=True)
    begin(world, "quorum.remove", {"on": follower_id(world)})
    pass_time(world, 10)

    assert voters(world) == tuple(world.controllers)
    assert watching.properties["S45"].exercised >= 2
    assert watching.violations == {}


@pytest.mark.rule("2.28")
def test_a_broker_may_begin_its_shutdown_while_a_voter_leaves():
    """The quorum writes the voters that remain between two decisions of the controller (S24)."""
    world, watching = settled_world(classes=(BY_NUMBER["S24"],))
    create_topic(world, "led", (1, 2, 3))
    begin(world, "quorum.remove", {"on": follower_id(world)})
    world.agents[1].stop()
    pass_time(world, 5)

    assert watching.properties["S24"].exercised > 0
    assert watching.violations == {}


def test_a_leader_that_removes_another_replica_than_it_was_asked_to_is_found(monkeypatch):
    """S42: the request names the right id, and the directory of a former disk."""
    world, watching = settled_world(classes=(BY_NUMBER["S42"],))
    removes_any_voter(monkeypatch)
    former = RemoveRaftVoterRequest(voter_id=follower_id(world), voter_directory_id=b"f" * 16)
    world.dispatch(former, lambda reply: None)
    pass_time(world, 5)

    assert watching.violations["S42"].name == "voters-reply-by-the-rules"


def test_a_leader_that_refuses_a_change_with_another_error_is_found(monkeypatch):
    """S42: the former directory of a voter is no voter, and none is there twice."""
    world, watching = settled_world(classes=(BY_NUMBER["S42"],))
    reply = membership._reply

    def buggy(quorum, request, code, text):
        return reply(quorum, request, ErrorCode.DUPLICATE_VOTER, text)

    monkeypatch.setattr(membership, "_reply", buggy)
    former = RemoveRaftVoterRequest(voter_id=follower_id(world), voter_directory_id=b"f" * 16)
    world.dispatch(former, lambda reply: None)
    pass_time(world, 5)

    assert "it tells 126, expected 127" in watching.violations["S42"].what


def test_a_leader_that_answers_before_the_commit_is_found(monkeypatch):
    """S16: an AddRaftVoter request that waits for the commit has an answer at once."""
    world, watching = settled_world(classes=(BY_NUMBER["S16"],))
    write = membership._write

    def buggy(quorum, change, voters, turn):
        write(quorum, change, voters, turn)
        membership._finish(quorum, turn, 0, None)

    monkeypatch.setattr(membership, "_write", buggy)
    a_voter_that_leaves_and_returns(world)

    assert "S16" in watching.violations


@pytest.mark.parametrize("is_right", [True, False])
def test_a_set_is_compared_with_one_that_a_snapshot_has(is_right, monkeypatch):
    """S45: the log begins after the last set of voters."""
    small = {"metadata_log_max_record_bytes_between_snapshots": 2_000}
    world, watching = settled_world(classes=(BY_NUMBER["S45"],), **small)
    for number in range(40):
        create_topic(world, f"topic-{number}")
    log = world.active.node.log
    assert not any(isinstance(record, Voters) for batch in log.batches for record in batch.records)
    if not is_right:
        monkeypatch.setattr(VoterSet, "without", lambda voters, _: VoterSet(voters.voters[:1]))

    begin(world, "quorum.remove", {"on": follower_id(world)})
    pass_time(world, 5)

    assert ("S45" in watching.violations) is not is_right


def removes_again(patch):
    """The leader removes a voter that it has just added, as an earlier request asked it to."""
    on_commit = membership.on_commit

    def buggy(quorum, turn):
        change = quorum.role.change if quorum.is_leader else None
        on_commit(quorum, turn)
        is_over = quorum.is_leader and quorum.role.change is None
        if change is not None and is_over and isinstance(change.request, AddRaftVoterRequest):
            left = quorum.voters.without(change.request.voter_id)
            quorum.append((Voters(voters=left.voters),), (0,), turn, is_control=True)

    patch.setattr(membership, "on_commit", buggy)


def test_a_second_change_for_one_request_is_found(monkeypatch):
    """S45: each request permits one change, and only while it is open."""
    world, watching = settled_world(classes=(BY_NUMBER["S45"],))
    removes_again(monkeypatch)
    a_voter_that_leaves_and_returns(world)

    assert "unasked" in watching.violations["S45"].what


@pytest.mark.parametrize("verb", ["quorum.remove", "quorum.add"])
def test_a_change_that_a_paused_leader_was_asked_for_is_right(verb):
    """S45: it handles the request at the end of the pause, still as the leader."""
    world, watching = settled_world(classes=(BY_NUMBER["S45"],))
    voter, leader = follower_id(world), active_id(world)
    if verb == "quorum.add":
        begin(world, "quorum.remove", {"on": voter})
        pass_time(world, 5)
    exercised = watching.properties["S45"].exercised
    begin(world, verb, {"on": voter})  # it is under way
    world.pause_controller(leader)
    pass_time(world, 0.5)
    world.resume_controller(leader)
    pass_time(world, 5)

    assert (voter in voters(world)) is (verb == "quorum.add")
    assert watching.properties["S45"].exercised > exercised
    assert watching.violations == {}


@pytest.mark.rule("10.53")
def test_a_leader_that_has_moved_writes_its_own_address():
    """S45: nobody asks it to; it does so with the first record of its epoch."""
    world, watching = settled_world(controllers=1, classes=(BY_NUMBER["S45"],))
    (controller,) = world.controllers
    begin(world, "proc.move", {"on": controller})
    pass_time(world, 5)

    assert watching.properties["S45"].exercised
    assert watching.finish() == ()


def test_no_replica_follows_forged_replies():
    world, watching = settled_world(classes=ALWAYS)
    for number in range(5):
        create_topic(world, f"t{number}", (1, 2))
        forged_replies(world)

    assert watching.properties["S46"].exercised > 10
    assert watching.violations == {}


def test_a_replica_that_repeats_a_request_without_a_pause_is_found(monkeypatch):
    """S43: no reply is of use to it, and nothing is new to it."""
    world, watching = settled_world(classes=(BY_NUMBER["S43"],))
    monkeypatch.setattr(Peers, "failed", lambda peers, peer_id, now_ms: None)
    forged_replies(world)

    assert "repeats Fetch (" in watching.violations["S43"].what
