"""Voters are added, removed and moved, one at a time; texts are those of golden 4.3.1."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AddRaftVoterResponse,
    ApiVersionsRequest,
    ApiVersionsResponse,
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    QuorumEndpoint,
    RemoveRaftVoterResponse,
    SupportedFeatureKey,
)
from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from kraftsim.controller.raft import conduct, messages
from kraftsim.controller.raft.roles import Follower, Resigned
from tests.builders import uuid_of
from tests.raft.replicas import SUPPORTED, Replicas, key_of
from tests.raft.requests import add_voter, begin, fetch_by, remove_voter, update_voter
from tests.raft.standing import ME, lead, standing, win

BUSY = "Request timed out waiting for leader to handle previous voter change request."


@pytest.fixture
def leader():
    """ME leads 2 and 3; 4 observes, and has all there is."""
    replicas = Replicas((1, 2, 3))
    lead(replicas, ME)
    replicas.add(4)
    replicas.run_for(3000)
    return replicas


def named(*node_ids):
    texts = [
        f"ReplicaKey(id={one}, directoryId={uuid_text(key_of(one).directory_id)})"
        for one in node_ids
    ]
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"


def refusal(replicas, request):
    response = replicas.ask(ME, request)
    return response.error_code, response.error_message


def the_question(replicas):
    (message,) = replicas.requests(ApiVersionsRequest)
    return message


def result(replicas, token):
    return [(one.error_code, one.error_message) for one in replicas.answers(token)]


# Adding


@pytest.mark.rule("10.51", "10.50")
def test_a_voter_that_is_added_is_asked_written_committed_and_then_announced(leader):
    quorum = leader.quorums[ME]
    leader.submit(ME, add_voter(4), "add")
    assert (1, 2, 3) == quorum.voters.ids
    question = the_question(leader)
    assert (4, 9004) == (question.receiver, question.sent.endpoint.port)

    leader.answer(question, SUPPORTED)
    assert (1, 2, 3, 4) == quorum.voters.ids
    assert [] == leader.answers("add")

    leader.run_for(500)
    assert [AddRaftVoterResponse()] == leader.answers("add")
    assert quorum.history.latest_offset < quorum.high_watermark
    assert {(1, 2, 3, 4)} == {one.voters.ids for one in leader.quorums.values()}


@pytest.mark.rule("10.51")
def test_whoever_does_not_want_to_wait_for_the_commit_need_not(leader):
    leader.isolate(ME)
    leader.submit(ME, add_voter(4, ack_when_committed=False), "add")
    leader.answer(the_question(leader), SUPPORTED)

    assert [AddRaftVoterResponse()] == leader.answers("add")
    assert leader.quorums[ME].history.latest_offset >= leader.quorums[ME].high_watermark


@pytest.mark.rule("10.22", "5.28")
def test_a_voter_that_is_added_is_known_from_before(leader):
    leader.submit(ME, add_voter(4), "add")
    told = []
    while not leader.answers("add"):
        told += leader.requests(BeginQuorumEpochRequest)
        leader.deliver(leader.in_flight[0])

    role = leader.quorums[ME].role
    assert ({2, 3, 4}, {}, []) == (set(role.progress), role.observers, told)


@pytest.mark.rule("10.51")
@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        (
            {"cluster_id": "x", "voter_directory_id": ZERO_UUID},
            ErrorCode.INCONSISTENT_CLUSTER_ID,
            'The given id "x" doesn\'t match the cluster id "abcdefghijklmnopqrst4A"',
        ),
        (
            {"voter_directory_id": ZERO_UUID},
            ErrorCode.INVALID_REQUEST,
            "Add voter request didn't include a valid voter",
        ),
        (
            {"listeners": (QuorumEndpoint(name="OTHER", host="x", port=1),)},
            ErrorCode.INVALID_REQUEST,
            "Add voter request didn't include the endpoint for the default listener CONTROLLER",
        ),
        ({"listeners": ()}, ErrorCode.INVALID_REQUEST, None),
    ],
)
def test_an_addition_is_checked_in_order(leader, fields, code, text):
    found, message = refusal(leader, add_voter(4, **fields))

    assert (code, text or message) == (found, message)


@pytest.mark.rule("10.51")
def test_a_voter_is_added_once(leader):
    """Also under another directory. Golden 4.3.1 A3, seq 227."""
    expected = f"The voter id for {named(2)} is already part of the set of voters {named(1, 2, 3)}."
    assert (ErrorCode.DUPLICATE_VOTER, expected) == refusal(leader, add_voter(2))
    reborn = add_voter(2, voter_directory_id=uuid_of("x"), cluster_id=None)
    assert ErrorCode.DUPLICATE_VOTER == refusal(leader, reborn)[0]


@pytest.mark.rule("10.51", "10.52")
@pytest.mark.parametrize("request_", [add_voter(4), remove_voter(2), remove_voter(9)])
def test_only_a_leader_changes_voters(request_):
    replicas = standing("follower")

    assert (ErrorCode.NOT_LEADER_OR_FOLLOWER, None) == refusal(replicas, request_)


@pytest.mark.rule("10.51", "10.52", "10.53")
def test_static_voters_do_not_change():
    """Golden 4.3.1 A6, seq 246 and 248."""
    replicas = standing("leader", kraft_version=0)
    text = "Cluster doesn't support {} voter because the kraft.version feature is 0"

    assert (35, text.format("adding")) == refusal(replicas, add_voter(4))
    assert (35, text.format("removing")) == refusal(replicas, remove_voter(2))
    assert ErrorCode.NONE == replicas.ask(ME, update_voter(2, 1)).error_code  # golden A2, 958


@pytest.mark.rule("10.51", "10.52", "10.53", "9.45")
@pytest.mark.parametrize("kraft_version", [0, 1])
def test_a_leader_that_has_committed_nothing_of_its_epoch_changes_no_voters(kraft_version):
    replicas = Replicas((1, 2, 3), kraft_version=kraft_version)
    win(replicas)

    code, text = refusal(replicas, add_voter(4))
    assert ErrorCode.REQUEST_TIMED_OUT == code
    assert "establish HWM" in text
    assert ErrorCode.REQUEST_TIMED_OUT == refusal(replicas, remove_voter(2))[0]
    assert ErrorCode.REQUEST_TIMED_OUT == replicas.ask(ME, update_voter(2, 1)).error_code


@pytest.mark.rule("9.45", "10.51", "10.52", "10.53")
@pytest.mark.parametrize("step", ["asked", "written"])
def test_voters_change_one_at_a_time(leader, step):
    leader.isolate(ME)
    leader.submit(ME, add_voter(4), "add")
    if step == "written":
        leader.answer(the_question(leader), SUPPORTED)

    assert (ErrorCode.REQUEST_TIMED_OUT, BUSY) == refusal(leader, add_voter(5))
    assert (ErrorCode.REQUEST_TIMED_OUT, BUSY) == refusal(leader, remove_voter(2))
    assert ErrorCode.REQUEST_TIMED_OUT == leader.ask(ME, update_voter(2, 1)).error_code


@pytest.mark.rule("9.45", "10.51", "10.52", "10.53")
def test_voters_that_are_written_and_not_committed_do_not_change(leader):
    leader.isolate(ME)
    leader.submit(ME, add_voter(4, ack_when_committed=False), "add")
    leader.answer(the_question(leader), SUPPORTED)

    code, text = refusal(leader, remove_voter(2))
    assert ErrorCode.REQUEST_TIMED_OUT == code
    assert "waiting for voters to commit the latest voter change" in text
    assert ErrorCode.REQUEST_TIMED_OUT == leader.ask(ME, update_voter(2, 1)).error_code


@pytest.mark.rule("10.51")
@pytest.mark.parametrize("response", [None, ApiVersionsResponse(error_code=35)])
def test_a_voter_that_does_not_say_what_it_supports_is_not_added(leader, response):
    leader.submit(ME, add_voter(4), "add")
    leader.answer(the_question(leader), response)

    assert [ErrorCode.REQUEST_TIMED_OUT] == [code for code, _ in result(leader, "add")]
    assert (1, 2, 3) == leader.quorums[ME].voters.ids


@pytest.mark.rule("10.51", "10.54")
def test_a_voter_that_never_answers_is_given_up_after_the_request_timeout(leader):
    leader.crash(4)
    leader.submit(ME, add_voter(4), "add")
    leader.run_for(1999)
    assert [] == leader.answers("add")

    leader.run_for(1)

    assert [(ErrorCode.REQUEST_TIMED_OUT, "The request timed out.")] == result(leader, "add")


@pytest.mark.rule("10.51")
@pytest.mark.parametrize("range_", [(0, 0), (2, 3), None])
def test_a_voter_that_does_not_support_the_kraft_version_is_not_added(leader, range_):
    leader.submit(ME, add_voter(4), "add")
    features = ()
    if range_ is not None:
        low, high = range_
        features = (SupportedFeatureKey(name="kraft.version", min_version=low, max_version=high),)
    leader.answer(the_question(leader), ApiVersionsResponse(supported_features=features))

    ((code, text),) = result(leader, "add")
    assert ErrorCode.INVALID_REQUEST == code
    assert "doesn't support the finalized version 1" in text
    assert (1, 2, 3) == leader.quorums[ME].voters.ids


@pytest.mark.rule("10.51")
@pytest.mark.parametrize("how", ["never fetched", "never had everything", "an hour ago"])
def test_a_voter_that_is_not_caught_up_is_not_added(leader, how):
    quorum = leader.quorums[ME]
    node_id = 4 if how == "an hour ago" else 5
    if how == "never had everything":
        leader.submit(ME, fetch_by(5, quorum, offset=0), "observer")
    if how == "an hour ago":
        gone = quorum.role.observers[key_of(4)]
        quorum.role.observers[key_of(4)] = replace(gone, fetched_ms=leader.now_ms - 3_600_000)
    leader.submit(ME, add_voter(node_id), "add")
    leader.answer(the_question(leader), SUPPORTED)

    expected = f"Aborted add voter operation for {named(node_id)} since it is lagging behind"
    assert [(ErrorCode.REQUEST_TIMED_OUT, expected)] == result(leader, "add")


@pytest.mark.rule("10.51")
def test_what_one_new_voter_supports_is_not_believed_of_another(leader):
    leader.submit(ME, add_voter(4), "first")
    late = the_question(leader)
    leader.quorums[ME].role.change = None
    leader.submit(ME, fetch_by(5, leader.quorums[ME]), "observer")
    leader.submit(ME, add_voter(5), "second")
    leader.answer(late, SUPPORTED)

    assert 5 not in leader.quorums[ME].voters.ids


# Removing


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
    for one in (2, 3, 4):
        leader.crash(one)
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

    assert {(1, 2, 3)} == {one.voters.ids for one in leader.quorums.values()}


@pytest.mark.rule("10.51", "10.52")
def test_a_change_by_a_leader_that_leads_no_more_is_answered_so(leader):
    leader.submit(ME, add_voter(4), "add")
    leader.ask(ME, begin(3, 9))

    assert [ErrorCode.NOT_LEADER_OR_FOLLOWER] == [code for code, _ in result(leader, "add")]


# Moving


@pytest.mark.rule("10.53")
def test_a_voter_that_moves_is_believed_at_once(leader):
    quorum = leader.quorums[ME]
    before = quorum.high_watermark
    response = leader.ask(ME, update_voter(2, 1))

    assert (0, ME, 1, 9001) == (
        response.error_code,
        response.current_leader.leader_id,
        response.current_leader.leader_epoch,
        response.current_leader.port,
    )
    assert (7777, before) == (quorum.voters.find(2).endpoints[0].port, quorum.high_watermark)


@pytest.mark.rule("10.53")
def test_a_voter_that_says_nothing_new_is_not_written(leader):
    leader.ask(ME, update_voter(2, 1))
    leader.run_for(1000)
    end_offset = leader.quorums[ME].log.end_offset

    assert 0 == leader.ask(ME, update_voter(2, 1)).error_code
    assert end_offset == leader.quorums[ME].log.end_offset


@pytest.mark.rule("10.53")
@pytest.mark.parametrize(
    ("node_id", "epoch", "fields", "code"),
    [
        (2, 0, {"cluster_id": "x"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        (2, 0, {"versions": (5, 6)}, ErrorCode.FENCED_LEADER_EPOCH),
        (2, 2, {"versions": (5, 6)}, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (9, 1, {"versions": (0, 0)}, ErrorCode.INVALID_REQUEST),
        (9, 1, {"versions": (2, 3)}, ErrorCode.INVALID_REQUEST),
        (9, 1, {"versions": (1, 0)}, ErrorCode.INVALID_REQUEST),
        (9, 1, {"listeners": ()}, ErrorCode.INVALID_REQUEST),
        (9, 1, {}, ErrorCode.VOTER_NOT_FOUND),
        (2, 1, {"voter_directory_id": uuid_of("x")}, ErrorCode.VOTER_NOT_FOUND),
        (2, 1, {"cluster_id": None}, ErrorCode.NONE),
    ],
)
def test_a_move_is_checked_in_order(leader, node_id, epoch, fields, code):
    before = leader.quorums[ME].voters
    response = leader.ask(ME, update_voter(node_id, epoch, **fields))

    assert code == response.error_code
    assert bool(code) == (before == leader.quorums[ME].voters)


@pytest.mark.rule("10.53", "10.33")
@pytest.mark.parametrize(("epoch", "code"), [(0, 74), (1, 6), (2, 75)])
def test_a_move_is_told_to_a_leader_and_the_epoch_is_checked_first(epoch, code):
    replicas = standing("follower")
    response = replicas.ask(ME, update_voter(2, epoch))

    assert (code, 2, 9002) == (
        response.error_code,
        response.current_leader.leader_id,
        response.current_leader.port,
    )
